import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 as zlibCrc32, deflateRawSync } from "node:zlib";
import { Board, packedBytes } from "../../server/web/client/board.js";
import { inflate } from "../../server/web/client/inflate.js";
import { packRecord } from "../../server/web/client/wire.js";

/** Cells that repeat only after a long while. */
const colorAt = (x, y) => (x * 7 + y * 11 + x * y) % 16;

function patterned(width, height) {
  const board = Board.filled(width, height, 15);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) board.set(x, y, colorAt(x, y));
  return board;
}

test("the high nibble comes first, rows are not padded, an odd end is padded with ones", () => {
  const board = Board.filled(3, 3, 0);
  board.set(0, 0, 1);
  board.set(1, 0, 2);
  board.set(2, 0, 3);
  board.set(0, 1, 4);
  board.set(2, 2, 9);
  assert.equal(Buffer.from(board.packed).toString("hex"), "123400009f");
});

test("every cell of odd and even boards keeps every colour (C50)", () => {
  for (const [width, height] of [[7, 3], [3, 7], [4, 2], [1, 1]]) {
    const board = Board.filled(width, height, 5);
    for (let color = 0; color < 16; color++) {
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          board.set(x, y, color);
          assert.equal(board.get(x, y), color);
        }
      }
    }
  }
});

test("the last write of a cell wins", () => {
  const board = Board.filled(4, 2, 15);
  board.apply(Uint32Array.of(packRecord(1, 1, 3), packRecord(0, 0, 2), packRecord(1, 1, 4)));
  assert.deepEqual([board.get(1, 1), board.get(0, 0), board.get(2, 1)], [4, 2, 15]);
});

test("records outside the board or its colours are not accepted", () => {
  const board = Board.filled(4, 2, 15);
  assert.ok(board.accepts(Uint32Array.of(packRecord(3, 1, 15))));
  for (const record of [packRecord(4, 0, 1), packRecord(0, 2, 1), packRecord(0, 0, 16)]) {
    assert.ok(!board.accepts(Uint32Array.of(record)));
  }
});

test("the sum is zlib's", () => {
  for (const [width, height] of [[7, 3], [64, 64], [33, 5]]) {
    const board = patterned(width, height);
    assert.equal(board.crc32(), zlibCrc32(board.packed));
  }
});

test("growth moves every cell and fills the rest, odd or even", () => {
  for (const [width, height] of [[4, 3], [5, 3]]) {
    for (const [shiftX, shiftY] of [[0, 0], [2, 1], [3, 2], [1, 0]]) {
      const [wide, high] = [width + shiftX + 2, height + shiftY + 1];
      const grown = patterned(width, height).grown(wide, high, shiftX, shiftY, 6);
      const old = (x, y) => x >= 0 && y >= 0 && x < width && y < height;
      for (let y = 0; y < high; y++) {
        for (let x = 0; x < wide; x++) {
          const [fromX, fromY] = [x - shiftX, y - shiftY];
          assert.equal(grown.get(x, y), old(fromX, fromY) ? colorAt(fromX, fromY) : 6);
        }
      }
      if ((wide * high) % 2 === 1) assert.equal(grown.packed.at(-1) & 0x0f, 0x0f);
    }
  }
});

test("rows are written as they are packed; wrong sizes are refused", () => {
  const whole = patterned(6, 4);
  const board = Board.filled(6, 4, 15);
  board.writeRows(2, 2, whole.packed.subarray(6));
  board.writeRows(0, 2, whole.packed.subarray(0, 6));
  assert.deepEqual(board.packed, whole.packed);
  assert.throws(() => board.writeRows(0, 2, new Uint8Array(5)), RangeError);
  assert.throws(() => board.writeRows(3, 2, new Uint8Array(6)), RangeError);
  assert.throws(() => new Board(6, 4, new Uint8Array(11)), RangeError);
});

test("a fill has both corners inside", () => {
  const board = Board.filled(4, 3, 15);
  board.fill(1, 1, 2, 2, 3);
  const cells = [board.get(0, 0), board.get(1, 1), board.get(2, 2), board.get(3, 2), board.get(1, 0)];
  assert.deepEqual(cells, [15, 3, 3, 15, 15]);
});

test("raw deflate unpacks to the size that is expected and no other", async () => {
  const { packed } = patterned(64, 32);
  const deflated = new Uint8Array(deflateRawSync(packed));
  assert.deepEqual(await inflate(deflated, packedBytes(64 * 32)), packed);
  await assert.rejects(inflate(deflated, packed.length - 1), RangeError);
  await assert.rejects(inflate(deflated, packed.length + 1), RangeError);
  await assert.rejects(inflate(new Uint8Array([255, 255]), 4));
});
