/**
 * Pointers and wheel on the board: drag to pan, wheel to zoom about the cursor, two fingers to
 * pinch, a press without a drag is a tap. Translates only; what a tap means is hand.js's.
 * Called by main.js.
 *
 * @typedef {{x: number, y: number}} Point
 */

const DRAG_FROM_PX = 5;
const DRAG_FROM_TOUCH_PX = 10;
const LINE_PX = 16;
const PAGE_PX = 400;
const WHEEL_RATE = 0.0016;
const PINCH_WHEEL_RATE = 0.01;

export class Gestures {
  /** @type {Map<number, Point>} */
  #pointers = new Map();
  #start = null;
  #isDrag = false;
  #canvas;
  #stage;
  #tapped;

  /**
   * @param {HTMLCanvasElement} canvas  @param {import("./stage.js").Stage} stage
   * @param {(cell: Point, isTouch: boolean) => void} tapped
   */
  constructor(canvas, stage, tapped) {
    this.#canvas = canvas;
    this.#stage = stage;
    this.#tapped = tapped;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", (event) => this.#cancel(event));
    canvas.addEventListener("pointerleave", (event) => this.#leave(event));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  #down(event) {
    if (event.button > 1) return;
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, pointOf(event));
    if (this.#pointers.size > 1) this.#isDrag = true;
    else [this.#start, this.#isDrag] = [pointOf(event), event.button === 1];
  }

  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    const point = pointOf(event);
    if (before !== undefined) this.#drag(event, before, point);
    if (event.pointerType === "mouse") this.#stage.aimAt(this.#stage.cellAt(point.x, point.y), "mouse");
  }

  #drag(event, before, point) {
    const slack = event.pointerType === "mouse" ? DRAG_FROM_PX : DRAG_FROM_TOUCH_PX;
    if (!this.#isDrag && distance(this.#start, point) < slack) return;
    if (!this.#isDrag) this.#canvas.classList.add("dragging");
    this.#isDrag = true;
    const other = this.#otherThan(event.pointerId);
    if (other !== undefined) this.#stage.zoomAt(other.x, other.y, spread(other, before, point));
    if (other === undefined) this.#stage.panBy(point.x - before.x, point.y - before.y);
    else this.#turn(other, before, point);
    this.#pointers.set(event.pointerId, point);
  }

  /** What a finger moves beside the stretch about the other one: the board follows its middle. */
  #turn(other, before, point) {
    const factor = spread(other, before, point);
    const kept = (at, from) => at + (from - at) * factor;
    const [x, y] = [kept(other.x, before.x), kept(other.y, before.y)];
    this.#stage.panBy((point.x - x) / 2, (point.y - y) / 2);
  }

  #up(event) {
    const isTap = this.#pointers.has(event.pointerId) && !this.#isDrag;
    this.#release(event);
    if (!isTap) return;
    const { x, y } = pointOf(event);
    const cell = this.#stage.cellAt(x, y);
    if (cell !== null) this.#tapped(cell, event.pointerType !== "mouse");
  }

  #cancel(event) {
    this.#release(event);
  }

  #release(event) {
    this.#pointers.delete(event.pointerId);
    if (this.#pointers.size === 0) this.#canvas.classList.remove("dragging");
  }

  #leave(event) {
    if (event.pointerType === "mouse" && this.#stage.aimedBy === "mouse") this.#stage.aimAt(null, "mouse");
  }

  /** A pinch on a touchpad arrives as a wheel with the control key. */
  #wheel(event) {
    event.preventDefault();
    const unit = [1, LINE_PX, PAGE_PX][event.deltaMode];
    const rate = event.ctrlKey ? PINCH_WHEEL_RATE : WHEEL_RATE;
    const { x, y } = pointOf(event);
    this.#stage.zoomAt(x, y, Math.exp(-event.deltaY * unit * rate));
    this.#stage.aimAt(this.#stage.cellAt(x, y), "mouse");
  }

  #otherThan(pointerId) {
    for (const [id, point] of this.#pointers) if (id !== pointerId) return point;
    return undefined;
  }
}

const pointOf = (event) => ({ x: event.offsetX, y: event.offsetY });
const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
const spread = (fixed, before, after) => distance(fixed, after) / Math.max(1, distance(fixed, before));
