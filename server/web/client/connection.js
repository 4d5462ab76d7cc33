/**
 * One lasting connection made of many sockets: opens, greets, notices a dead line, comes back
 * with back-off and jitter, and stops for good when the server says that coming back is no use
 * (close codes 44xx). Owns the socket, the command ids and their replies; knows no board.
 * Called by client.js; the socket, the timers, the clock and chance are arguments.
 *
 * @typedef {{phase: "connecting"} | {phase: "live"}
 *   | {phase: "waiting", retryAtMs: number, code: number, reason: string}
 *   | {phase: "stopped", code: number, reason: string}} Status
 * @typedef {object} Surroundings
 * @property {() => WebSocket} openSocket
 * @property {(act: () => void, ms: number) => any} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {() => number} now monotonic milliseconds
 * @property {() => number} random in [0, 1)
 * @typedef {object} Handlers
 * @property {(status: Status) => void} statusChanged
 * @property {() => void} greeted the line is live: subscribe now
 * @property {(event: object) => void} eventReceived
 * @property {(buffer: ArrayBuffer) => void} binaryReceived
 * @property {() => void} lost
 */

import { Backoff, askedMs } from "./backoff.js";
import { WireError } from "./wire.js";

const DEFAULT_PING_MS = 20_000;
const PROBE_MS = 5_000;
const OPEN_TIMEOUT_MS = 15_000;
const STEADY_MS = 10_000;
const OPEN = 1;
const NORMAL = 1000;
const NO_CLOSE_FRAME = 1006;

/** A command that was refused, or that the line did not survive (code `lost`). */
export class CommandError extends Error {
  /** @param {{code: string, message: string, retryAfterMs?: number, scope?: string}} error */
  constructor(error) {
    super(error.message);
    this.code = error.code;
    this.retryAfterMs = askedMs(error.retryAfterMs);
    this.scope = error.scope;
  }
}

const isFinal = (code) => code >= 4400 && code < 4500;

export class Connection {
  #around;
  #handlers;
  #backoff;
  #socket = null;
  #replies = new Map();
  #nextId = 1;
  #timer = null;
  #pingMs = DEFAULT_PING_MS;
  #heardAtMs = 0;
  #greetedAtMs = null;
  #retryAfterMs = undefined;
  #reason = "";
  #status = null;

  /** @param {Surroundings} around  @param {Handlers} handlers */
  constructor(around, handlers) {
    this.#around = around;
    this.#handlers = handlers;
    this.#backoff = new Backoff(around.random);
  }

  get live() {
    return this.#status?.phase === "live" && this.#socket?.readyState === OPEN;
  }

  connect() {
    this.#retryAfterMs = undefined;
    this.#reason = "";
    this.#become({ phase: "connecting" });
    const socket = this.#around.openSocket();
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#ours(socket, () => this.#received(socket, data));
    socket.onerror = () => undefined; // a close follows; some sockets raise what nobody listens to
    socket.onclose = ({ code, reason }) => this.#ours(socket, () => this.#closed(code, reason));
    this.#schedule(() => this.#abandon(), OPEN_TIMEOUT_MS);
  }

  /** Leave the line, in whatever state it is, for a new one. */
  reconnect() {
    const socket = this.#socket;
    this.#leave();
    socket?.close();
    this.connect();
  }

  /** Leave the line for good. */
  close() {
    const socket = this.#socket;
    this.#leave();
    this.#stop(NORMAL, "closed here");
    socket?.close(NORMAL);
  }

  /** The network or the page has woken up: try now, or find out whether the line still lives. */
  wake() {
    const { phase } = this.#status;
    if (phase === "waiting" && this.#retryAfterMs === undefined) this.connect();
    else if (phase === "live") this.#probe();
  }

  /**
   * @param {string} name
   * @param {object} fields
   * @returns {Promise<object>} the reply, or a CommandError
   */
  command(name, fields = {}) {
    return new Promise((resolve, reject) => this.request(name, fields, resolve, reject));
  }

  /**
   * Send a command whose reply is to be taken in the very turn in which it comes: Node's WebSocket
   * hands over all messages that it has read in one turn, before any promise is heard of.
   * @param {string} name
   * @param {object} fields
   * @param {(reply: any) => void} resolve
   * @param {(error: CommandError) => void} reject
   */
  request(name, fields, resolve, reject) {
    if (!this.live) return reject(lostError());
    const id = this.#nextId++;
    this.#socket.send(JSON.stringify({ do: name, id, ...fields }));
    this.#replies.set(id, { resolve, reject });
  }

  /** @param {ArrayBuffer} frame */
  sendBinary(frame) {
    this.#socket.send(frame);
  }

  /** What breaks the protocol costs the server the line, wherever we trip over it. */
  #received(socket, data) {
    this.#heardAtMs = this.#around.now();
    try {
      if (typeof data === "string") this.#textReceived(data);
      else this.#handlers.binaryReceived(data);
    } catch (error) {
      const isTold = error instanceof WireError;
      const why = isTold ? error.message : `a message that makes no sense (${error.message})`;
      this.#ours(socket, () => this.#abandon(why));
    }
  }

