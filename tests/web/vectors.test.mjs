// The JavaScript client against the protocol vectors: frames, boards, and whole conversations.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import {
  Board,
  Identity,
  Player,
  WireError,
  crc32,
  decode,
  encodePlace,
  inflate,
  isNumbered,
  packRecord,
  recordColor,
  recordX,
  recordY,
} from "../../server/web/client/index.js";
import { packedBytes } from "../../server/web/client/board.js";
import { Connection } from "../../server/web/client/connection.js";
import { World, frame, settle } from "./support.mjs";

const FOLDER = new URL("../../docs/reference/vectors/", import.meta.url);
const load = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8"));
const hexOf = (bytes) => Buffer.from(bytes).toString("hex");
const cellOf = (record) => [recordX(record), recordY(record), recordColor(record)];
const [MOST_SECONDS, SILENCE_MS] = [60, 3_600_000];
/** The platform's own takes as many turns as it likes; it is tested with the boards below. */
const inflateAtOnce = async (deflated) => new Uint8Array(inflateRawSync(deflated));

/** A decoded frame in the words of the vectors. */
function fieldsOf({ kind, ...decoded }) {
  if (kind === "pixels") {
    const { records, ...rest } = decoded;
    return { kind, ...rest, cells: [...records].map(cellOf) };
  }
  if (kind === "band") {
    const { deflated, payload, ...rest } = decoded;
    return { kind, encoding: deflated ? "deflate-raw" : "raw", ...rest, payload: hexOf(payload) };
  }
  const { record, leftMs, ...rest } = decoded;
  return { kind, ...rest, cell: cellOf(record), leftMs: leftMs === Infinity ? null : leftMs };
}

const { frames } = load("frames");

for (const { name, hex, fields, ignored } of frames.filter(({ to }) => to === "client")) {
  test(`frame ${name}`, () => {
    if (fields !== undefined) assert.deepEqual(fieldsOf(decode(frame(hex))), fields);
    else if (ignored) assert.equal(decode(frame(hex)), null);
    else assert.throws(() => decode(frame(hex)), WireError);
  });
}

for (const { name, hex, fields } of frames.filter(({ to, fields }) => to === "server" && fields)) {
  test(`frame ${name}`, () => {
    const records = fields.cells.map((cell) => packRecord(...cell));
    assert.equal(hexOf(encodePlace(fields.channel, fields.request, fields.generation, records)), hex);
  });
}

test("records have their bits", () => {
  for (const { cell, record } of load("packing").records) {
    assert.deepEqual([packRecord(...cell), cellOf(record)], [record, cell]);
  }
});

for (const { name, width, height, rows, packed, crc32: sum, bands } of load("packing").boards) {
  test(`board ${name}`, async () => {
    const board = Board.filled(width, height, 0);
    for (const { firstRow, rows: count, encoding, payload, crc32: bandSum } of bands) {
      const bytes = new Uint8Array(frame(payload));
      const raw = encoding === "raw" ? bytes : await inflate(bytes, packedBytes(count * width));
      assert.equal(crc32(raw), bandSum);
      board.writeRows(firstRow, count, raw);
    }
    assert.deepEqual([hexOf(board.packed), board.crc32()], [packed, sum]);
    const colors = rows.map((row) => [...row].map((digit) => Number.parseInt(digit, 16)));
    colors.forEach((row, y) => row.forEach((color, x) => assert.equal(board.get(x, y), color)));
  });
}

const { events, closes } = load("events");

test("events are numbered or not", () => {
  // Only the binary form is spoken here: `pixels` never comes as an event.
  for (const { name, numbered, event } of events.filter((vector) => vector.event.event !== "pixels")) {
    assert.equal(isNumbered(event), numbered, name);
  }
});

for (const { code, comesBack, retryAfterMs } of closes) {
  test(`close ${code}`, () => {
    const world = new World();
    let status;
    const ignore = () => undefined;
    const handlers = { greeted: ignore, eventReceived: ignore, binaryReceived: ignore, lost: ignore };
    const connection = new Connection(world, { ...handlers, statusChanged: (now) => (status = now) });
    connection.connect();
    world.socket.hello();
    world.socket.says({ event: "closing", code, reason: "", retryAfterMs });
    world.socket.drops(code);
    assert.equal(status.phase, comesBack ? "waiting" : "stopped");
    if (comesBack) assert.ok(status.retryAtMs >= world.nowMs + (retryAfterMs ?? 0));
  });
}

