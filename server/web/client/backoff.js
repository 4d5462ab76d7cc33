/**
 * How long to wait before the next try: twice as long each time, with full jitter, so that
 * thousands of clients do not come back together. Chance is an argument. Called by connection.js.
 */

const FIRST_MS = 500;
const LAST_MS = 30_000;
const LEAST_MS = 100;
/** A day; timers of more than 24 of them fire at once. */
const LONGEST_MS = 86_400_000;

/** @returns {number | undefined} the delay that a server asks for, within reason, if it is one */
export function askedMs(retryAfterMs) {
  if (typeof retryAfterMs !== "number") return undefined;
  return Math.max(0, Math.min(retryAfterMs, LONGEST_MS));
}

export class Backoff {
  #random;
  #tries = 0;

  /** @param {() => number} random in [0, 1) */
  constructor(random) {
    this.#random = random;
  }

  reset() {
    this.#tries = 0;
  }

  /**
   * @param {number | undefined} retryAfterMs the delay that the server asked for, if any
   * @returns {number} milliseconds
   */
  next(retryAfterMs) {
    const ceiling = Math.min(LAST_MS, FIRST_MS * 2 ** this.#tries);
    this.#tries += 1;
    const own = LEAST_MS + this.#random() * ceiling;
    return Math.round(retryAfterMs === undefined ? own : retryAfterMs + own / 4);
  }
}
