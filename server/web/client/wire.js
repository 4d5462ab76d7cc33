/**
 * The binary frames of protocol version 1: decodes what the server sends, encodes placements.
 * Pure: bytes to values and back; knows no socket and no board. A frame that breaks the protocol
 * throws `WireError`. Called by client.js and by tests.
 *
 * @typedef {{kind: "pixels", conflated: boolean, channel: number, generation: number,
 *   first: number, last: number, records: Uint32Array}} PixelsFrame
 * @typedef {{kind: "band", deflated: boolean, channel: number, generation: number, seq: number,
 *   firstRow: number, rows: number, payload: Uint8Array<ArrayBuffer>}} BandFrame
 * @typedef {{kind: "ack", status: number, code: string, channel: number, request: number,
 *   seq: number, record: number, index: number, stackLeft: number, leftMs: number}} AckFrame
 */

export const SUBPROTOCOL = "tesserae.v1";

const OP_PIXELS = 0x01;
const OP_BAND = 0x02;
const OP_PLACE = 0x10;
const OP_ACK = 0x11;
const CONFLATED = 1;
const HEADER_BYTES = 24;
const ACK_BYTES = 32;
const PLACE_HEADER_BYTES = 12;
const MAX_SAFE_HIGH = 0x1fffff;

export const ACCEPTED = 0;

/** What the status byte of an ack means. */
export const STATUS_CODES = Object.freeze({
  0: "accepted",
  1: "cooldown",
  2: "out-of-bounds",
  3: "bad-color",
  4: "locked",
  5: "banned",
  6: "spectator",
  7: "busy",
  8: "unknown-game",
  9: "rate",
  10: "ended",
  11: "masked",
  12: "stale-generation",
  13: "address-cooldown",
});

/** A frame that is not what the protocol says. */
export class WireError extends Error {}

/** @returns {number} the u32 record of one cell */
export const packRecord = (x, y, color) => (x | (y << 13) | (color << 26)) >>> 0;
export const recordX = (record) => record & 0x1fff;
export const recordY = (record) => (record >>> 13) & 0x1fff;
export const recordColor = (record) => record >>> 26;

/**
 * @param {ArrayBuffer} buffer one whole binary message
 * @returns {PixelsFrame | BandFrame | AckFrame | null} null for an op that we do not know
 */
export function decode(buffer) {
  if (buffer.byteLength === 0) throw new WireError("an empty binary frame");
  const view = new DataView(buffer);
  switch (view.getUint8(0)) {
    case OP_PIXELS:
      return decodePixels(view);
    case OP_BAND:
      return decodeBand(view);
    case OP_ACK:
      return decodeAck(view);
    default:
      return null;
  }
}

/** @returns {ArrayBuffer} a place frame (0x10) with 1 to 64 records */
export function encodePlace(channel, request, generation, records) {
  const buffer = new ArrayBuffer(PLACE_HEADER_BYTES + 4 * records.length);
  const view = new DataView(buffer);
  view.setUint8(0, OP_PLACE);
  view.setUint16(2, channel, true);
  view.setUint32(4, request, true);
  view.setUint32(8, generation, true);
  records.forEach((record, index) => {
    view.setUint32(PLACE_HEADER_BYTES + 4 * index, record, true);
  });
  return buffer;
}

/** @returns {Uint32Array} the records in little-endian bytes, at any alignment */
export function readRecords(view, offset = 0) {
  const size = view.byteLength - offset;
  if (size % 4 !== 0) throw new WireError("records are four bytes each");
  const records = new Uint32Array(size / 4);
  for (let k = 0; k < records.length; k++) records[k] = view.getUint32(offset + 4 * k, true);
  return records;
}

/** @returns {PixelsFrame} */
function decodePixels(view) {
  atLeast(view, HEADER_BYTES);
  const flags = view.getUint8(1);
  const first = readU64(view, 8);
  const last = readU64(view, 16);
  const records = readRecords(view, HEADER_BYTES);
  const conflated = flags === CONFLATED;
  if (flags > CONFLATED) throw new WireError(`a pixels frame with the reserved flags ${flags}`);
  checkSpan(first, last, records.length, conflated);
  const [channel, generation] = [view.getUint16(2, true), view.getUint32(4, true)];
  return { kind: "pixels", conflated, channel, generation, first, last, records };
}

function checkSpan(first, last, count, conflated) {
  const span = last - first + 1;
  if (span < 1) throw new WireError("a pixels frame that ends before it begins");
  if (conflated ? count > span : count !== span) {
    throw new WireError(`a pixels frame with ${count} records for seq ${first} to ${last}`);
  }
}

/** @returns {BandFrame} */
function decodeBand(view) {
  atLeast(view, HEADER_BYTES);
  const encoding = view.getUint8(1);
  if (encoding > 1) throw new WireError(`unknown band encoding ${encoding}`);
  return {
    kind: "band",
    deflated: encoding === 1,
    channel: view.getUint16(2, true),
    generation: view.getUint32(4, true),
    seq: readU64(view, 8),
    firstRow: view.getUint32(16, true),
    rows: view.getUint32(20, true),
    payload: new Uint8Array(view.buffer, HEADER_BYTES),
  };
}

/** @returns {AckFrame} */
function decodeAck(view) {
  if (view.byteLength !== ACK_BYTES) throw new WireError("an ack has 32 bytes");
  const status = view.getUint8(1);
  return {
    kind: "ack",
    status,
    code: STATUS_CODES[status] ?? `status-${status}`,
    channel: view.getUint16(2, true),
    request: view.getUint32(4, true),
    seq: readU64(view, 8),
    record: view.getUint32(16, true),
    index: view.getUint16(20, true),
    stackLeft: view.getUint16(22, true),
    leftMs: readDelay(view, 24),
  };
}

function atLeast(view, bytes) {
  if (view.byteLength < bytes) throw new WireError("a frame shorter than its header");
}

function readU64(view, offset) {
  const high = view.getUint32(offset + 4, true);
  if (high > MAX_SAFE_HIGH) throw new WireError("a number past 2^53");
  return high * 2 ** 32 + view.getUint32(offset, true);
}

/** All ones stand for ever; anything else past 2^53 is as good as that. */
function readDelay(view, offset) {
  const high = view.getUint32(offset + 4, true);
  return high > MAX_SAFE_HIGH ? Infinity : readU64(view, offset);
}
