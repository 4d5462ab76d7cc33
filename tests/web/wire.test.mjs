import assert from "node:assert/strict";
import { test } from "node:test";
import {
  WireError,
  decode,
  encodePlace,
  packRecord,
  recordColor,
  recordX,
  recordY,
} from "../../server/web/client/wire.js";
import { frame } from "./support.mjs";

test("a record holds x, y and colour in their bits", () => {
  assert.equal(packRecord(1, 2, 3), 1 + 2 * 2 ** 13 + 3 * 2 ** 26);
  const record = packRecord(8191, 8191, 63);
  assert.equal(record, 0xffffffff);
  assert.deepEqual([recordX(record), recordY(record), recordColor(record)], [8191, 8191, 63]);
});

test("a plain pixels frame", () => {
  const bytes = "01 00 0700 03000000 0500000000000000 0600000000000000 0140000c 02600010";
  const decoded = decode(frame(bytes));
  assert.deepEqual(
    { ...decoded, records: [...decoded.records] },
    {
      kind: "pixels",
      conflated: false,
      channel: 7,
      generation: 3,
      first: 5,
      last: 6,
      records: [packRecord(1, 2, 3), packRecord(2, 3, 4)],
    },
  );
});

test("a conflated frame covers more numbers than it has records", () => {
  const decoded = decode(frame("01 01 0700 00000000 0500000000000000 ff00000000000000 0140000c"));
  assert.deepEqual([decoded.conflated, decoded.first, decoded.last], [true, 5, 255]);
});

test("a band", () => {
  const decoded = decode(frame("02 01 0700 03000000 0900000000000000 02000000 04000000 aabb"));
  assert.deepEqual(
    { ...decoded, payload: [...decoded.payload] },
    {
      kind: "band",
      deflated: true,
      channel: 7,
      generation: 3,
      seq: 9,
      firstRow: 2,
      rows: 4,
      payload: [0xaa, 0xbb],
    },
  );
});

test("an ack, and a delay of all ones is for ever", () => {
  const head = "11 05 0700 78563412 0900000000000000 0140000c 0200 0300";
  const banned = decode(frame(`${head} ffffffffffffffff`));
  assert.deepEqual(banned, {
    kind: "ack",
    status: 5,
    code: "banned",
    channel: 7,
    request: 0x12345678,
    seq: 9,
    record: packRecord(1, 2, 3),
    index: 2,
    stackLeft: 3,
    leftMs: Infinity,
  });
  assert.equal(decode(frame(`${head} 00ca9a3b00000000`)).leftMs, 1_000_000_000);
});

test("a cooldown of 100 days fits (C46)", () => {
  const days = decode(frame("11 01 0700 00000000 0000000000000000 00000000 0000 0000 00f0fb0202000000"));
  assert.equal(days.leftMs, 100 * 86_400_000);
});

test("a place frame", () => {
  const encoded = new Uint8Array(encodePlace(7, 0xfedcba98, 3, [packRecord(1, 2, 3)]));
  assert.equal(Buffer.from(encoded).toString("hex"), "10000700" + "98badcfe" + "03000000" + "0140000c");
});

test("malformed frames are refused", () => {
  const malformed = [
    "",
    "01",
    "01 00 0700 03000000 0500000000000000 0600000000000000 0140000c",
    "01 00 0700 03000000 0500000000000000 0500000000000000 0140000c 02",
    "01 01 0700 03000000 0600000000000000 0500000000000000",
    "01 00 0700 03000000 0500000000000080 0500000000000080 0140000c",
    "02 02 0700 03000000 0900000000000000 02000000 04000000 aabb",
    "11 00 0700 78563412",
  ];
  for (const bytes of malformed) assert.throws(() => decode(frame(bytes)), WireError, bytes);
});

test("an op of a later version is left alone", () => {
  assert.equal(decode(frame("7f 00")), null);
});
