import assert from "node:assert/strict";
import { test } from "node:test";
import * as texts from "../../server/web/texts.js";
import { readJoinLink } from "../../server/web/client/joinlink.js";
import { ackFrame, gameState, settle } from "./support.mjs";
import { answer, begin, joined, memory, refuse } from "./visit.mjs";

const nobody = { id: null, name: null, roles: [], anonymous: true };
const FULL = { code: "rate", message: "Full.", retryAfterMs: 50_000, scope: "guests-per-address" };

test("a join link gives its token, and everything else of a fragment stays as it is", () => {
  assert.deepEqual(readJoinLink("#token=a.b-c.d_e"), { token: "a.b-c.d_e", rest: "" });
  assert.deepEqual(readJoinLink("#at=1,2&token=a.b.c&x=%20"), { token: "a.b.c", rest: "#at=1,2&x=%20" });
  assert.deepEqual(readJoinLink("#token=a&token=b"), { token: "a", rest: "" });
  for (const fragment of ["", "#", "#token", "#token=", "#at=token=a", "#mytoken=a", "#a%20b&&c"]) {
    assert.deepEqual(readJoinLink(fragment), { token: null, rest: fragment });
  }
});

test("a token that no server would read is cut to what fits in a message", () => {
  assert.equal(readJoinLink(`#token=${"x".repeat(100_000)}`).token.length, 4096);
});

test("a token that is refused is told once, by the close, and another guest may come", async () => {
  const storage = memory({ "tesserae.token": "old" });
  const { world, client, told } = begin(storage);
  world.socket.hello();
  assert.equal(world.socket.commands[0].token, "old");
  await refuse(world, { code: "unauthorized", message: "the token has expired; sign in again" });
  assert.equal(told.findLast(([name]) => name === "status")[1].phase, "live");
  world.socket.drops(4401, "the token has expired");
  assert.deepEqual(told.at(-1)[1], { phase: "stopped", code: 4401, reason: "the token has expired" });
  assert.notEqual(texts.stop(4401).action, null);
  client.startOver();
  world.socket.hello();
  assert.equal(world.socket.commands[0].guest, true);
  assert.equal(storage.getItem("tesserae.token"), null);
});

test("becoming somebody else takes another line and sends nothing of the former one again", async () => {
  const storage = memory();
  const { world, client, told } = await joined(storage);
  client.send(1, 0, 5);
  const former = world.socket;
  client.become("issued");
  assert.equal(former.readyState, 3);
  assert.deepEqual(told.find(([name]) => name === "refused")[1].code, "lost");
  assert.deepEqual(client.placements, []);
  world.socket.hello();
  const { token, games } = world.socket.commands[0];
  assert.deepEqual([token, games[0].since], ["issued", { epoch: "e1", seq: 10 }]);
  await answer(world, gameState({ resume: "current" }), { you: { id: "ann", name: "Ann" } });
  assert.deepEqual([world.socket.frames, storage.getItem("tesserae.token")], [[], "issued"]);
  const phases = told.length;
  former.onmessage({ data: ackFrame({ status: 0, request: 100, seq: 11, record: 0 }) });
  former.onclose({ code: 1000, reason: "" });
  assert.equal(told.length, phases);
});

test("where no guests are let in one watches, knows why, and does not ask again", async () => {
  const { world, client } = begin();
  world.socket.hello(3_600_000);
  await refuse(world, { code: "forbidden", message: "No guests." });
  assert.equal(client.watching, null);
  await answer(world, gameState(), { you: nobody });
  assert.deepEqual(client.watching, { code: "forbidden", leftMs: 0 });
  world.pass(600_000);
  const asked = world.socket.commands.filter((command) => command.do === "subscribe");
  assert.deepEqual(asked.map(({ guest }) => guest), [true, undefined]);
});

test("where the address has its guests one watches, sees the delay, and asks again after it", async () => {
  const { world, client } = begin();
  world.socket.hello(3_600_000);
  await refuse(world, FULL);
  await answer(world, gameState(), { you: nobody });
  world.pass(20_000);
  assert.deepEqual(client.watching, { code: "rate", leftMs: 30_000 });
  world.pass(30_000);
  assert.equal(world.socket.commands.at(-1).guest, true);
  await refuse(world, FULL);
  await answer(world, gameState({ resume: "current" }), { you: nobody });
  assert.deepEqual(client.watching, { code: "rate", leftMs: 50_000 });
  world.pass(50_000);
  await answer(world, gameState({ resume: "current" }));
  assert.equal(client.watching, null);
  const checks = () => world.socket.commands.filter((command) => command.do === "checksum").length;
  const before = checks();
  world.pass(60_000);
  assert.equal(checks() - before, 1);
});

test("a cut while one watches leaves no question behind", async () => {
  const { world } = begin();
  world.socket.hello(3_600_000);
  await refuse(world, FULL);
  await answer(world, gameState(), { you: nobody });
  world.socket.drops();
  world.pass(1_000);
  const { sent } = world.socket;
  world.pass(14_000);
  await settle();
  assert.deepEqual(sent, []);
});

test("each reason to watch has words of its own", () => {
  const words = ["forbidden", "rate", "other"].map(texts.watching);
  assert.equal(new Set(words).size, 3);
  assert.match(words[0], /join link/);
  assert.equal(texts.asksIn(59_001), "asks in 1:00");
});
