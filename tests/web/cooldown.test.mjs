import assert from "node:assert/strict";
import { test } from "node:test";
import { Cooldown } from "../../server/web/client/cooldown.js";

function begin(state) {
  const clock = { nowMs: 50_000 };
  const cooldown = new Cooldown(() => clock.nowMs);
  cooldown.adopt(state);
  return { clock, cooldown };
}

test("no cooldown at all (C38)", () => {
  const { cooldown } = begin({ ms: 0, leftMs: 0, stack: 1, maxStack: 1 });
  cooldown.accepted({ leftMs: 0, stackLeft: 1 });
  assert.deepEqual([cooldown.leftMs, cooldown.stack], [0, 1]);
});

test("coming back in the middle of one gives the rest (C39)", () => {
  const { clock, cooldown } = begin({ ms: 5_000, leftMs: 3_200, stack: 0, maxStack: 1 });
  clock.nowMs += 1_200;
  assert.deepEqual([cooldown.leftMs, cooldown.stack], [2_000, 0]);
  clock.nowMs += 2_000;
  assert.deepEqual([cooldown.leftMs, cooldown.stack], [0, 1]);
});

test("a stack empties and refills one by one", () => {
  const { clock, cooldown } = begin({ ms: 1_000, leftMs: 0, stack: 3, maxStack: 3 });
  for (const stackLeft of [2, 1]) {
    cooldown.accepted({ leftMs: 0, stackLeft });
    assert.deepEqual([cooldown.stack, cooldown.leftMs], [stackLeft, 0]);
  }
  cooldown.accepted({ leftMs: 990, stackLeft: 0 });
  assert.deepEqual([cooldown.stack, cooldown.leftMs], [0, 990]);
  clock.nowMs += 990;
  assert.deepEqual([cooldown.stack, cooldown.leftMs], [1, 0]);
  clock.nowMs += 2_000;
  assert.equal(cooldown.stack, 3);
});

test("the ack's word stands when the reckoning differs", () => {
  const { cooldown } = begin({ ms: 1_000, leftMs: 0, stack: 2, maxStack: 3 });
  cooldown.accepted({ leftMs: 0, stackLeft: 2 });
  assert.equal(cooldown.stack, 2);
});

test("a changed rule leaves what runs its end (C42)", () => {
  const { cooldown } = begin({ ms: 5_000, leftMs: 3_000, stack: 0, maxStack: 1 });
  cooldown.changeRule({ ms: 60_000 });
  assert.deepEqual([cooldown.leftMs, cooldown.ms], [3_000, 60_000]);
});

test("the address's limit counts down beside the stack", () => {
  const { clock, cooldown } = begin({ ms: 1_000, leftMs: 0, stack: 1, maxStack: 1 });
  cooldown.refused({ code: "address-cooldown", leftMs: 800, stackLeft: 1 });
  assert.equal(cooldown.leftMs, 800);
  clock.nowMs += 800;
  assert.equal(cooldown.leftMs, 0);
});
