/**
 * The board: colour indices of four bits each, two a byte, high nibble first, rows not padded;
 * exactly the bytes that the server stores and sums. Owns those bytes and nothing else; never
 * draws. Called by sync.js, which writes, and by the page's tiles, which read.
 */

import { crc32 } from "./crc32.js";
import { recordColor, recordX, recordY } from "./wire.js";

const PAD_NIBBLE = 0x0f;

/** No record could name a cell beyond it. */
const MAX_SIDE = 8_192;
const MAX_COLORS = 16;

/** @returns {boolean} whether boards can have this size */
export const isSize = (width, height) => [width, height].every(isSide);
const isSide = (side) => Number.isInteger(side) && side >= 1 && side <= MAX_SIDE;

export const packedBytes = (cells) => (cells + 1) >> 1;

export class Board {
  /**
   * @param {number} width
   * @param {number} height
   * @param {Uint8Array} packed ceil(width·height / 2) bytes
   */
  constructor(width, height, packed) {
    if (packed.length !== packedBytes(width * height)) {
      throw new RangeError(`${width} x ${height} cells do not fit ${packed.length} bytes`);
    }
    this.width = width;
    this.height = height;
    this.packed = packed;
  }

  /** A board of one colour. */
  static filled(width, height, color) {
    const packed = new Uint8Array(packedBytes(width * height)).fill((color << 4) | color);
    const board = new Board(width, height, packed);
    board.#pad();
    return board;
  }

  contains(x, y) {
    return Number.isInteger(x) && Number.isInteger(y) && x >= 0 && y >= 0 && x < this.width && y < this.height;
  }

  get(x, y) {
    const index = y * this.width + x;
    const byte = this.packed[index >> 1];
    return index & 1 ? byte & 0x0f : byte >> 4;
  }

  set(x, y, color) {
    const index = y * this.width + x;
    const at = index >> 1;
    const byte = this.packed[at];
    this.packed[at] = index & 1 ? (byte & 0xf0) | color : (byte & 0x0f) | (color << 4);
  }

  /** @param {Uint32Array} records in order; the last write of a cell wins */
  apply(records) {
    for (const record of records) this.set(recordX(record), recordY(record), recordColor(record));
  }

  /** @returns {boolean} whether every record lies on the board and has a colour of four bits */
  accepts(records) {
    return records.every(
      (record) => this.contains(recordX(record), recordY(record)) && recordColor(record) < MAX_COLORS,
    );
  }

  /** Both corners are inside, or a RangeError tells. */
  fill(x1, y1, x2, y2, color) {
    const isColor = Number.isInteger(color) && color >= 0 && color < MAX_COLORS;
    if (!isColor || !this.contains(x1, y1) || !this.contains(x2, y2)) {
      throw new RangeError(`a fill of ${x1},${y1} to ${x2},${y2} in colour ${color}`);
    }
    for (let y = y1; y <= y2; y++) {
      for (let x = x1; x <= x2; x++) this.set(x, y, color);
    }
  }

  /** Take the packed bytes of whole rows; `firstRow · width` is even. */
  writeRows(firstRow, rows, bytes) {
    const begin = firstRow * this.width;
    const size = packedBytes(rows * this.width);
    if (begin % 2 !== 0 || firstRow + rows > this.height || bytes.length !== size) {
      throw new RangeError(`rows ${firstRow} to ${firstRow + rows} do not fit the board`);
    }
    this.packed.set(bytes, begin / 2);
  }

  /** @returns {Board} a larger board, ours moved right and down by the shift, the rest `empty` */
  grown(width, height, shiftX, shiftY, empty) {
    const fits = [width - this.width - shiftX, height - this.height - shiftY, shiftX, shiftY].every((n) => n >= 0);
    if (!isSize(width, height) || !fits) {
      throw new RangeError(`${this.width} x ${this.height} cells cannot grow to ${width} x ${height}`);
    }
    const board = Board.filled(width, height, empty);
    for (let y = 0; y < this.height; y++) this.#copyRow(y, board, shiftX, y + shiftY);
    return board;
  }

  crc32() {
    return crc32(this.packed);
  }

  /** Whole bytes where both rows begin on one, cell by cell where they do not. */
  #copyRow(y, board, toX, toY) {
    const from = y * this.width;
    const to = toY * board.width + toX;
    const pairs = from % 2 === 0 && to % 2 === 0 ? this.width >> 1 : 0;
    board.packed.set(this.packed.subarray(from >> 1, (from >> 1) + pairs), to >> 1);
    for (let x = 2 * pairs; x < this.width; x++) board.set(toX + x, toY, this.get(x, y));
  }

  #pad() {
    if ((this.width * this.height) % 2 === 1) this.packed[this.packed.length - 1] |= PAD_NIBBLE;
  }
}
