/**
 * The board on the screen: owns the canvas element, the viewport, the aimed cell and the moment
 * of drawing (once a frame, and only when something changed). Knows no network; what it shows is
 * given to it. Called by main.js, gestures.js, keys.js and hand.js.
 *
 * @typedef {{x: number, y: number}} Cell
 */

import { glide } from "./glide.js";
import { Painter } from "./painter.js";
import { Tiles } from "./tiles.js";
import { Viewport } from "./viewport.js";

/** Tells changes of the pixel ratio too, where the browser knows it. */
const SIZE_BOX =
  "devicePixelContentBoxSize" in ResizeObserverEntry.prototype
    ? "device-pixel-content-box"
    : "content-box";
const GLIDE_MS = 260;
const NEAR_SCALE = 24;

export class Stage {
  #canvas;
  #tiles = new Tiles();
  #painter;
  #ratio = 1;
  #colors = [];
  #placements = [];
  #aimColor = null;
  #frame = null;
  #glide = null;
  #isFitted = true;
  #calm = matchMedia("(prefers-reduced-motion: reduce)");

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {() => import("./viewport.js").Insets} insets what floats over the board
   * @param {{aimed: (cell: Cell | null) => void, moved: (viewport: Viewport) => void}} observer
   */
  constructor(canvas, insets, observer) {
    this.#canvas = canvas;
    this.#painter = new Painter(canvas, this.#tiles);
    this.insets = insets;
    this.observer = observer;
    this.viewport = new Viewport(insets());
    this.aim = null;
    this.aimedBy = null;
    this.board = null;
    new ResizeObserver(([entry]) => this.#measure(entry)).observe(canvas, { box: SIZE_BOX });
  }

  /** @param {string[]} colors "#rrggbb" by index */
  setColors(colors) {
    this.#colors = colors;
    this.#tiles.setPalette(colors);
    this.redraw();
  }

  /** @param {import("../client/board.js").Board} board  @param {{shiftX: number, shiftY: number}} shift */
  setBoard(board, shift) {
    const isFirst = this.board === null;
    this.board = board;
    this.#tiles.setBoard(board);
    Object.assign(this.viewport, { boardWidth: board.width, boardHeight: board.height });
    if (isFirst) this.viewport.place = this.#fitted();
    else this.#shift(shift);
    this.#moved();
  }

  cellsChanged(records) {
    this.#tiles.cellsChanged(records);
    this.redraw();
  }

  showPlacements(placements) {
    this.#placements = placements;
    this.redraw();
  }

  /** @param {string | null} color what the aimed cell is previewed in */
  previewIn(color) {
    this.#aimColor = color;
    this.redraw();
  }

  /** @param {Cell | null} cell  @param {"mouse" | "touch" | "keys"} by */
  aimAt(cell, by) {
    if (cell?.x === this.aim?.x && cell?.y === this.aim?.y) return;
    this.aim = cell;
    this.aimedBy = cell === null ? null : by;
    this.observer.aimed(cell);
    this.redraw();
  }

  cellAt(px, py) {
    return this.board === null ? null : this.viewport.cellAt(px, py);
  }

  panBy(dx, dy) {
    this.#jump(this.viewport.panned(dx, dy));
  }

  zoomAt(px, py, factor) {
    this.#jump(this.viewport.zoomedAt(px, py, factor));
  }

  /** Zoom gently, about the cell that the keys aim at or else about the middle. */
  zoomBy(factor) {
    const { viewport, aim } = this;
    const isKept = this.aimedBy === "keys";
    const x = isKept ? viewport.x + (aim.x + 0.5) * viewport.scale : viewport.width / 2;
    const y = isKept ? viewport.y + (aim.y + 0.5) * viewport.scale : viewport.height / 2;
    this.#glideTo(viewport.zoomedAt(x, y, factor));
  }

  fit() {
    this.#glideTo(this.#fitted());
    this.#isFitted = true;
  }

  /** Come close to a cell, so that it can be aimed at. */
  approach(cell) {
    this.#glideTo(this.viewport.centeredOn(cell, Math.max(NEAR_SCALE, this.viewport.scale)));
  }

  reveal(cell) {
    this.#jump(this.viewport.revealing(cell));
  }

  redraw() {
    this.#frame ??= requestAnimationFrame((nowMs) => this.#draw(nowMs));
  }

  #draw(nowMs) {
    this.#frame = null;
    if (this.#glide !== null) this.#step(nowMs);
    if (this.board === null) return;
    this.#painter.paint({
      viewport: this.viewport,
      ratio: this.#ratio,
      aim: this.aim,
      aimColor: this.#aimColor,
      placements: this.#placements,
      colors: this.#colors,
    });
  }

  #step(nowMs) {
    this.#glide.startMs ??= nowMs;
    const progress = Math.min(1, (nowMs - this.#glide.startMs) / GLIDE_MS);
    this.viewport.place = this.#glide.at(progress);
    if (progress === 1) this.#glide = null;
    this.#moved();
  }

  #glideTo(place) {
    if (this.board === null) return;
    if (this.#calm.matches) return this.#jump(place);
    const { width, height } = this.viewport;
    this.#isFitted = false;
    this.#glide = { at: glide(this.viewport.place, place, width / 2, height / 2), startMs: null };
    this.redraw();
  }

  #jump(place) {
    if (this.board === null) return;
    this.#glide = null;
    this.#isFitted = false;
    this.viewport.place = place;
    this.#moved();
  }

  /** What floats over the board may have another size by now. */
  #fitted() {
    this.viewport.insets = this.insets();
    return this.viewport.fitted();
  }

  #shift(shift) {
    this.#glide = null;
    this.viewport.shift(shift);
    this.viewport.place = this.viewport.clamped(this.viewport.place);
    if (this.aim !== null) this.aim = { x: this.aim.x + shift.shiftX, y: this.aim.y + shift.shiftY };
  }

  #moved() {
    this.observer.moved(this.viewport);
    this.redraw();
  }

  /** The element's size in device pixels; a board that was fitted stays fitted. */
  #measure({ contentRect: { width, height }, devicePixelContentBoxSize: exact }) {
    this.#canvas.width = exact?.[0].inlineSize ?? Math.round(width * devicePixelRatio);
    this.#canvas.height = exact?.[0].blockSize ?? Math.round(height * devicePixelRatio);
    this.#ratio = this.#canvas.width / width;
    Object.assign(this.viewport, { width, height });
    const place = this.#isFitted ? this.#fitted() : this.viewport.place;
    this.viewport.place = this.viewport.clamped(place);
    this.#moved();
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#draw(performance.now());
  }
}
