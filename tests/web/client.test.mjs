import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { Identity } from "../../server/web/client/identity.js";
import { decode, packRecord } from "../../server/web/client/wire.js";
import { ackFrame, gameState, pixelsFrame, settle } from "./support.mjs";
import { answer, begin, joined, memory, refuse } from "./visit.mjs";

const lastPlaced = (world) => new DataView(world.socket.frames.at(-1));

test("it subscribes as a guest, keeps the token, and comes back with token and position", async () => {
  const storage = memory();
  const { world, client } = await joined(storage);
  assert.deepEqual(world.socket.commands[0], {
    do: "subscribe",
    id: 1,
    guest: true,
    games: [{ game: "place#main", snapshot: "inline" }],
  });
  assert.ok(client.joined);
  world.socket.drops();
  world.pass(1_000);
  world.socket.hello();
  const { token, guest, games } = world.socket.commands[0];
  assert.deepEqual([token, guest, games[0].since], ["t1", undefined, { epoch: "e1", seq: 10 }]);
  assert.equal(storage.getItem("tesserae.token"), "t1");
});

test("blocked storage is no obstacle", async () => {
  const blocked = () => {
    throw new DOMException("denied", "SecurityError");
  };
  const identity = new Identity(blocked);
  assert.deepEqual(identity.claim(), { guest: true });
  identity.keep("t2");
  assert.deepEqual(identity.claim(), { token: "t2" });
});

test("a placement shows at once and goes when the stream or the ack brings it", async () => {
  const { world, client, told } = await joined();
  client.send(1, 0, 5);
  assert.equal(Buffer.from(world.socket.frames[0]).toString("hex"), "10000700" + "64000000" + "00000000" + "01000014");
  assert.deepEqual(client.placements.map(({ x, y, color }) => [x, y, color]), [[1, 0, 5]]);
  world.socket.says(pixelsFrame({ first: 11, records: [packRecord(1, 0, 5)] }));
  assert.deepEqual([client.placements, client.board.get(1, 0)], [[], 5]);
  world.socket.says(pixelsFrame({ first: 12, records: [packRecord(1, 0, 7)] }));
  world.socket.says(ackFrame({ status: 0, request: 100, seq: 11, record: packRecord(1, 0, 5), leftMs: 5_000 }));
  assert.equal(told.at(-1)[0], "placed");
  assert.equal(client.board.get(1, 0), 7);
  assert.equal(client.cooldown.leftMs, 5_000);
});

test("an ack that comes late does not take the pixel back (C16)", async () => {
  const { world, client } = await joined();
  client.send(1, 0, 5);
  world.socket.says(pixelsFrame({ first: 11, records: [packRecord(1, 0, 5)] }));
  world.pass(5_000);
  assert.equal(client.board.get(1, 0), 5);
  world.socket.says(ackFrame({ status: 0, request: 100, seq: 11, record: packRecord(1, 0, 5) }));
  assert.equal(client.board.get(1, 0), 5);
});

test("a refusal gives the cell back and tells what is left (C17)", async () => {
  const { world, client, told } = await joined();
  client.send(1, 0, 5);
  world.socket.says(ackFrame({ status: 1, request: 100, seq: 10, record: packRecord(1, 0, 2), leftMs: 700 }));
  assert.deepEqual([client.placements, client.board.get(1, 0)], [[], 2]);
  const [name, { code, leftMs }] = told.at(-1);
  assert.deepEqual([name, code, leftMs, client.cooldown.leftMs], ["refused", "cooldown", 700, 700]);
});

test("an unanswered placement is sent again after a cut, with its own number and generation (C69)", async () => {
  const { world, client } = await joined();
  client.send(1, 0, 5);
  const first = Buffer.from(world.socket.frames[0]).toString("hex");
  world.socket.drops();
  world.pass(1_000);
  world.socket.hello();
  await answer(world, gameState({ resume: "current" }));
  assert.equal(Buffer.from(lastPlaced(world).buffer).toString("hex"), first);
  world.socket.says(ackFrame({ status: 0, request: 100, seq: 11, record: packRecord(1, 0, 5) }));
  assert.deepEqual(client.placements, []);
});

test("one that the server may have forgotten is given up, not placed twice", async () => {
  const { world, client, told } = await joined();
  client.send(1, 0, 5);
  world.socket.drops();
  world.nowMs += 10 * 60_000;
  world.pass(1_000);
  world.socket.hello();
  await answer(world, gameState({ resume: "current" }));
  assert.equal(world.socket.frames.length, 0);
  const [, { code }] = told.findLast(([name]) => name === "refused");
  assert.equal(code, "lost");
});

test("placements follow a growth while they wait", async () => {
  const { world, client } = await joined();
  client.send(1, 0, 5);
  const growth = { generation: 1, width: 6, height: 3, offsetX: 2, offsetY: 1, shiftX: 2, shiftY: 1 };
  world.socket.says({ event: "resize", game: "place#main", seq: 11, ...growth });
  assert.deepEqual(client.placements.map(({ x, y }) => [x, y]), [[3, 1]]);
});

