/**
 * Draws one frame: the board's tiles, the grid when cells are large, unanswered placements and
 * the aimed cell. Works in device pixels, so that edges are sharp on every screen. Decides
 * nothing and keeps nothing but a scratch canvas. Called by stage.js.
 *
 * @typedef {{viewport: import("./viewport.js").Viewport, ratio: number,
 *   aim: {x: number, y: number} | null, aimColor: string | null,
 *   placements: Array<{x: number, y: number, color: number}>, colors: string[]}} Scene
 */

import { TILE } from "./tiles.js";

const GRID_FROM_PX = 9;
const GRID_FULL_PX = 20;
const AIM_FROM_PX = 3;
/** Between these scales a cell is no whole number of pixels and the difference would be seen. */
const EVEN_FROM = 1;
const EVEN_UNTIL = 6;

export class Painter {
  #context;
  #tiles;
  #scratch = document.createElement("canvas");

  /** @param {HTMLCanvasElement} canvas  @param {import("./tiles.js").Tiles} tiles */
  constructor(canvas, tiles) {
    this.#context = canvas.getContext("2d");
    this.#tiles = tiles;
  }

  /** @param {Scene} scene */
  paint(scene) {
    const { canvas } = this.#context;
    this.#context.clearRect(0, 0, canvas.width, canvas.height);
    const frame = new Frame(scene, canvas);
    this.#paintShadow(frame);
    if (frame.isEmpty) return;
    this.#paintBoard(frame);
    this.#paintPlacements(frame, scene);
    this.#paintGrid(frame, scene.viewport.scale);
    if (scene.aim !== null) this.#paintAim(frame, scene);
  }

  #paintShadow({ left, top, right, bottom }) {
    const context = this.#context;
    context.save();
    context.shadowColor = "rgb(0 0 0 / 22%)";
    context.shadowBlur = 36;
    context.shadowOffsetY = 10;
    context.fillStyle = "#fff";
    context.fillRect(left, top, right - left, bottom - top);
    context.restore();
  }

  /** Uneven scales go through a scratch canvas of whole ones: cells stay sharp and equal. */
  #paintBoard(frame) {
    const { scale } = frame;
    const isEven = Number.isInteger(scale) || scale < EVEN_FROM || scale > EVEN_UNTIL;
    if (isEven) this.#paintTiles(this.#context, frame, frame.toX, frame.toY);
    else this.#paintEvenly(frame, Math.ceil(scale));
  }

  #paintEvenly(frame, whole) {
    const { x1, y1, x2, y2 } = frame.cells;
    const scratch = this.#scratch;
    scratch.width = (x2 - x1) * whole;
    scratch.height = (y2 - y1) * whole;
    const context = scratch.getContext("2d");
    this.#paintTiles(context, frame, (x) => (x - x1) * whole, (y) => (y - y1) * whole);
    const [left, top] = [frame.exactX(x1), frame.exactY(y1)];
    this.#context.imageSmoothingEnabled = true;
    this.#context.imageSmoothingQuality = "high";
    this.#context.drawImage(scratch, left, top, frame.exactX(x2) - left, frame.exactY(y2) - top);
  }

  #paintTiles(context, { scale, level, cells }, toX, toY) {
    context.imageSmoothingEnabled = scale < 1;
    const span = TILE << level;
    for (let row = Math.floor(cells.y1 / span); row * span < cells.y2; row++) {
      for (let column = Math.floor(cells.x1 / span); column * span < cells.x2; column++) {
        const tile = this.#tiles.at(level, column, row);
        const [x1, x2] = [Math.max(cells.x1, column * span), Math.min(cells.x2, (column + 1) * span)];
        const [y1, y2] = [Math.max(cells.y1, row * span), Math.min(cells.y2, (row + 1) * span)];
        const texel = (cell, tileAt) => (cell - tileAt * span) / (1 << level);
        const [fromX, fromY] = [texel(x1, column), texel(y1, row)];
        const [wide, high] = [texel(x2, column) - fromX, texel(y2, row) - fromY];
        const [left, top] = [toX(x1), toY(y1)];
        context.drawImage(tile, fromX, fromY, wide, high, left, top, toX(x2) - left, toY(y2) - top);
      }
    }
  }

  #paintPlacements(frame, { placements, colors }) {
    for (const { x, y, color } of placements) {
      const [left, top] = [frame.toX(x), frame.toY(y)];
      this.#context.fillStyle = colors[color];
      this.#context.fillRect(left, top, frame.toX(x + 1) - left, frame.toY(y + 1) - top);
    }
  }

  #paintGrid({ cells, toX, toY }, cssScale) {
    if (cssScale < GRID_FROM_PX) return;
    const context = this.#context;
    const strength = Math.min(1, (cssScale - GRID_FROM_PX) / (GRID_FULL_PX - GRID_FROM_PX));
    context.fillStyle = `rgb(120 128 140 / ${0.12 + 0.2 * strength})`;
    const [left, top] = [toX(cells.x1), toY(cells.y1)];
    const [wide, high] = [toX(cells.x2) - left, toY(cells.y2) - top];
    for (let x = cells.x1 + 1; x < cells.x2; x++) context.fillRect(toX(x), top, 1, high);
    for (let y = cells.y1 + 1; y < cells.y2; y++) context.fillRect(left, toY(y), wide, 1);
  }

  /** Two rings, light and dark, so that the cell stands out on any colour. */
  #paintAim(frame, { aim, aimColor, viewport, ratio }) {
    if (viewport.scale < AIM_FROM_PX) return;
    const context = this.#context;
    const [left, top] = [frame.toX(aim.x), frame.toY(aim.y)];
    const size = frame.toX(aim.x + 1) - left;
    if (aimColor !== null) {
      context.fillStyle = aimColor;
      context.fillRect(left, top, size, size);
    }
    const width = Math.max(1, Math.round(ratio * Math.min(2, viewport.scale / 6)));
    ring(context, "rgb(255 255 255 / 95%)", left, top, size, width, width);
    ring(context, "rgb(15 18 25 / 85%)", left, top, size, 2 * width, width);
  }
}

function ring(context, style, left, top, size, out, width) {
  context.strokeStyle = style;
  context.lineWidth = width;
  context.beginPath();
  const edge = out - width / 2;
  context.roundRect(left - edge, top - edge, size + 2 * edge, size + 2 * edge, out);
  context.stroke();
}

/** Where things lie in one frame, in device pixels. */
class Frame {
  constructor({ viewport, ratio }, canvas) {
    const { boardWidth, boardHeight } = viewport;
    this.scale = viewport.scale * ratio;
    this.exactX = (x) => viewport.x * ratio + x * this.scale;
    this.exactY = (y) => viewport.y * ratio + y * this.scale;
    this.toX = (x) => Math.round(this.exactX(x));
    this.toY = (y) => Math.round(this.exactY(y));
    this.level = Math.max(0, Math.floor(-Math.log2(this.scale)));
    this.left = this.toX(0);
    this.top = this.toY(0);
    this.right = this.toX(boardWidth);
    this.bottom = this.toY(boardHeight);
    this.cells = {
      x1: Math.max(0, Math.floor(-this.exactX(0) / this.scale)),
      y1: Math.max(0, Math.floor(-this.exactY(0) / this.scale)),
      x2: Math.min(boardWidth, Math.ceil((canvas.width - this.exactX(0)) / this.scale)),
      y2: Math.min(boardHeight, Math.ceil((canvas.height - this.exactY(0)) / this.scale)),
    };
  }

  get isEmpty() {
    return this.cells.x1 >= this.cells.x2 || this.cells.y1 >= this.cells.y2;
  }
}