  #textReceived(text) {
    const message = parse(text);
    if ("re" in message) this.#settle(message);
    else this.#event(message);
  }

  #event(event) {
    if (event.event === "hello") this.#greeted(event);
    this.#retryAfterMs = askedMs(event.retryAfterMs) ?? this.#retryAfterMs;
    if (event.event === "closing") this.#reason = event.reason;
    this.#handlers.eventReceived(event);
  }

  #greeted({ pingMs }) {
    this.#pingMs = askedMs(pingMs) ?? DEFAULT_PING_MS;
    this.#greetedAtMs = this.#around.now();
    this.#become({ phase: "live" });
    this.#schedule(() => this.#watch(), this.#pingMs);
    this.#handlers.greeted();
  }

  #settle({ re, ok, error, ...reply }) {
    if (!ok && typeof error?.code !== "string") throw new WireError("a reply that is not ok and has no error");
    const waiting = this.#replies.get(re);
    this.#replies.delete(re);
    if (ok) waiting?.resolve(reply);
    else waiting?.reject(new CommandError(error));
  }

  /** A browser hides the server's pings, so silence is broken by one of our own. */
  #watch() {
    const silentMs = this.#around.now() - this.#heardAtMs;
    if (silentMs >= this.#pingMs) this.#probe();
    else this.#schedule(() => this.#watch(), this.#pingMs - silentMs);
  }

  #probe() {
    const askedAtMs = this.#around.now();
    this.command("ping").catch(() => undefined);
    this.#schedule(() => {
      if (this.#heardAtMs < askedAtMs) this.#abandon();
      else this.#watch();
    }, PROBE_MS);
  }

  /** Without a close handshake, which would wait as long as the line is dead. */
  #abandon(reason = "the line went silent") {
    const socket = this.#socket;
    this.#closed(NO_CLOSE_FRAME, reason);
    socket.close();
  }

  #closed(code, reason) {
    if (this.#steady()) this.#backoff.reset();
    this.#leave();
    if (isFinal(code)) this.#stop(code, this.#reason || reason);
    else this.#waitToReturn(code, this.#reason || reason);
  }

  #leave() {
    this.#socket = null;
    this.#greetedAtMs = null;
    const waiting = [...this.#replies.values()];
    this.#replies.clear();
    for (const { reject } of waiting) reject(lostError());
    this.#handlers.lost();
  }

  #steady() {
    return this.#greetedAtMs !== null && this.#around.now() - this.#greetedAtMs >= STEADY_MS;
  }

  #stop(code, reason) {
    this.#schedule(null);
    this.#become({ phase: "stopped", code, reason });
  }

  #waitToReturn(code, reason) {
    const delayMs = this.#backoff.next(this.#retryAfterMs);
    this.#schedule(() => this.connect(), delayMs);
    const retryAtMs = this.#around.now() + delayMs;
    this.#become({ phase: "waiting", retryAtMs, code, reason });
  }

  #become(status) {
    this.#status = status;
    this.#handlers.statusChanged(status);
  }

  /** One timer at a time: opening, watching and waiting exclude each other. */
  #schedule(act, ms = 0) {
    if (this.#timer !== null) this.#around.clearTimer(this.#timer);
    this.#timer = act === null ? null : this.#around.setTimer(act, ms);
  }

  /** What an abandoned socket still says is not for us. */
  #ours(socket, act) {
    if (this.#socket === socket) act();
  }
}

/** @returns {object} the message; what is none breaks the protocol */
function parse(text) {
  try {
    return Object(JSON.parse(text));
  } catch (error) {
    throw new WireError(`a text message that is no JSON: ${error.message}`);
  }
}

const lostError = () => new CommandError({ code: "lost", message: "The connection was lost." });
