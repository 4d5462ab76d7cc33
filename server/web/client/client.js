/**
 * A client of one game: who we are, the board in step, placements and their answers, the cooldown.
 * Composes connection, sync, placements, cooldown and identity, and tells what happened by
 * signals; never draws and never words anything for people. Called by the page and by player.js.
 *
 * Signals (`on(name, listener)`):
 *   status       {phase, …}             the line; `phase: "joined"` once the game is followed
 *   game         the game's state, whenever it changes
 *   board        {shiftX, shiftY}       `board` is another one now
 *   cells        Uint32Array            records just applied to `board`
 *   progress     {done, total}          bands of a snapshot
 *   placements                          what is drawn over the board has changed
 *   placed       {placement, seq, leftMs, stackLeft}
 *   refused      {placement, code, leftMs}
 *   cooldown                            it was told anew
 *   you          {id, name, roles, …}   who we are, whenever it is told
 *   presence     {total, spectators}
 *   notice       {text, level}
 *   going        {retryAfterMs, reason}
 */

import { Connection } from "./connection.js";
import { Cooldown } from "./cooldown.js";
import { Emitter } from "./emitter.js";
import { Placements } from "./placements.js";
import { GameSync, isNumbered } from "./sync.js";
import { ACCEPTED, decode, encodePlace, packRecord } from "./wire.js";

const CHECK_EVERY_MS = 60_000;
const RESYNC_PAUSE_MS = 1_000;
const GUEST_PAUSE_MS = 1_000;
/** The refusal of an address that has as many guests as it may. */
const GUESTS_SCOPE = "guests-per-address";

/**
 * @typedef {import("./connection.js").Surroundings & {game: string,
 *   identity: import("./identity.js").Identity, inflate: typeof import("./inflate.js").inflate,
 *   drawRequest: () => number, checkEveryMs?: number}} ClientOptions
 */

export class Client extends Emitter {
  #options;
  #connection;
  #sync;
  #placements = new Placements();
  #checkTimer = null;
  #againTimer = null;
  #guestTimer = null;
  /** Why we may not be a guest, and when to ask again. */
  #refusedGuest = null;

