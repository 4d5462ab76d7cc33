"""The page against the real server, in real browsers."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.server import Server
from tests.support.paintings import saved

RED, ORANGE, BLUE = "#FF4500", "#FFA800", "#3690EA"
RED_KEY, ORANGE_KEY, BLUE_KEY = "1", "2", "7"


def test_two_browsers_place_and_see(visit: Visit) -> None:
    anna, ben = visit(), visit()
    assert anna.aim() == ben.aim()
    anna.place(RED_KEY)
    ben.sees(RED)
    anna.is_waiting()
    ben.place(BLUE_KEY)
    anna.press("Escape")
    anna.sees(BLUE)
    assert anna.console == ben.console == []


def test_the_mouse_comes_near_first_and_then_places(visit: Visit) -> None:
    anna, ben = visit(), visit()
    anna.press("0", RED_KEY)
    anna.page.mouse.click(500, 300)
    expect(anna.page.locator("#fit")).to_have_text(re.compile("^24"))
    expect(anna.button).to_have_attribute("data-readiness", "noCell")
    anna.page.mouse.click(510, 310)
    anna.is_waiting()
    anna.page.reload()
    anna.is_live()
    ben.is_live()


def test_a_finger_aims_and_the_button_confirms(visit: Visit) -> None:
    phone = visit(viewport={"width": 375, "height": 740}, has_touch=True, is_mobile=True)
    point = (180, 330)
    for _ in ("come near", "aim"):
        phone.page.touchscreen.tap(*point)
    phone.page.locator(".swatch").nth(1).tap()
    expect(phone.button).to_have_attribute("data-readiness", "ready")
    phone.button.tap()
    phone.is_waiting()
    phone.sees(ORANGE, point)


def test_a_reload_in_mid_cooldown_gives_the_rest(visit: Visit, server: Server) -> None:
    anna = visit()
    anna.aim()
    anna.place(RED_KEY)
    anna.is_waiting()
    before_s = anna.left_s()
    anna.page.reload()
    anna.is_live()
    anna.is_waiting()
    assert 0 < anna.left_s() <= before_s <= server.cooldown_ms / 1000
    assert anna.page.title().endswith("· Tesserae")


def test_offline_and_back_again_shows_what_was_missed(visit: Visit) -> None:
    anna, ben = visit(), visit()
    anna.aim()
    ben.aim()
    ben.context.set_offline(True)
    ben.is_in_phase("waiting")
    anna.place(RED_KEY)
    anna.is_waiting()
    ben.context.set_offline(False)
    ben.is_live()
    ben.sees(RED)


def test_a_killed_server_comes_back_with_everything(visit: Visit, server: Server) -> None:
    anna = visit()
    anna.aim()
    anna.place(RED_KEY)
    anna.is_waiting()
    server.kill()
    anna.is_in_phase("waiting")
    server.start()
    anna.is_live()
    anna.is_waiting()
    anna.press("Escape")
    anna.aim()
    anna.sees(RED)


def test_an_imported_picture_is_seen_without_a_reload(
    visit: Visit, server: Server, tmp_path: Path
) -> None:
    anna, ben = visit(), visit()
    anna.aim()
    ben.aim()
    picture = saved(tmp_path / "board.png", [[BLUE] * 480] * 300)
    colors = tmp_path / "colors.txt"
    colors.write_text(f"{BLUE} sky\n{RED} sun\n#FFFFFF cloud\n")
    server.import_picture(picture, "--palette", str(colors))
    anna.sees(BLUE)
    ben.sees(BLUE)
    expect(ben.page.locator(".swatch:enabled")).to_have_count(3)
    anna.place("2")
    ben.sees(RED)
    assert anna.console == ben.console == []


def test_every_part_is_in_sight_on_every_screen(visit: Visit) -> None:
    page = visit().page
    swatches = (".swatch:first-child", ".swatch:last-child")
    for width, height in ((320, 568), (375, 812), (740, 360), (3840, 2160)):
        page.set_viewport_size({"width": width, "height": height})
        for part in ("#status", "#zoom", "#dock", "#place", *swatches):
            box = page.locator(part).bounding_box()
            assert box is not None
            assert min(box["x"], box["y"]) >= 0, part
            assert box["x"] + box["width"] <= width, part
            assert box["y"] + box["height"] <= height, part


def test_nothing_is_asked_of_other_origins_and_scripts_are_kept_strict(
    visit: Visit, server: Server
) -> None:
    anna = visit()
    assert anna.requests
    assert all(url.startswith(server.url) for url in anna.requests)
    policy = anna.page.request.get(server.url).headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
