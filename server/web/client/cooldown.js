/**
 * When the next placement is allowed, on the monotonic clock, as the server last told it and
 * reckoned on from there: a stack of `maxStack` placements that refills by one every `ms`.
 * Never decides anything; the server does. Called by client.js and shown by the page.
 */

export class Cooldown {
  #now;
  #ms = 0;
  #maxStack = 1;
  /** When the stack will be full again. */
  #fullAtMs = 0;
  /** A limit that is no part of the stack, such as the address's. */
  #blockedUntilMs = 0;

  /** @param {() => number} now monotonic milliseconds */
  constructor(now) {
    this.#now = now;
  }

  get ms() {
    return this.#ms;
  }

  get maxStack() {
    return this.#maxStack;
  }

  /** How many placements are ready. */
  get stack() {
    if (this.#ms === 0) return this.#maxStack;
    const missing = Math.ceil(this.#owedMs() / this.#ms);
    return Math.max(0, this.#maxStack - missing);
  }

  /** Milliseconds until one placement is ready; 0 when one is. */
  get leftMs() {
    const lastReadyMs = this.#owedMs() - (this.#maxStack - 1) * this.#ms;
    return Math.max(0, lastReadyMs, this.#blockedUntilMs - this.#now());
  }

  /** From a game state. */
  adopt({ ms, leftMs, stack, maxStack }) {
    this.changeRule({ ms, maxStack });
    this.#blockedUntilMs = 0;
    this.#reckon(leftMs, stack);
  }

  /** From a `settings` event; what runs keeps its end. */
  changeRule({ ms = this.#ms, maxStack = this.#maxStack }) {
    this.#ms = ms;
    this.#maxStack = maxStack;
  }

  /** A placement was accepted; our own reckoning stands when it agrees with the ack. */
  accepted({ leftMs, stackLeft }) {
    this.#fullAtMs = Math.max(this.#fullAtMs, this.#now()) + this.#ms;
    if (this.stack !== stackLeft || stackLeft === 0) this.#reckon(leftMs, stackLeft);
  }

  /** A placement was refused for now, and for how long. */
  refused({ code, leftMs, stackLeft }) {
    if (code === "cooldown") this.#reckon(leftMs, stackLeft);
    else if (code === "address-cooldown") this.#blockedUntilMs = this.#now() + leftMs;
  }

  #reckon(leftMs, stack) {
    const missing = this.#maxStack - stack;
    const owedMs = stack === 0 ? leftMs + (missing - 1) * this.#ms : missing * this.#ms;
    this.#fullAtMs = this.#now() + owedMs;
  }

  #owedMs() {
    return Math.max(0, this.#fullAtMs - this.#now());
  }
}
