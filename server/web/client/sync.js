/**
 * Keeps one game's board in step with the server's numbered stream (rule 4 of the protocol):
 * what is old is ignored, what joins on is applied, what leaves a gap asks for a resync.
 * Owns the position (epoch, seq), the generation and the board; never talks to a socket: what it
 * needs and what it did is told to its observer. Called by client.js.
 *
 * @typedef {{shiftX: number, shiftY: number}} Shift how far the cells moved in the array
 * @typedef {object} Observer
 * @property {(records: Uint32Array) => void} cellsChanged
 * @property {(shift: Shift) => void} boardReplaced a snapshot or a growth is in `board`
 * @property {(changes: object) => void} settingsChanged
 * @property {(done: number, total: number) => void} progressed bands of a snapshot
 * @property {(since: {epoch: string, seq: number} | undefined) => void} needsResync
 */

import { Board, isSize, packedBytes } from "./board.js";
import { WireError, readRecords } from "./wire.js";

const UNNUMBERED = new Set(["snapshot", "band", "game"]);
/** Most messages kept for a board that is on its way; past it the board is asked for anew. */
const MAX_HELD = 4_096;
const STILL = Object.freeze({ shiftX: 0, shiftY: 0 });

/** @returns {boolean} whether an event takes a number of its game's stream */
export const isNumbered = (event) =>
  event.game !== undefined && Number.isSafeInteger(event.seq) && !UNNUMBERED.has(event.event);

