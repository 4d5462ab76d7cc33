/**
 * Placements that the server has not answered yet: what to draw meanwhile, what to send again
 * after a cut. Re-sending with the same request number is safe (contract 7), for as long as the
 * server remembers it. Owns only these; pure but for the arguments. Called by client.js.
 *
 * @typedef {{request: number, generation: number, x: number, y: number, color: number,
 *   sentX: number, sentY: number, atMs: number, seen: boolean}} Placement
 *   `x, y` follow the growths of the board, `sentX, sentY` stay in `generation`
 */

import { recordColor, recordX, recordY } from "./wire.js";

/** A minute less than the server remembers a request. */
const REMEMBERED_MS = 9 * 60_000;

export class Placements {
  /** @type {Map<number, Placement>} */
  #unanswered = new Map();

  /** @returns {Placement} */
  begin(request, generation, x, y, color, atMs) {
    const placement = { request, generation, x, y, color, sentX: x, sentY: y, atMs, seen: false };
    this.#unanswered.set(request, placement);
    return placement;
  }

  /** @returns {Placement | undefined} the one that this answers, which is over now */
  settle(request) {
    const placement = this.#unanswered.get(request);
    this.#unanswered.delete(request);
    return placement;
  }

  /** The stream is the truth: a cell that already shows our colour is no longer ours to draw. */
  noticed(records) {
    if (this.#unanswered.size === 0) return;
    for (const record of records) this.#notice(recordX(record), recordY(record), recordColor(record));
  }

  /** The board grew: the cells have moved. */
  move({ shiftX, shiftY }) {
    for (const placement of this.#unanswered.values()) {
      placement.x += shiftX;
      placement.y += shiftY;
    }
  }

  /** @returns {Placement[]} what to draw over the board */
  visible() {
    return [...this.#unanswered.values()].filter((placement) => !placement.seen);
  }

  /** @returns {{again: Placement[], forgotten: Placement[]}} after a cut: what to send, what to give up */
  afterCut(nowMs) {
    const all = [...this.#unanswered.values()];
    const isOld = (placement) => nowMs - placement.atMs > REMEMBERED_MS;
    const forgotten = all.filter(isOld);
    for (const placement of forgotten) this.#unanswered.delete(placement.request);
    return { again: all.filter((placement) => !isOld(placement)), forgotten };
  }

  /** @returns {Placement[]} all of them, given up: no answer to these is of use any more */
  giveUp() {
    const all = [...this.#unanswered.values()];
    this.#unanswered.clear();
    return all;
  }

  #notice(x, y, color) {
    for (const placement of this.#unanswered.values()) {
      if (placement.x === x && placement.y === y && placement.color === color) placement.seen = true;
    }
  }
}
