"""A person at the page: what they do by keys, mouse and finger, and what they see."""

from typing import Any

from playwright.sync_api import Browser, Locator, expect

PATIENCE_MS = 15_000
NEAR_STEPS = 8
BESIDE_GRID_PX = 5

SHOWN = """async ([x, y, color, patience]) => {
  const canvas = document.getElementById("board");
  const ratio = canvas.width / canvas.clientWidth;
  const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const read = () => {
    copy.drawImage(canvas, x * ratio, y * ratio, 1, 1, 0, 0, 1, 1);
    const [r, g, b] = copy.getImageData(0, 0, 1, 1).data;
    return "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("").toUpperCase();
  };
  const until = performance.now() + patience;
  while (read() !== color && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return read();
}"""


class Visitor:
    """One browser context with the page open; motion is reduced, so that nothing is under way."""

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        options.setdefault("viewport", {"width": 1000, "height": 700})
        self.context = browser.new_context(reduced_motion="reduce", **options)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.console: list[str] = []
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.console.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(url)
        self.is_live()

    @property
    def button(self) -> Locator:
        return self.page.locator("#place")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def aim(self) -> str:
        """Come near the middle of the board and aim there; returns the cell in words."""
        self.press("0", *["+"] * NEAR_STEPS, "ArrowRight")
        return self.page.locator("#place-detail").inner_text()

    def place(self, color_key: str) -> None:
        self.press(color_key, "Enter")

    def sees(self, color: str, at: tuple[int, int] | None = None) -> None:
        """Wait until a point of the screen, or its middle, has this colour ("#RRGGBB")."""
        size = self.page.viewport_size
        assert size is not None
        x, y = at or (size["width"] // 2 + BESIDE_GRID_PX, size["height"] // 2 + BESIDE_GRID_PX)
        assert self.page.evaluate(SHOWN, [x, y, color, PATIENCE_MS]) == color

    def is_live(self) -> None:
        self.is_in_phase("joined")
        expect(self.button).not_to_have_attribute("data-readiness", "loading")

    def is_in_phase(self, phase: str) -> None:
        status = self.page.locator("#status")
        expect(status).to_have_attribute("data-phase", phase, timeout=PATIENCE_MS)

    def is_waiting(self) -> None:
        expect(self.button).to_have_attribute("data-readiness", "waiting", timeout=PATIENCE_MS)

    def left_s(self) -> int:
        """Seconds of the countdown on the button."""
        minutes, seconds = self.page.locator("#place-label").inner_text().split(":")
        return 60 * int(minutes) + int(seconds)

    def leave(self) -> None:
        self.context.close()
        assert self.errors == []
