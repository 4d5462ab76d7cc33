/**
 * A client for programs: everything of `Client`, and promises where a bot waits: until the game is
 * followed, and for what became of a placement. Owns who waits for what; decides nothing. Made by
 * index.js; the page does with the signals alone.
 *
 * @typedef {{ok: true, seq: number, x: number, y: number, color: number, leftMs: number,
 *   stackLeft: number}} Placed
 * @typedef {{ok: false, code: string, x: number, y: number, color: number, leftMs: number}} Refused
 */

import { Client } from "./client.js";

/** The server reads no further either until some of as many are answered. */
const MAX_UNANSWERED = 1_024;

export class Player extends Client {
  /** @type {Map<number, (outcome: Placed | Refused) => void>} */
  #waiting = new Map();
  /** @type {Set<{resolve: () => void, reject: (error: Error) => void}>} */
  #comers = new Set();
  /** @type {Error | null} */
  #end = null;

  constructor(options) {
    super(options);
    this.on("placed", ({ placement, seq, leftMs, stackLeft }) => {
      this.#answer(placement, { ok: true, seq, ...cellOf(placement), leftMs, stackLeft });
    });
    this.on("refused", ({ placement, code, leftMs }) => {
      this.#answer(placement, { ok: false, code, ...cellOf(placement), leftMs });
    });
    this.on("board", () => this.#welcome());
    this.on("status", (status) => this.#statusChanged(status));
  }

  /** @returns {Promise<void>} once the board is here and placements can be sent; rejected at the end */
  ready() {
    if (this.joined) return Promise.resolve();
    if (this.#end !== null) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => this.#comers.add({ resolve, reject }));
  }

  /**
   * Place one pixel, as soon as the line is there.
   * @returns {Promise<Placed | Refused>} what became of it, also over a cut; `lost` when nobody knows
   */
  async place(x, y, color) {
    await this.ready();
    if (this.#waiting.size >= MAX_UNANSWERED) {
      throw new Error(`${MAX_UNANSWERED} placements wait for an answer; await some of them first`);
    }
    const { request } = this.send(x, y, color);
    return new Promise((resolve) => this.#waiting.set(request, resolve));
  }

  #answer({ request }, outcome) {
    this.#waiting.get(request)?.(outcome);
    this.#waiting.delete(request);
  }

  #statusChanged(status) {
    if (status.phase === "stopped") this.#finish(`the client has stopped: ${status.reason} (${status.code})`);
    else if (status.phase === "absent") this.#finish(`${this.name}: ${status.message} (${status.code})`);
    else this.#welcome();
  }

  #welcome() {
    if (!this.joined) return;
    this.#end = null;
    for (const { resolve } of this.#comers) resolve();
    this.#comers.clear();
  }

  #finish(why) {
    this.#end = new Error(why);
    for (const { reject } of this.#comers) reject(this.#end);
    this.#comers.clear();
  }
}

const cellOf = ({ x, y, color }) => ({ x, y, color });