test("a gap asks for what is missing; settings change the game in place", async () => {
  const { world, client } = await joined();
  world.socket.says({ event: "settings", game: "place#main", seq: 11, locked: true, lockReason: "Tea", cooldown: { ms: 9_000 } });
  assert.deepEqual([client.game.locked, client.game.lockReason, client.cooldown.ms], [true, "Tea", 9_000]);
  assert.equal(client.game.cooldown.maxStack, 1);
  world.socket.says(pixelsFrame({ first: 20, records: [packRecord(0, 0, 1)] }));
  const ask = world.socket.commands.at(-1);
  assert.deepEqual([ask.do, ask.since], ["resync", { epoch: "e1", seq: 11 }]);
  world.socket.says({ re: ask.id, ok: true, ...gameState({ resume: "events", seq: 20 }) });
  await settle();
  world.socket.says(pixelsFrame({ first: 12, last: 20, conflated: true, records: [packRecord(0, 0, 3)] }));
  assert.deepEqual([client.position.seq, client.board.get(0, 0)], [20, 3]);
});

test("a resync refused for its rate is asked for again later", async () => {
  const { world } = await joined();
  world.socket.says({ event: "mystery", game: "place#main", seq: 11 });
  const ask = world.socket.commands.at(-1);
  world.socket.says({ re: ask.id, ok: false, error: { code: "rate", message: "Slow down.", retryAfterMs: 300 } });
  await settle();
  world.pass(300);
  const again = world.socket.commands.at(-1);
  assert.deepEqual([again.do, again.since, again.id > ask.id], ["resync", undefined, true]);
});

test("the board is checked every minute and mended when it is wrong", async () => {
  const { world } = await joined();
  const check = async (sum) => {
    world.pass(60_000);
    const ask = world.socket.commands.findLast((command) => command.do === "checksum");
    world.socket.says({ re: ask.id, ok: true, seq: 10, crc32: sum });
    await settle();
  };
  await check(crc32(Buffer.from("12345678", "hex")));
  const wasMended = () => world.socket.commands.some((command) => command.do === "resync");
  assert.ok(!wasMended());
  await check(1);
  assert.ok(wasMended());
});

test("a game that is not there is told, and so is a token that is refused", async () => {
  const { world, client, told } = begin();
  world.socket.hello();
  await answer(world, { game: "place#main", error: { code: "unknown-game", message: "No such game." } });
  assert.deepEqual(told.at(-1)[1], { phase: "absent", code: "unknown-game", message: "No such game." });
  world.socket.drops(4401, "token");
  assert.deepEqual(told.at(-1)[1], { phase: "stopped", code: 4401, reason: "token" });
  client.startOver();
  world.socket.hello();
  assert.equal(world.socket.commands[0].guest, true);
});

test("one who was too fast comes again as a guest", async () => {
  const { world } = begin();
  world.socket.hello();
  await refuse(world, { code: "rate", message: "Slow down.", retryAfterMs: 400 });
  world.pass(400);
  assert.equal(world.socket.commands.at(-1).guest, true);
});

test("presence and notices are passed on, frames of other channels are not", async () => {
  const { world, told, client } = await joined();
  world.socket.says({ event: "presence", type: "delta", seq: 2, joins: [], leaves: [], total: 5, spectators: 1 });
  world.socket.says({ event: "notice", text: "Hello", level: "info" });
  assert.deepEqual(told.map(([name]) => name), ["presence", "notice"]);
  const other = pixelsFrame({ first: 11, records: [packRecord(0, 0, 9)] });
  new DataView(other).setUint16(2, 8, true);
  world.socket.says(other);
  assert.equal(client.position.seq, 10);
  assert.equal(decode(other).channel, 8);
});

const ANN = { id: "g_1", name: "Ann", roles: ["player"], anonymous: false, expiresAt: 9_000, token: "t2" };

test("a rename keeps the new token and tells who we are", async () => {
  const storage = memory();
  const { world, client } = await joined(storage);
  const told = [];
  client.on("you", (you) => told.push(you.name));
  const renaming = client.rename("Ann");
  const { id, ...sent } = world.socket.commands.at(-1);
  assert.deepEqual(sent, { do: "rename", name: "Ann" });
  world.socket.says({ re: id, ok: true, ...ANN });
  await renaming;
  assert.deepEqual([client.you, told], [ANN, ["Ann"]]);
  assert.equal(storage.getItem("tesserae.token"), "t2");
});

test("a refused rename changes nothing and says why", async () => {
  const storage = memory();
  const { world, client } = await joined(storage);
  const renaming = client.rename("Admin");
  await Promise.all([
    assert.rejects(renaming, { name: "Error", code: "bad-request" }),
    refuse(world, { code: "bad-request", message: "name: no", field: "name" }),
  ]);
  assert.deepEqual([client.you.name, storage.getItem("tesserae.token")], ["Guest 1", "t1"]);
});

test("a rename on another line of ours is taken over, token and all", async () => {
  const storage = memory();
  const { world, client } = await joined(storage);
  world.socket.says({ event: "you", ...ANN });
  assert.deepEqual(client.you, ANN);
  world.socket.drops();
  world.pass(1_000);
  world.socket.hello();
  assert.equal(world.socket.commands[0].token, "t2");
});