const requestOf = (hex) => new DataView(frame(hex)).getUint32(4, true);

/** One conversation, with a real client on its side of it. */
class Replay {
  world = new World();
  ids = new Map();
  settled = [];

  constructor(steps) {
    this.steps = steps;
    const said = steps.map(({ fromClient, neverArrives }) => fromClient ?? neverArrives);
    const requests = [...new Set(said.filter((message) => typeof message === "string").map(requestOf))];
    const identity = new Identity(() => undefined);
    identity.keep("token-of-ann");
    const { openSocket, setTimer, clearTimer, now, random } = this.world;
    const around = { openSocket, setTimer, clearTimer, now, random, checkEveryMs: SILENCE_MS };
    const drawRequest = () => requests.shift();
    this.client = new Player({ ...around, game: "place#main", identity, inflate: inflateAtOnce, drawRequest });
    this.client.on("placed", ({ placement }) => this.settled.push([placement.request, "placed", undefined]));
    this.client.on("refused", ({ placement, code }) => this.settled.push([placement.request, "refused", code]));
  }

  async run() {
    for (const step of this.steps) {
      if (step.toClient === undefined) await settle();
      for (const key of Object.keys(step)) this[key]?.(step[key], step);
    }
    assert.deepEqual(this.unread(), []);
  }

  connect() {
    if (this.world.sockets.length === 0) this.client.start();
    else this.comeBack();
    this.read = 0;
    this.world.socket.open();
  }

  comeBack() {
    const { length } = this.world.sockets;
    for (let second = 0; second < MOST_SECONDS && this.world.sockets.length === length; second++) {
      this.world.pass(1_000);
    }
    assert.equal(this.world.sockets.length, length + 1);
  }

  cut() {
    this.world.socket.drops();
  }

  dropped() {
    assert.equal(this.world.socket.readyState, 3);
  }

  /** Many messages may come in one turn: Node's WebSocket hands over all that it has read. */
  toClient(message, { lost }) {
    if (lost) return;
    if (typeof message === "string") this.world.socket.says(frame(message));
    else if (message.event === "hello") this.world.socket.says({ ...message, pingMs: SILENCE_MS });
    else if ("re" in message) this.world.socket.says({ ...message, re: this.ids.get(message.re) ?? -1 });
    else this.world.socket.says(message);
  }

  unread() {
    return this.world.socket.sent.slice(this.read);
  }

  neverArrives(message) {
    this.fromClient(message);
  }

  fromClient(message) {
    if (message.do === "checksum") return;
    if (this.unread().length === 0) this.place(message);
    const said = this.unread()[0];
    this.read += 1;
    if (typeof message === "string") return assert.equal(hexOf(said), message);
    const command = JSON.parse(said);
    this.ids.set(message.id, command.id);
    assert.deepEqual(essence(command), essence(message));
  }

  /** A person places: the one thing that a client does not do by itself. */
  place(message) {
    const view = new DataView(frame(message));
    this.client.send(...cellOf(view.getUint32(12, true)));
  }

  settledBy({ request, outcome, code }) {
    const found = this.settled.find(([number]) => number === request);
    assert.deepEqual(found, [request, outcome, code]);
  }

  state(expected) {
    const { board, position } = this.client;
    const { generation, ...rest } = expected;
    const [packed, sum] = [hexOf(board.packed), board.crc32()];
    assert.deepEqual({ ...position, width: board.width, height: board.height, board: packed, crc32: sum }, rest);
    assert.equal(this.client.generation, generation);
  }
}

/** What a vector promises of a command; the rest is a client's choice. */
function essence({ id: _id, ...command }) {
  if (command.do !== "subscribe") return command;
  const games = command.games.map(({ game, since }) => ({ game, since }));
  return { do: "subscribe", token: command.token, games };
}

/** One placement a frame, in binary: that is what this client does. */
function canHold({ client = true, steps }) {
  const frames = steps.map(({ fromClient }) => fromClient).filter((message) => typeof message === "string");
  return client && steps[0].connect === "tesserae.v1" && frames.every((hex) => hex.length === 32);
}

for (const { name, steps } of load("conversations").conversations.filter(canHold)) {
  test(`conversation ${name}`, async () => {
    const told = steps.map(({ settled, ...step }) => (settled ? { settledBy: settled } : step));
    await new Replay(told).run();
  });
}