  /** @param {ClientOptions} options `drawRequest` draws a u32 at random */
  constructor(options) {
    super();
    this.#options = options;
    this.cooldown = new Cooldown(options.now);
    this.name = options.game;
    this.game = null;
    this.you = null;
    this.#sync = new GameSync(this.#observer(), options.inflate);
    this.#connection = new Connection(options, {
      statusChanged: (status) => this.emit("status", status),
      greeted: () => this.#subscribe(),
      eventReceived: (event) => this.#eventReceived(event),
      binaryReceived: (buffer) => this.#binaryReceived(buffer),
      lost: () => this.#lost(),
    });
  }

  get board() {
    return this.#sync.board;
  }

  get position() {
    return this.#sync.position;
  }

  /** The generation in which coordinates are meant now. */
  get generation() {
    return this.#sync.generation;
  }

  /** Whether a placement can be sent. */
  get joined() {
    return this.#connection.live && this.game !== null && this.board !== null;
  }

  /**
   * Why we watch only: `forbidden` where no guest may place, `rate` when our address has as many
   * as it may; then `leftMs` until we ask again.
   * @returns {{code: string, leftMs: number} | null} null for one who may place
   */
  get watching() {
    if (this.#refusedGuest === null || this.you?.id !== null) return null;
    const { code, untilMs } = this.#refusedGuest;
    return { code, leftMs: Math.max(0, untilMs - this.#options.now()) };
  }

  /** @returns {import("./placements.js").Placement[]} unanswered ones, to be drawn over the board */
  get placements() {
    return this.#placements.visible();
  }

  start() {
    this.#connection.connect();
  }

  /** End for good; what is unanswered is refused as `lost`. */
  close() {
    this.#giveUp(this.#placements.giveUp());
    this.#connection.close();
  }

  /**
   * Send any command, such as `limits` or `pixel`.
   * @returns {Promise<any>} the reply, or a CommandError
   */
  ask(name, fields = {}) {
    return this.#connection.command(name, fields);
  }

  /**
   * Choose another name, as a guest.
   * @returns {Promise<void>} once the server knows us by it; rejected with a CommandError
   */
  async rename(name) {
    this.#recognized(await this.ask("rename", { name }));
  }

  /**
   * Compare checksums at the very same number.
   * @returns {Promise<boolean>} whether our board is the server's; false also while it is being mended
   */
  verify() {
    return new Promise((resolve, reject) => {
      const compare = (sum) => resolve(this.#sync.matches(sum));
      this.#connection.request("checksum", { game: this.name }, compare, reject);
    });
  }

  /** The page is shown again, or the network is back. */
  wake() {
    this.#connection.wake();
  }

  /** Come back as somebody new, after the server would not have our token. */
  startOver() {
    this.#options.identity.forget();
    this.#comeBack();
  }

  /** Come back as the holder of this token, whoever we are now. */
  become(token) {
    this.#options.identity.keep(token);
    this.#comeBack();
  }

  /**
   * Send a placement; its answer comes as `placed` or `refused`. The caller has seen `joined`.
   * @returns {import("./placements.js").Placement}
   */
  send(x, y, color) {
    const request = this.#options.drawRequest();
    const { generation } = this.#sync;
    const placement = this.#placements.begin(request, generation, x, y, color, this.#options.now());
    this.#send(placement);
    this.emit("placements");
    return placement;
  }

  /** The server knows a request by who sent it: sent again as another one, it might place twice. */
  #comeBack() {
    this.#giveUp(this.#placements.giveUp());
    this.emit("placements");
    this.#connection.reconnect();
  }

  /** @returns {import("./sync.js").Observer} */
  #observer() {
    return {
      cellsChanged: (records) => {
        this.#placements.noticed(records);
        this.emit("cells", records);
      },
      boardReplaced: (shift) => {
        this.#placements.move(shift);
        this.emit("board", shift);
      },
      settingsChanged: (changes) => this.#settingsChanged(changes),
      progressed: (done, total) => this.emit("progress", { done, total }),
      needsResync: (since) => this.#resync(since),
    };
  }

  #subscribe(claim = this.#options.identity.claim()) {
    const game = { game: this.name, since: this.position, snapshot: "inline" };
    this.#connection.request(
      "subscribe",
      { ...claim, games: [game] },
      (reply) => this.#welcomed(reply),
      (error) => this.#notWelcomed(error, claim),
    );
  }

  /** One who may not be a guest may watch; one who was too fast tries again. */
  #notWelcomed(error, claim) {
    const mayWatch = claim.guest && (error.code === "forbidden" || error.scope === GUESTS_SCOPE);
    if (error.code === "lost" || error.code === "unauthorized") return; // a close tells it, 4401
    if (mayWatch) this.#watchOnly(error);
    else if (error.retryAfterMs !== undefined) this.#later(() => this.#subscribe(), error.retryAfterMs);
    else this.emit("status", { phase: "absent", code: error.code, message: error.message });
  }

  #watchOnly({ code, retryAfterMs }) {
    const pauseMs = retryAfterMs === undefined ? 0 : Math.max(retryAfterMs, GUEST_PAUSE_MS);
    this.#refusedGuest = { code, untilMs: this.#options.now() + pauseMs };
    this.#options.clearTimer(this.#guestTimer);
    if (pauseMs > 0) this.#guestTimer = this.#options.setTimer(() => this.#subscribe(), pauseMs);
    this.#subscribe({});
  }

  #recognized(you) {
    this.you = you;
    if (you.token !== undefined) this.#options.identity.keep(you.token);
    this.emit("you", you);
  }

  #welcomed({ you, games: [state], presence }) {
    this.#recognized(you);
    if (presence !== undefined) this.emit("presence", presence);
    if (state.error !== undefined) return this.emit("status", { phase: "absent", ...state.error });
    this.#adopt(state);
    this.emit("status", { phase: "joined" });
    this.#sendAgain();
    this.#checkLater();
  }

  #checkLater() {
    this.#options.clearTimer(this.#checkTimer);
    this.#checkTimer = this.#options.setTimer(() => this.#check(), this.#checkEveryMs);
  }

  get #checkEveryMs() {
    return this.#options.checkEveryMs ?? CHECK_EVERY_MS;
  }

  #adopt(state) {
    this.game = state;
    this.cooldown.adopt(state.cooldown);
    this.#sync.adopt(state);
    this.emit("game", state);
    this.emit("cooldown");
  }

  /** @param {any} event `settings` */
  #settingsChanged({ event: _event, seq: _seq, ...changes }) {
    if (changes.cooldown !== undefined) this.cooldown.changeRule(changes.cooldown);
    this.game = { ...this.game, ...changes, cooldown: { ...this.game.cooldown, ...changes.cooldown } };
    this.emit("game", this.game);
    this.emit("cooldown");
  }

  #resync(since) {
    this.#connection.request(
      "resync",
      { game: this.name, since },
      (state) => this.#adopt(state),
      (error) => this.#pauseResync(error),
    );
  }

  /** Asked for too often: try again a little later, unless the line is gone and will tell itself. */
  #pauseResync(error) {
    this.#sync.resyncFailed();
    if (error.code === "lost") return;
    this.#later(() => this.#resync(undefined), error.retryAfterMs ?? RESYNC_PAUSE_MS);
  }

  #later(act, ms) {
    this.#options.clearTimer(this.#againTimer);
    this.#againTimer = this.#options.setTimer(act, ms);
  }

  #check() {
    this.#connection.request(
      "checksum",
      { game: this.name },
      (reply) => this.#checked(reply),
      (error) => error.code === "lost" || this.#checkLater(),
    );
  }

  #checked(reply) {
    this.#sync.checked(reply);
    this.#checkLater();
  }

  #eventReceived(event) {
    if (event.game !== undefined && event.game !== this.name) return;
    if (event.event === "snapshot") this.#sync.snapshotBegan(event);
    else if (isNumbered(event)) this.#sync.numberedArrived(event);
    else if (event.event === "watchers") this.#watchersChanged(event);
    else if (event.event === "you") this.#renamed(event);
    else if (event.event !== "game") this.emit(event.event, event);
  }

  /** On another line of ours. @param {any} event */
  #renamed({ event: _event, ...you }) {
    this.#recognized(you);
  }

  #watchersChanged({ watchers }) {
    this.game = { ...this.game, watchers };
    this.emit("game", this.game);
  }

  #binaryReceived(buffer) {
    const frame = decode(buffer);
    if (frame === null || frame.channel !== this.game?.channel) return;
    if (frame.kind === "pixels") this.#sync.pixelsArrived(frame);
    else if (frame.kind === "band") this.#sync.bandArrived(frame);
    else this.#answered(frame);
  }

  /** @param {import("./wire.js").AckFrame} ack */
  #answered(ack) {
    const placement = this.#placements.settle(ack.request);
    if (placement === undefined) return;
    const isAccepted = ack.status === ACCEPTED;
    if (isAccepted) this.cooldown.accepted(ack);
    else this.cooldown.refused(ack);
    this.emit("placements");
    this.emit("cooldown");
    const { seq, leftMs, stackLeft } = ack;
    if (isAccepted) this.emit("placed", { placement, seq, leftMs, stackLeft });
    else this.emit("refused", { placement, code: ack.code, leftMs });
  }

  #send({ request, generation, sentX, sentY, color }) {
    const record = packRecord(sentX, sentY, color);
    this.#connection.sendBinary(encodePlace(this.game.channel, request, generation, [record]));
  }

  /** What a cut left unanswered: the server knows by the request number what became of it. */
  #sendAgain() {
    const { again, forgotten } = this.#placements.afterCut(this.#options.now());
    for (const placement of again) this.#send(placement);
    this.#giveUp(forgotten);
  }

  #giveUp(placements) {
    for (const placement of placements) this.emit("refused", { placement, code: "lost", leftMs: 0 });
  }

  #lost() {
    this.#options.clearTimer(this.#checkTimer);
    this.#options.clearTimer(this.#againTimer);
    this.#options.clearTimer(this.#guestTimer);
    this.#sync.interrupted();
  }
}
