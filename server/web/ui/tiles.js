/**
 * The board as pictures: tiles of 512 × 512 texels, made when they are looked at and dropped when
 * they are not, so that an 8000 × 8000 board costs no more memory than a small one. A tile of
 * level k shows every 2^k-th cell. A few changed cells are painted one by one, many repaint the
 * tile. Reads the board, never writes it. Called by painter.js.
 *
 * @typedef {{canvas: HTMLCanvasElement, context: CanvasRenderingContext2D, level: number,
 *   left: number, top: number, dirty: number[], stale: boolean}} Tile
 */

import { recordX, recordY } from "../client/wire.js";

export const TILE = 512;
const MOST_TILES = 96;
const REPAINT_FROM = 1_500;

export class Tiles {
  #board = null;
  #palette = new Uint32Array(16);
  #styles = [];
  /** @type {Map<string, Tile>} in the order in which they were last looked at */
  #tiles = new Map();

  /** @param {string[]} colors CSS colours "#rrggbb" by index */
  setPalette(colors) {
    this.#styles = colors;
    this.#palette = Uint32Array.from(colors, toRgba);
    this.#forAll((tile) => (tile.stale = true));
  }

  /** @param {import("../client/board.js").Board} board */
  setBoard(board) {
    this.#board = board;
    this.#tiles.clear();
  }

  /** @param {Uint32Array} records */
  cellsChanged(records) {
    this.#forAll((tile) => mark(tile, records));
  }

  /**
   * @param {number} level  @param {number} column  @param {number} row of the tile
   * @returns {HTMLCanvasElement} up to date
   */
  at(level, column, row) {
    const key = `${level}/${column}/${row}`;
    const tile = this.#tiles.get(key) ?? makeTile(level, column, row);
    this.#tiles.delete(key);
    this.#tiles.set(key, tile);
    this.#refresh(tile);
    this.#dropUnseen();
    return tile.canvas;
  }

  #refresh(tile) {
    if (tile.stale) this.#repaint(tile);
    else if (tile.dirty.length > 0) this.#touchUp(tile);
    tile.stale = false;
    tile.dirty = [];
  }

  #touchUp({ context, level, left, top, dirty }) {
    for (const at of dirty) {
      const [x, y] = [at % TILE, Math.floor(at / TILE)];
      context.fillStyle = this.#styles[this.#board.get(left + (x << level), top + (y << level))];
      context.fillRect(x, y, 1, 1);
    }
  }

  #repaint({ canvas, context, level, left, top }) {
    const board = this.#board;
    const columns = Math.min(TILE, Math.ceil((board.width - left) / (1 << level)));
    const rows = Math.min(TILE, Math.ceil((board.height - top) / (1 << level)));
    const image = new ImageData(columns, rows);
    const texels = new Uint32Array(image.data.buffer);
    for (let y = 0, at = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++, at++) {
        texels[at] = this.#palette[board.get(left + (x << level), top + (y << level))];
      }
    }
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.putImageData(image, 0, 0);
  }

  #dropUnseen() {
    if (this.#tiles.size > MOST_TILES) this.#tiles.delete(this.#tiles.keys().next().value);
  }

  #forAll(act) {
    for (const tile of this.#tiles.values()) act(tile);
  }
}

function makeTile(level, column, row) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = TILE;
  const context = canvas.getContext("2d");
  const [left, top] = [(column * TILE) << level, (row * TILE) << level];
  return { canvas, context, level, left, top, dirty: [], stale: true };
}

/** Note which texels of a tile changed; past a bound the whole tile is stale. */
function mark(tile, records) {
  if (tile.stale) return;
  const { level, left, top, dirty } = tile;
  for (const record of records) {
    const x = (recordX(record) - left) >> level;
    const y = (recordY(record) - top) >> level;
    if (x >= 0 && y >= 0 && x < TILE && y < TILE) dirty.push(y * TILE + x);
  }
  tile.stale = dirty.length > REPAINT_FROM;
}

/** The bytes of an ImageData are R, G, B, A; a little-endian word holds them backwards. */
function toRgba(color) {
  const rgb = Number.parseInt(color.slice(1), 16);
  return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}
