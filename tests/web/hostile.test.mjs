// What a server may say that no server should: it costs the line, and the program goes on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { askedMs } from "../../server/web/client/backoff.js";
import { Board, Identity, Player } from "../../server/web/client/index.js";
import { World, bandFrame, frame, gameState, pixelsFrame, settle } from "./support.mjs";
import { BAND, SNAPSHOT, answer, joined } from "./visit.mjs";

const FILE = new URL("../../docs/reference/vectors/conversations.json", import.meta.url);
const { conversations } = JSON.parse(readFileSync(FILE, "utf8"));
const ROUNDS = 400;
const EVIL = [null, true, -1, 0, 1, 1.5, 2 ** 31, 2 ** 53, 1e30, 1e308, "", "x", "9".repeat(5_000), [], {}, [1], [null], { a: 1 }];

/** The same numbers for the same seed (mulberry32). */
function chanceOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const places = (value) =>
  value === null || typeof value !== "object"
    ? []
    : Object.keys(value).flatMap((key) => [[value, key], ...places(value[key])]);

function spoilt(message, chance) {
  const copy = structuredClone(message);
  const found = places(copy);
  const [holder, key] = found[Math.floor(chance() * found.length)];
  if (chance() < 0.2) delete holder[key];
  else holder[key] = EVIL[Math.floor(chance() * EVIL.length)];
  return copy;
}

function broken(hex, chance) {
  const bytes = new Uint8Array(frame(hex));
  bytes[Math.floor(chance() * bytes.length)] = Math.floor(chance() * 256);
  return chance() < 0.3 ? bytes.slice(0, chance() * bytes.length).buffer : bytes.buffer;
}

function player(world) {
  const made = new Player({
    ...{ openSocket: world.openSocket, setTimer: world.setTimer, clearTimer: world.clearTimer },
    ...{ now: world.now, random: world.random, game: "place#main", drawRequest: () => 1 },
    identity: new Identity(() => undefined),
    inflate: async (deflated) => new Uint8Array(inflateRawSync(deflated)),
  });
  made.start();
  return made;
}

/** Say every message of a conversation, some of them spoilt; a dropped line is one that is opened anew. */
async function converse({ steps }, chance) {
  const world = new World();
  const client = player(world);
  world.socket.open();
  for (const { toClient: said } of steps.filter((step) => "toClient" in step)) {
    const isEvil = chance() < 0.35;
    const { id } = world.socket.commands.at(-1) ?? {};
    const message = said.re === undefined ? said : { ...said, re: id };
    if (typeof said === "string") world.socket.says(isEvil ? broken(said, chance) : frame(said));
    else world.socket.says(isEvil ? spoilt(message, chance) : message);
    await settle();
    if (world.socket.readyState === 3) world.pass(90_000_000);
    world.socket.open();
  }
  client.close();
}

test("nothing that a server says ends the program", async () => {
  for (let seed = 0; seed < ROUNDS; seed++) {
    const chance = chanceOf(seed);
    await converse(conversations[Math.floor(chance() * conversations.length)], chance);
  }
});

const NUMBERED = { game: "place#main", seq: 11 };
const BREACHES = {
  "a board that grows beyond measure": { ...NUMBERED, event: "resize", generation: 1, width: 2 ** 40, height: 2, shiftX: 0, shiftY: 0 },
  "a board that shrinks": { ...NUMBERED, event: "resize", generation: 1, width: 3, height: 2, shiftX: 0, shiftY: 0 },
  "a fill beyond the board": { ...NUMBERED, event: "fill", x1: 0, y1: 0, x2: 2 ** 40, y2: 1, color: 1 },
  "a fill in no colour": { ...NUMBERED, event: "fill", x1: 0, y1: 0, x2: 1, y2: 1, color: 16 },
  "cells that are no base64": { ...NUMBERED, event: "cells", records: "*" },
  "a refusal without an error": { re: 1, ok: false },
};

for (const [what, message] of Object.entries(BREACHES)) {
  test(`${what}: the line is left, the board stays, and the reason is told`, async () => {
    const { world, client, told } = await joined();
    const before = client.board.crc32();
    world.socket.says(message);
    const [, status] = told.findLast(([name]) => name === "status");
    assert.deepEqual([status.phase, client.position.seq, client.board.crc32()], ["waiting", 10, before]);
    assert.notEqual(status.reason, "");
    world.pass(1_000);
    assert.equal(world.sockets.length, 2);
  });
}

const SNAPSHOTS = {
  "of no possible size": [{ ...SNAPSHOT, width: 2 ** 40 }, BAND],
  "without cells": [{ ...SNAPSHOT, height: 0 }, BAND],
  "with a row twice": [SNAPSHOT, bandFrame({ seq: 10, firstRow: 0, rows: 1, payload: [1, 2] }), BAND],
  "with rows beyond it": [SNAPSHOT, bandFrame({ seq: 10, firstRow: 2, rows: 1, payload: [1, 2] })],
  "with a band of nothing": [SNAPSHOT, bandFrame({ seq: 10, firstRow: 0, rows: 0, payload: [] })],
};

for (const [what, messages] of Object.entries(SNAPSHOTS)) {
  test(`a snapshot ${what} costs the line`, async () => {
    const world = new World();
    const client = player(world);
    world.socket.hello(3_600_000);
    await answer(world, gameState());
    const former = world.socket;
    for (const message of messages.slice(0, -1)) former.says(message);
    former.says(messages.at(-1));
    await settle();
    assert.equal(former.readyState, 3);
    assert.equal(client.board, null);
  });
}

test("what is kept for a board that never comes is bounded", async () => {
  const world = new World();
  player(world);
  world.socket.hello(3_600_000);
  await answer(world, gameState());
  for (let seq = 11; seq <= 4_106; seq++) world.socket.says(pixelsFrame({ first: seq, records: [1] }));
  assert.equal(world.socket.commands.at(-1).do, "subscribe");
  world.socket.says(pixelsFrame({ first: 4_107, records: [1] }));
  assert.equal(world.socket.commands.at(-1).do, "resync");
});

test("a delay is kept within reason, and what is none is left alone", () => {
  assert.deepEqual([-5, 250, 1e308].map(askedMs), [0, 250, 86_400_000]);
  assert.deepEqual(["9", null, undefined, {}].map(askedMs), [undefined, undefined, undefined, undefined]);
});

test("a fill and a growth that do not fit are refused", () => {
  const board = Board.filled(4, 2, 15);
  assert.throws(() => board.fill(0, 0, 4, 1, 1), RangeError);
  assert.throws(() => board.grown(4, 2, 1, 0, 15), RangeError);
  assert.equal(board.grown(8_192, 2, 0, 0, 15).width, 8_192);
});

test("what a listener throws is the program's, and the line stays", async (t) => {
  const { world, client } = await joined();
  const uncaught = [];
  t.mock.method(globalThis, "queueMicrotask", (act) => uncaught.push(act));
  client.on("notice", () => {
    throw new TypeError("a mistake of the listener's");
  });
  world.socket.says({ event: "notice", text: "hello", level: "info" });
  assert.throws(uncaught[0], /a mistake/);
  assert.equal(world.socket.readyState, 1);
});