export class GameSync {
  #observer;
  #inflate;
  #snapshot = null;
  #asked = false;
  #numbered = {
    resize: (event) => this.#grow(event),
    settings: (event) => this.#observer.settingsChanged(event),
    fill: (event) => this.#fill(event),
    cells: (event) => this.#applyCells(event),
  };

  /**
   * @param {Observer} observer
   * @param {(deflated: Uint8Array<ArrayBuffer>, sizeBytes: number) => Promise<Uint8Array>} inflate
   */
  constructor(observer, inflate) {
    this.#observer = observer;
    this.#inflate = inflate;
    /** @type {Board | null} */
    this.board = null;
    this.epoch = null;
    this.seq = 0;
    this.generation = 0;
    this.offsetX = 0;
    this.offsetY = 0;
    this.empty = 0;
  }

  /** Where to go on from; undefined before the first board. */
  get position() {
    return this.board === null ? undefined : { epoch: this.epoch, seq: this.seq };
  }

  /** The connection is gone: an unfinished snapshot is worth nothing. */
  interrupted() {
    this.#snapshot = null;
    this.#asked = false;
  }

  /** A game state from the reply to `subscribe` or `resync`. */
  adopt(state) {
    this.#asked = false;
    this.#snapshot = null;
    this.empty = state.empty;
    if (state.resume === "snapshot") this.#snapshot = { state, bands: [], held: [] };
    else if (this.board === null) this.#resync(undefined);
  }

  snapshotBegan(event) {
    if (this.#snapshot === null) return;
    if (!isSize(event.width, event.height)) {
      throw new WireError(`a snapshot of ${event.width} x ${event.height} cells`);
    }
    Object.assign(this.#snapshot, { event, missing: new Set(Array(event.height).keys()) });
  }

  /** @param {import("./wire.js").BandFrame} band */
  bandArrived(band) {
    const snapshot = this.#snapshot;
    if (snapshot?.event === undefined || band.seq !== snapshot.event.seq) return;
    for (let row = band.firstRow; row < band.firstRow + band.rows; row++) {
      if (!snapshot.missing.delete(row)) throw new WireError(`a band with row ${row}, which is not asked for`);
    }
    if (band.rows === 0) throw new WireError("a band without rows");
    snapshot.bands.push(band);
    this.#observer.progressed(snapshot.bands.length, snapshot.event.bands);
    if (snapshot.missing.size === 0) void this.#install(snapshot);
  }

  /** @param {import("./wire.js").PixelsFrame} frame */
  pixelsArrived(frame) {
    if (this.#held(() => this.pixelsArrived(frame)) || frame.last <= this.seq) return;
    const fits = frame.generation === this.generation && this.board.accepts(frame.records);
    if (frame.first > this.seq + 1 || !fits) return this.#resync(this.position);
    this.board.apply(frame.records);
    this.seq = frame.last;
    this.#observer.cellsChanged(frame.records);
  }

  /** @param {{event: string, game: string, seq: number}} event a numbered JSON event */
  numberedArrived(event) {
    if (this.#held(() => this.numberedArrived(event)) || event.seq <= this.seq) return;
    if (event.seq > this.seq + 1) return this.#resync(this.position);
    const apply = this.#numbered[event.event];
    if (apply === undefined) return this.#resync(undefined);
    const { seq } = this;
    this.seq = event.seq;
    try {
      apply(event);
    } catch (error) {
      this.seq = seq; // it is not on our board
      throw error;
    }
  }

  /** The reply to `checksum`, which follows the frame that it speaks of. */
  checked({ seq, crc32 }) {
    if (this.#snapshot !== null || this.board === null) return;
    if (seq > this.seq) this.#resync(this.position);
    else if (seq === this.seq && this.board.crc32() !== crc32) this.#resync(undefined);
  }

  /** @returns {boolean} whether our board is the one that the reply to `checksum` speaks of */
  matches({ seq, crc32 }) {
    return this.#snapshot === null && seq === this.seq && this.board?.crc32() === crc32;
  }

  /** A resync could not be asked for; the next frame may ask again. */
  resyncFailed() {
    this.#asked = false;
  }

  /** What comes before the board is there waits for it; true when it does (or has nowhere to go). */
  #held(later) {
    const snapshot = this.#snapshot;
    if (snapshot === null) return this.board === null;
    if (snapshot.held.length < MAX_HELD) snapshot.held.push(later);
    else this.#discard(snapshot);
    return true;
  }

  #resync(since) {
    if (this.#asked) return;
    this.#asked = true;
    this.#observer.needsResync(since);
  }

  async #install(snapshot) {
    const { width, height } = snapshot.event;
    const board = Board.filled(width, height, this.empty);
    try {
      await Promise.all(snapshot.bands.map((band) => this.#unpack(board, band)));
    } catch {
      return this.#discard(snapshot);
    }
    if (this.#snapshot === snapshot) this.#show(board, snapshot);
  }

  async #unpack(board, band) {
    const size = packedBytes(band.rows * board.width);
    const bytes = band.deflated ? await this.#inflate(band.payload, size) : band.payload;
    board.writeRows(band.firstRow, band.rows, bytes);
  }

  /** A snapshot that does not unpack is asked for again; the server paces that. */
  #discard(snapshot) {
    if (this.#snapshot !== snapshot) return;
    this.#snapshot = null;
    this.#resync(undefined);
  }

  #show(board, { event, state, held }) {
    const shift = this.board === null ? STILL : this.#shiftTo(state);
    Object.assign(this, { board, epoch: event.epoch, seq: event.seq, generation: event.generation });
    Object.assign(this, { offsetX: state.offsetX, offsetY: state.offsetY });
    this.#snapshot = null;
    this.#observer.boardReplaced(shift);
    for (const later of held) later();
  }

  #shiftTo({ offsetX, offsetY }) {
    return { shiftX: offsetX - this.offsetX, shiftY: offsetY - this.offsetY };
  }

  #grow({ generation, width, height, offsetX, offsetY, shiftX, shiftY }) {
    this.board = this.board.grown(width, height, shiftX, shiftY, this.empty);
    Object.assign(this, { generation, offsetX, offsetY });
    this.#observer.boardReplaced({ shiftX, shiftY });
  }

  #fill({ x1, y1, x2, y2, color }) {
    this.board.fill(x1, y1, x2, y2, color);
    this.#observer.boardReplaced(STILL);
  }

  #applyCells({ records: base64 }) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const records = readRecords(new DataView(bytes.buffer));
    if (!this.board.accepts(records)) return this.#resync(undefined);
    this.board.apply(records);
    this.#observer.cellsChanged(records);
  }
}
