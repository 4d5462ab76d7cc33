import assert from "node:assert/strict";
import { test } from "node:test";
import { Board } from "../../server/web/client/board.js";
import { GameSync, isNumbered } from "../../server/web/client/sync.js";
import { decode, packRecord } from "../../server/web/client/wire.js";
import { bandFrame, gameState, pixelsFrame, settle } from "./support.mjs";

const SNAPSHOT = { event: "snapshot", game: "place#main", epoch: "e1", seq: 10, generation: 0, width: 4, height: 2, bytes: 4, bands: 2 };

function begin() {
  const told = [];
  const observer = {
    cellsChanged: (records) => told.push(["cells", ...records]),
    boardReplaced: ({ shiftX, shiftY }) => told.push(["board", shiftX, shiftY]),
    settingsChanged: ({ locked }) => told.push(["settings", locked]),
    progressed: (done, total) => told.push(["progress", done, total]),
    needsResync: (since) => told.push(["resync", since?.seq]),
  };
  const sync = new GameSync(observer, async (payload) => payload.map((byte) => byte ^ 0xff));
  return { sync, told };
}

const bands = [
  bandFrame({ seq: 10, firstRow: 0, rows: 1, payload: [0x12, 0x34] }),
  bandFrame({ seq: 10, firstRow: 1, rows: 1, payload: [0x56, 0x78] }),
];
const pixels = (first, records, more = {}) => decode(pixelsFrame({ first, records, ...more }));
const cell = (x, y, color) => packRecord(x, y, color);

async function synced() {
  const { sync, told } = begin();
  sync.adopt(gameState());
  sync.snapshotBegan(SNAPSHOT);
  for (const band of bands) sync.bandArrived(decode(band));
  await settle();
  told.length = 0;
  return { sync, told };
}

test("a snapshot is shown once its last band is there", async () => {
  const { sync, told } = begin();
  sync.adopt(gameState());
  sync.snapshotBegan(SNAPSHOT);
  sync.bandArrived(decode(bands[0]));
  assert.equal(sync.board, null);
  sync.bandArrived(decode(bands[1]));
  await settle();
  assert.equal(Buffer.from(sync.board.packed).toString("hex"), "12345678");
  assert.deepEqual(sync.position, { epoch: "e1", seq: 10 });
  assert.deepEqual(told, [["progress", 1, 2], ["progress", 2, 2], ["board", 0, 0]]);
});

test("deflated bands are unpacked, and what comes meanwhile follows (C3)", async () => {
  const { sync } = begin();
  sync.adopt(gameState());
  sync.snapshotBegan({ ...SNAPSHOT, bands: 1 });
  const payload = [0xed, 0xcb, 0xa9, 0x87];
  sync.bandArrived(decode(bandFrame({ seq: 10, firstRow: 0, rows: 2, payload, encoding: 1 })));
  sync.pixelsArrived(pixels(9, [cell(0, 0, 9), cell(0, 0, 9)]));
  sync.pixelsArrived(pixels(11, [cell(3, 1, 0)]));
  sync.numberedArrived({ event: "settings", game: "place#main", seq: 12, locked: true });
  await settle();
  assert.equal(Buffer.from(sync.board.packed).toString("hex"), "12345670");
  assert.equal(sync.seq, 12);
});

test("a snapshot that does not fit is asked for again", async () => {
  const { sync, told } = begin();
  sync.adopt(gameState());
  sync.snapshotBegan({ ...SNAPSHOT, bands: 1 });
  sync.bandArrived(decode(bandFrame({ seq: 10, firstRow: 0, rows: 2, payload: [1] })));
  await settle();
  assert.deepEqual([sync.board, told.at(-1)], [null, ["resync", undefined]]);
});

test("old frames are ignored, overlapping ones applied, gaps ask once for what is missing", async () => {
  const { sync, told } = await synced();
  sync.pixelsArrived(pixels(9, [cell(0, 0, 0), cell(0, 0, 0)]));
  assert.deepEqual([told, sync.board.get(0, 0)], [[], 1]);
  sync.pixelsArrived(pixels(10, [cell(0, 0, 3), cell(1, 0, 4)]));
  assert.deepEqual([sync.seq, sync.board.get(1, 0)], [11, 4]);
  sync.pixelsArrived(pixels(13, [cell(0, 0, 7)]));
  sync.pixelsArrived(pixels(14, [cell(0, 0, 7)]));
  assert.deepEqual(told.slice(1), [["resync", 11]]);
  assert.deepEqual([sync.seq, sync.board.get(0, 0)], [11, 3]);
});

test("one cached catch-up serves a client in the middle of it", async () => {
  const { sync } = await synced();
  sync.pixelsArrived(pixels(5, [cell(2, 0, 6), cell(3, 1, 6)], { last: 20, conflated: true }));
  assert.deepEqual([sync.seq, sync.board.get(2, 0)], [20, 6]);
});

