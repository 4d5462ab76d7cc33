// A client with faked surroundings, brought to the point where a test begins.

import { Client } from "../../server/web/client/client.js";
import { Identity } from "../../server/web/client/identity.js";
import { World, bandFrame, gameState, settle } from "./support.mjs";

export const SNAPSHOT = { event: "snapshot", game: "place#main", epoch: "e1", seq: 10, generation: 0, width: 4, height: 2, bytes: 4, bands: 1 };
export const BAND = bandFrame({ seq: 10, firstRow: 0, rows: 2, payload: [0x12, 0x34, 0x56, 0x78] });
const SIGNALS = ["placed", "refused", "presence", "notice", "status", "cooldown"];

export function memory(entries = {}) {
  const map = new Map(Object.entries(entries));
  return {
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => map.set(key, value),
    removeItem: (key) => map.delete(key),
  };
}

export function begin(storage = memory()) {
  const world = new World();
  let request = 100;
  const client = new Client({
    openSocket: world.openSocket,
    setTimer: world.setTimer,
    clearTimer: world.clearTimer,
    now: world.now,
    random: world.random,
    game: "place#main",
    identity: new Identity(() => storage),
    inflate: async (payload) => payload,
    drawRequest: () => request++,
  });
  const told = [];
  for (const name of SIGNALS) client.on(name, (detail) => told.push([name, detail]));
  client.start();
  return { world, client, told };
}

/** A guest, as the server tells it of itself. */
const you = { id: "u1", name: "Guest 1", roles: ["player"], anonymous: true, token: "t1" };

export async function answer(world, state, more = {}) {
  const { id } = world.socket.commands.findLast((command) => command.do === "subscribe");
  world.socket.says({ re: id, ok: true, you, games: [state], ...more });
  await settle();
}

/** The server refuses the last command. */
export async function refuse(world, error) {
  world.socket.says({ re: world.socket.commands.at(-1).id, ok: false, error });
  await settle();
}

export async function joined(storage) {
  const begun = begin(storage);
  begun.world.socket.hello(3_600_000);
  await answer(begun.world, gameState());
  begun.world.socket.says(SNAPSHOT);
  begun.world.socket.says(BAND);
  await settle();
  begun.told.length = 0;
  return begun;
}
