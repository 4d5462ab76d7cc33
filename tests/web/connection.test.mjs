import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../server/web/client/backoff.js";
import { Connection } from "../../server/web/client/connection.js";
import { World } from "./support.mjs";

function begin() {
  const world = new World();
  const told = [];
  const connection = new Connection(world, {
    statusChanged: (status) => told.push(status),
    greeted: () => told.push("greeted"),
    eventReceived: () => undefined,
    binaryReceived: (buffer) => told.push(buffer.byteLength),
    lost: () => told.push("lost"),
  });
  connection.connect();
  return { world, told, connection };
}

test("it is live once the server says hello", () => {
  const { world, told, connection } = begin();
  assert.deepEqual([told, connection.live], [[{ phase: "connecting" }], false]);
  world.socket.hello();
  assert.deepEqual([told.slice(1), connection.live], [[{ phase: "live" }, "greeted"], true]);
  assert.equal(world.socket.binaryType, "arraybuffer");
});

test("back-off doubles, is jittered, has a ceiling, and honours the server's delay (C7)", () => {
  let chance = 0;
  const backoff = new Backoff(() => chance);
  assert.equal(backoff.next(), 100);
  chance = 1;
  assert.deepEqual([backoff.next(), backoff.next()], [1_100, 2_100]);
  for (let k = 0; k < 20; k++) backoff.next();
  assert.equal(backoff.next(), 30_100);
  backoff.reset();
  assert.equal(backoff.next(), 600);
  assert.ok(backoff.next(5_000) >= 5_000);
});

test("a lost line comes back by itself", () => {
  const { world, told } = begin();
  world.socket.hello();
  world.socket.drops();
  assert.deepEqual(told.slice(3), ["lost", { phase: "waiting", retryAtMs: 1_350, code: 1006, reason: "" }]);
  world.pass(349);
  assert.equal(world.sockets.length, 1);
  world.pass(1);
  assert.equal(world.sockets.length, 2);
});

test("tries that fail at once wait longer and longer; a steady line forgets them", () => {
  const { world, told } = begin();
  const waits = [];
  for (let k = 0; k < 4; k++) {
    world.socket.drops();
    waits.push(told.at(-1).retryAtMs - world.nowMs);
    world.pass(waits.at(-1));
  }
  assert.deepEqual(waits, [350, 600, 1_100, 2_100]);
  world.socket.hello();
  world.pass(10_000);
  world.socket.drops();
  assert.equal(told.at(-1).retryAtMs - world.nowMs, 350);
});

test("41xx comes back when the server says so", () => {
  const { world, told } = begin();
  world.socket.hello();
  world.socket.says({ event: "starting", retryAfterMs: 2_000 });
  world.socket.drops(4101);
  assert.deepEqual([told.at(-1).phase, told.at(-1).code], ["waiting", 4101]);
  assert.ok(told.at(-1).retryAtMs >= world.nowMs + 2_000);
});

test("44xx stops and says why; it comes back only when told to", () => {
  const { world, told, connection } = begin();
  world.socket.hello();
  world.socket.says({ event: "closing", code: 4403, reason: "Spam" });
  world.socket.drops(4403);
  assert.deepEqual(told.at(-1), { phase: "stopped", code: 4403, reason: "Spam" });
  world.pass(3_600_000);
  connection.wake();
  assert.equal(world.sockets.length, 1);
  connection.connect();
  assert.equal(world.sockets.length, 2);
});

test("replies find their commands; a cut fails those that wait", async () => {
  const { world, connection } = begin();
  world.socket.hello();
  const first = connection.command("limits");
  const second = connection.command("checksum", { game: "place#main" });
  const third = connection.command("limits");
  const [one, two] = world.socket.commands;
  assert.deepEqual([one.do, two.game], ["limits", "place#main"]);
  world.socket.says({ re: two.id, ok: false, error: { code: "rate", message: "Slow down.", retryAfterMs: 50 } });
  world.socket.says({ re: one.id, ok: true, stack: 1 });
  assert.deepEqual(await first, { stack: 1 });
  await assert.rejects(second, { code: "rate", retryAfterMs: 50 });
  world.socket.drops();
  await assert.rejects(third, { code: "lost" });
  await assert.rejects(connection.command("limits"), { code: "lost" });
});

test("silence is broken by a ping, and a line that stays silent is given up (C4)", () => {
  const { world, told } = begin();
  const { socket } = world;
  socket.hello(20_000);
  world.pass(20_000);
  assert.deepEqual(socket.commands.map((command) => command.do), ["ping"]);
  socket.says({ re: 1, ok: true, time: 1 });
  world.pass(5_000);
  assert.equal(told.at(-1), "greeted");
  world.pass(20_000);
  assert.equal(told.at(-1).phase, "waiting");
  assert.equal(socket.readyState, 3);
});

test("what an abandoned socket still says is not heard", () => {
  const { world, told } = begin();
  const old = world.socket;
  old.hello();
  world.pass(25_000);
  const length = told.length;
  old.says(new ArrayBuffer(3));
  old.drops();
  assert.equal(told.length, length);
});

test("a socket that never opens is given up", () => {
  const { world, told } = begin();
  world.pass(15_000);
  assert.deepEqual(told.slice(1, 2), ["lost"]);
  assert.equal(told[2].phase, "waiting");
});

test("waking tries at once, unless the server asked for patience", () => {
  const { world, connection } = begin();
  world.socket.drops();
  connection.wake();
  assert.equal(world.sockets.length, 2);
  world.socket.hello();
  world.socket.says({ event: "going", retryAfterMs: 4_000, reason: "restart" });
  world.socket.drops(1012);
  connection.wake();
  assert.equal(world.sockets.length, 2);
});

test("waking on a live line finds out whether it still lives", () => {
  const { world, told, connection } = begin();
  world.socket.hello();
  world.pass(1_000);
  connection.wake();
  assert.equal(world.socket.commands.at(-1).do, "ping");
  world.pass(5_000);
  assert.equal(told.at(-1).phase, "waiting");
});
