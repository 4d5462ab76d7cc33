import assert from "node:assert/strict";
import { test } from "node:test";
import { Identity, Player, connect, createPlayer, packRecord } from "../../server/web/client/index.js";
import { FakeSocket, World, ackFrame, gameState, pixelsFrame, settle } from "./support.mjs";
import { BAND, SNAPSHOT, answer, refuse } from "./visit.mjs";

function begin() {
  const world = new World();
  const { openSocket, setTimer, clearTimer, now, random } = world;
  let request = 100;
  const player = new Player({
    ...{ openSocket, setTimer, clearTimer, now, random },
    game: "place#main",
    identity: new Identity(() => undefined),
    inflate: async (payload) => payload,
    drawRequest: () => request++,
  });
  player.start();
  return { world, player };
}

async function joined() {
  const begun = begin();
  begun.world.socket.hello(3_600_000);
  await answer(begun.world, gameState());
  begun.world.socket.says(SNAPSHOT);
  begun.world.socket.says(BAND);
  await begun.player.ready();
  return begun;
}

/** What the platform would give: a class of sockets that notes what is opened. */
function sockets() {
  const opened = [];
  class Socket extends FakeSocket {
    constructor(url, protocol) {
      super();
      opened.push([url, protocol]);
    }
  }
  return { Socket, opened };
}

test("a placement resolves to what became of it, accepted or refused", async () => {
  const { world, player } = await joined();
  const [first, second] = [player.place(1, 0, 5), player.place(2, 0, 6)];
  await settle();
  world.socket.says(pixelsFrame({ first: 11, records: [packRecord(1, 0, 5)] }));
  world.socket.says(ackFrame({ status: 0, request: 100, seq: 11, record: packRecord(1, 0, 5), leftMs: 700 }));
  world.socket.says(ackFrame({ status: 1, request: 101, seq: 11, record: packRecord(2, 0, 3), leftMs: 650 }));
  assert.deepEqual(await first, { ok: true, seq: 11, x: 1, y: 0, color: 5, leftMs: 700, stackLeft: 0 });
  assert.deepEqual(await second, { ok: false, code: "cooldown", x: 2, y: 0, color: 6, leftMs: 650 });
});

test("a placement waits for the line, and its answer is found again after a cut", async () => {
  const { world, player } = begin();
  const placing = player.place(1, 0, 5);
  world.socket.hello(3_600_000);
  await answer(world, gameState());
  assert.equal(world.socket.frames.length, 0);
  world.socket.says(SNAPSHOT);
  world.socket.says(BAND);
  await settle();
  assert.equal(world.socket.frames.length, 1);
  world.socket.drops();
  world.pass(1_000);
  world.socket.hello(3_600_000);
  await answer(world, gameState({ resume: "current" }));
  world.socket.says(ackFrame({ status: 0, request: 100, seq: 11, record: packRecord(1, 0, 5) }));
  assert.equal((await placing).seq, 11);
});

test("who waits hears why the client has stopped, and so does who comes later", async () => {
  const { world, player } = begin();
  const waiting = player.ready();
  world.socket.hello();
  world.socket.says({ event: "closing", code: 4403, reason: "Spam" });
  world.socket.drops(4403);
  await assert.rejects(waiting, /Spam \(4403\)/);
  await assert.rejects(player.place(0, 0, 1), /Spam/);
});

test("a game that is not there is told", async () => {
  const { world, player } = begin();
  const heard = assert.rejects(player.ready(), /place#main: No\. \(bad-request\)/);
  world.socket.hello();
  await refuse(world, { code: "bad-request", message: "No." });
  await heard;
});

test("closing ends it: no timer is left, nothing is open, what is unanswered is lost", async () => {
  const { world, player } = await joined();
  const placing = player.place(1, 0, 5);
  await settle();
  player.close();
  assert.deepEqual([(await placing).code, world.timers.size, world.socket.readyState], ["lost", 0, 3]);
  await assert.rejects(player.ready(), /closed here/);
});

test("unanswered placements are bounded", async () => {
  const { player } = await joined();
  for (let k = 0; k < 1_024; k++) void player.place(0, 0, 1);
  await settle();
  await assert.rejects(player.place(0, 0, 1), /await some of them first/);
});

test("a board is verified at the number that the sum is of, whatever comes in the same turn", async () => {
  const { world, player } = await joined();
  const sum = player.board.crc32();
  const [right, wrong, other] = [player.verify(), player.verify(), player.verify()];
  const [first, second, third] = world.socket.commands.slice(-3).map(({ id }) => id);
  world.socket.says({ re: first, ok: true, seq: 10, crc32: sum });
  world.socket.says({ re: second, ok: true, seq: 10, crc32: 1 });
  world.socket.says(pixelsFrame({ first: 11, records: [packRecord(0, 0, 5)] }));
  world.socket.says({ re: third, ok: true, seq: 10, crc32: sum });
  assert.deepEqual(await Promise.all([right, wrong, other]), [true, false, false]);
});

test("other commands can be asked", async () => {
  const { world, player } = await joined();
  const limits = player.ask("limits", { game: "place#main" });
  const { id, game } = world.socket.commands.at(-1);
  world.socket.says({ re: id, ok: true, game, credits: {} });
  assert.deepEqual(await limits, { game: "place#main", credits: {} });
});

test("a frame that breaks the protocol costs the server the line, text too", async () => {
  for (const broken of [new ArrayBuffer(0), "{"]) {
    const { world } = await joined();
    const former = world.socket;
    former.onmessage({ data: broken });
    assert.equal(former.readyState, 3);
    world.pass(1_000);
    assert.equal(world.sockets.length, 2);
  }
});

test("the socket stands beside the page, under whatever path that is", () => {
  const { Socket, opened } = sockets();
  const addresses = ["http://127.0.0.1:8080", "https://example.org/tiles/?game=a#b", "wss://example.org/tiles/ws"];
  for (const address of addresses) connect(address, { WebSocket: Socket }).close();
  assert.deepEqual(opened.map(([url]) => url), [
    "ws://127.0.0.1:8080/ws",
    "wss://example.org/tiles/ws",
    "wss://example.org/tiles/ws",
  ]);
  assert.equal(opened[0][1], "tesserae.v1");
});

test("where there is no WebSocket the remedy is told", (t) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "WebSocket");
  t.after(() => own && Object.defineProperty(globalThis, "WebSocket", own));
  delete globalThis.WebSocket;
  assert.throws(() => createPlayer("http://127.0.0.1"), /use Node.js 22 or newer, or give one/);
});
