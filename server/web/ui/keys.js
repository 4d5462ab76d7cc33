/**
 * The keyboard: arrows aim (or pan while cells are too small), plus and minus zoom, 0 fits,
 * Enter and Space place, digits and letters pick colours, Escape lets go. Called by main.js.
 */

const PAN_PX = 80;
const ZOOM_STEP = 1.5;
const FAR_STEP = 10;

/** The key of each colour, by its place in the palette. */
export const COLOR_KEYS = "123456789qwertyu";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Keys {
  #stage;
  #hand;
  #acts = {
    "+": () => this.#stage.zoomBy(ZOOM_STEP),
    "=": () => this.#stage.zoomBy(ZOOM_STEP),
    "-": () => this.#stage.zoomBy(1 / ZOOM_STEP),
    _: () => this.#stage.zoomBy(1 / ZOOM_STEP),
    0: () => this.#stage.fit(),
    Escape: () => this.#hand.letGo(),
  };

  /** @param {import("./stage.js").Stage} stage  @param {import("./hand.js").Hand} hand */
  constructor(stage, hand) {
    this.#stage = stage;
    this.#hand = hand;
    document.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** Who writes a name means letters, and no colours. */
  #pressed(event) {
    if (event.target instanceof HTMLInputElement) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.#acts[event.key] ?? this.#colorAct(event.key) ?? this.#boardAct(event);
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  #colorAct(key) {
    const index = key.length === 1 ? COLOR_KEYS.indexOf(key.toLowerCase()) : -1;
    return index < 0 ? undefined : () => this.#hand.pick(index);
  }

  /** Buttons keep their own Enter, Space and arrows. */
  #boardAct(event) {
    if (event.target instanceof HTMLButtonElement) return undefined;
    if (event.key === "Enter" || event.key === " ") return () => this.#hand.placeAtAim();
    const arrow = ARROWS[event.key];
    return arrow && (() => this.#arrow(arrow, event.shiftKey ? FAR_STEP : 1));
  }

  #arrow([dx, dy], step) {
    const stage = this.#stage;
    if (stage.board === null) return;
    if (stage.viewport.isFar) return stage.panBy(-dx * PAN_PX, -dy * PAN_PX);
    const { width, height } = stage.viewport;
    const from = stage.aim ?? stage.cellAt(width / 2, height / 2) ?? { x: 0, y: 0 };
    const within = (at, size) => Math.min(Math.max(at, 0), size - 1);
    const isFirst = stage.aim === null;
    const x = within(from.x + (isFirst ? 0 : dx * step), stage.board.width);
    const y = within(from.y + (isFirst ? 0 : dy * step), stage.board.height);
    stage.aimAt({ x, y }, "keys");
    stage.reveal({ x, y });
  }
}