test("a frame of another generation or outside the board asks for a resync", async () => {
  for (const frame of [pixels(11, [cell(0, 0, 1)], { generation: 1 }), pixels(11, [cell(4, 0, 1)])]) {
    const { sync, told } = await synced();
    sync.pixelsArrived(frame);
    assert.deepEqual([told, sync.seq], [[["resync", 10]], 10]);
  }
});

test("a growth moves the board before pixels outside the old one (C9)", async () => {
  const { sync, told } = await synced();
  const growth = { generation: 1, width: 6, height: 3, offsetX: 2, offsetY: 1, shiftX: 2, shiftY: 1 };
  sync.numberedArrived({ event: "resize", game: "place#main", seq: 11, ...growth });
  sync.pixelsArrived(pixels(12, [cell(5, 2, 3)], { generation: 1 }));
  assert.deepEqual(told.map(([name]) => name), ["board", "cells"]);
  assert.deepEqual([sync.board.get(2, 1), sync.board.get(0, 0), sync.board.get(5, 2)], [1, 15, 3]);
});

test("a snapshot after a growth that we slept through tells how far the cells moved", async () => {
  const { sync, told } = await synced();
  sync.adopt(gameState({ seq: 30, generation: 1, offsetX: 2, offsetY: 1 }));
  sync.snapshotBegan({ ...SNAPSHOT, seq: 30, generation: 1, width: 6, height: 3, bytes: 9, bands: 1 });
  const payload = Array.from({ length: 9 }, () => 0);
  sync.bandArrived(decode(bandFrame({ seq: 30, firstRow: 0, rows: 3, payload, generation: 1 })));
  await settle();
  assert.deepEqual(told.at(-1), ["board", 2, 1]);
});

test("numbered events: known ones are applied, unknown ones ask for a snapshot", async () => {
  const { sync, told } = await synced();
  const event = (name, seq, fields) => ({ event: name, game: "place#main", seq, ...fields });
  sync.numberedArrived(event("fill", 11, { generation: 0, x1: 0, y1: 0, x2: 1, y2: 1, color: 2 }));
  const records = Buffer.from(Uint32Array.of(cell(3, 0, 9)).buffer).toString("base64");
  sync.numberedArrived(event("cells", 12, { generation: 0, records }));
  sync.numberedArrived(event("settings", 12, { locked: true }));
  assert.equal(Buffer.from(sync.board.packed).toString("hex"), "22392278");
  sync.numberedArrived(event("base", 13, { generation: 0 }));
  assert.deepEqual(told.map(([name]) => name), ["board", "cells", "resync"]);
  assert.deepEqual(told.at(-1), ["resync", undefined]);
});

test("an imported picture asks for the board once, and what comes meanwhile follows it", async () => {
  const { sync, told } = await synced();
  sync.numberedArrived({ event: "base", game: "place#main", seq: 11, generation: 0 });
  sync.pixelsArrived(pixels(12, [cell(0, 0, 9)]));
  sync.adopt(gameState({ seq: 12 }));
  sync.snapshotBegan({ ...SNAPSHOT, seq: 12, bands: 1 });
  sync.pixelsArrived(pixels(13, [cell(3, 1, 4)]));
  sync.bandArrived(decode(bandFrame({ seq: 12, firstRow: 0, rows: 2, payload: [0x90, 0, 0, 0] })));
  await settle();
  assert.deepEqual(told.map(([name]) => name), ["resync", "progress", "board", "cells"]);
  assert.deepEqual([sync.seq, sync.board.get(0, 0), sync.board.get(3, 1)], [13, 9, 4]);
});

test("only events with a game and a seq are numbered, and some of those are not", () => {
  assert.ok(isNumbered({ event: "mystery", game: "place#main", seq: 4 }));
  for (const event of ["snapshot", "band", "game"]) assert.ok(!isNumbered({ event, game: "g", seq: 4 }));
  assert.ok(!isNumbered({ event: "watchers", game: "g" }));
  assert.ok(!isNumbered({ event: "presence", seq: 4 }));
});

test("a checksum that differs is mended by a snapshot, one from the future by a resync", async () => {
  const { sync, told } = await synced();
  sync.checked({ seq: 10, crc32: sync.board.crc32() });
  sync.checked({ seq: 9, crc32: 0 });
  assert.deepEqual(told, []);
  sync.checked({ seq: 10, crc32: 0 });
  sync.adopt(gameState({ resume: "current" }));
  sync.checked({ seq: 12, crc32: 0 });
  assert.deepEqual(told, [["resync", undefined], ["resync", 10]]);
});

test("a resume without a board, which should not be, asks for a snapshot", () => {
  const { sync, told } = begin();
  sync.adopt(gameState({ resume: "events" }));
  assert.deepEqual(told, [["resync", undefined]]);
});

test("a cut in the middle of a snapshot keeps the old board and position", async () => {
  const { sync } = await synced();
  sync.adopt(gameState({ seq: 40 }));
  sync.snapshotBegan({ ...SNAPSHOT, seq: 40 });
  sync.interrupted();
  sync.bandArrived(decode(bands[0]));
  assert.deepEqual(sync.position, { epoch: "e1", seq: 10 });
  assert.ok(sync.board instanceof Board);
});
