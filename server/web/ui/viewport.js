/**
 * Where the board lies on the screen: one scale and one origin, in CSS pixels. Pure arithmetic:
 * fitting, zooming to a point, panning, clamping, and which cell lies where. Called by stage.js.
 *
 * @typedef {{top: number, right: number, bottom: number, left: number}} Insets
 * @typedef {{scale: number, x: number, y: number}} Place
 */

const MAX_SCALE = 64;
const SMALLEST_FIT = 0.5;
/** From this scale on cells are large enough to be aimed at. */
const NEAR_FROM_SCALE = 4;
/** So much of the board stays in sight, however far it is dragged. */
const KEPT_IN_SIGHT_PX = 80;

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

export class Viewport {
  width = 1;
  height = 1;
  boardWidth = 1;
  boardHeight = 1;
  scale = 1;
  x = 0;
  y = 0;

  /** @param {Insets} insets what floats over the board at each side */
  constructor(insets) {
    this.insets = insets;
  }

  /** @returns {Place} */
  get place() {
    return { scale: this.scale, x: this.x, y: this.y };
  }

  set place({ scale, x, y }) {
    Object.assign(this, { scale, x, y });
  }

  /** Whether cells are too small to be aimed at. */
  get isFar() {
    return this.scale < NEAR_FROM_SCALE;
  }

  /** @returns {Place} the whole board between the insets, sharp (a whole scale) where that fits well */
  fitted() {
    const { top, right, bottom, left } = this.insets;
    const [roomX, roomY] = [this.width - left - right, this.height - top - bottom];
    const scale = Math.min(roomX / this.boardWidth, roomY / this.boardHeight, MAX_SCALE / 2);
    return this.#centered(scale, left + roomX / 2, top + roomY / 2);
  }

  /** @returns {Place} zoomed by a factor, the point (px, py) staying where it is */
  zoomedAt(px, py, factor) {
    const scale = clamp(this.scale * factor, this.#minScale(), MAX_SCALE);
    const ratio = scale / this.scale;
    return this.clamped({ scale, x: px - (px - this.x) * ratio, y: py - (py - this.y) * ratio });
  }

  /** @returns {Place} a cell in the middle of what is free, at a scale */
  centeredOn(cell, scale) {
    const { top, right, bottom, left } = this.insets;
    const [midX, midY] = [(left + this.width - right) / 2, (top + this.height - bottom) / 2];
    const [x, y] = [midX - (cell.x + 0.5) * scale, midY - (cell.y + 0.5) * scale];
    return this.clamped({ scale, x, y });
  }

  /** @returns {Place} */
  panned(dx, dy) {
    return this.clamped({ scale: this.scale, x: this.x + dx, y: this.y + dy });
  }

  /** @returns {Place} moved by no more than is needed for a cell to be in sight */
  revealing(cell) {
    const { top, right, bottom, left } = this.insets;
    const [x, y] = [this.x + cell.x * this.scale, this.y + cell.y * this.scale];
    const dx = clamp(x, left, this.width - right - this.scale) - x;
    const dy = clamp(y, top, this.height - bottom - this.scale) - y;
    return this.panned(dx, dy);
  }

  /** The cells moved within the array (a growth to the left or up): what is seen stays put. */
  shift({ shiftX, shiftY }) {
    this.x -= shiftX * this.scale;
    this.y -= shiftY * this.scale;
  }

  /** @returns {{x: number, y: number} | null} the cell under a point */
  cellAt(px, py) {
    const [x, y] = [Math.floor((px - this.x) / this.scale), Math.floor((py - this.y) / this.scale)];
    const isInside = x >= 0 && y >= 0 && x < this.boardWidth && y < this.boardHeight;
    return isInside ? { x, y } : null;
  }

  /** @returns {Place} with enough of the board in sight to find it again */
  clamped({ scale, x, y }) {
    return {
      scale,
      x: this.#kept(x, this.boardWidth * scale, this.width),
      y: this.#kept(y, this.boardHeight * scale, this.height),
    };
  }

  #kept(at, size, room) {
    const kept = Math.min(KEPT_IN_SIGHT_PX, size, room / 2);
    return clamp(at, kept - size, room - kept);
  }

  #minScale() {
    return Math.min(1, this.fitted().scale * SMALLEST_FIT);
  }

  #centered(scale, midX, midY) {
    const [x, y] = [midX - (this.boardWidth * scale) / 2, midY - (this.boardHeight * scale) / 2];
    return { scale, x, y };
  }
}
