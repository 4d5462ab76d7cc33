// What index.js exports, for TypeScript and for editors. Kept by hand; a test compares the two.

export interface Options {
  /** The game's name; `place#main` if it is left out. */
  game?: string;
  /** Who you are; without one you become a guest. */
  token?: string;
  /** Where a guest's token is kept, such as `localStorage`; without one, as long as the program runs. */
  storage?: TokenStorage;
  /** In place of `token` and `storage`. */
  identity?: Identity;
  /** For Node.js before 22: the class of the package `ws`, say. */
  WebSocket?: new (url: string, protocol: string) => any;
}

export interface TokenStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Placed {
  ok: true;
  seq: number;
  x: number;
  y: number;
  color: number;
  /** Until your next placement. */
  leftMs: number;
  stackLeft: number;
}

export interface Refused {
  ok: false;
  /** The name of a refusal, or `lost` when nobody knows what became of it. */
  code: string;
  x: number;
  y: number;
  color: number;
  /** What is left of the refusal; `Infinity`: for ever. */
  leftMs: number;
}

export interface Color {
  rgb: string;
  name: string;
}

export interface GameState {
  game: string;
  channel: number;
  epoch: string;
  seq: number;
  generation: number;
  width: number;
  height: number;
  offsetX: number;
  offsetY: number;
  palette: Array<Color | null>;
  empty: number;
  cooldown: { rule: string; ms: number; leftMs: number; stack: number; maxStack: number };
  locked: boolean;
  lockReason?: string | null;
  startsAt?: number | null;
  endsAt?: number | null;
  watchers: number;
}

export interface You {
  id: string | null;
  name: string | null;
  roles: string[];
  anonymous: boolean;
  /** Until when the token is good, in ms since the epoch. */
  expiresAt?: number;
  /** There when it was made just now; it is kept already. */
  token?: string;
}

export interface Placement {
  request: number;
  x: number;
  y: number;
  color: number;
}

export type Status =
  | { phase: "connecting" }
  | { phase: "live" }
  | { phase: "joined" }
  | { phase: "waiting"; retryAtMs: number; code: number; reason: string }
  | { phase: "absent"; code: string; message: string }
  | { phase: "stopped"; code: number; reason: string };

export interface Shift {
  shiftX: number;
  shiftY: number;
}

export interface Signals {
  status: Status;
  game: GameState;
  board: Shift;
  cells: Uint32Array;
  progress: { done: number; total: number };
  placements: undefined;
  placed: { placement: Placement; seq: number; leftMs: number; stackLeft: number };
  refused: { placement: Placement; code: string; leftMs: number };
  cooldown: undefined;
  you: You;
  presence: { total: number; spectators: number };
  notice: { text: string; level: string };
  going: { retryAfterMs: number; reason: string };
}

/** Follows one game, places on it, and comes back by itself after a cut. */
export class Player {
  private constructor();
  readonly name: string;
  readonly game: GameState | null;
  readonly you: You | null;
  readonly board: Board | null;
  readonly position: { epoch: string; seq: number } | undefined;
  readonly generation: number;
  readonly joined: boolean;
  /** Why we watch only; null for one who may place. */
  readonly watching: { code: string; leftMs: number } | null;
  readonly placements: Placement[];
  readonly cooldown: Cooldown;
  on<K extends keyof Signals>(signal: K, listener: (detail: Signals[K]) => void): this;
  start(): void;
  /** Resolves once placements can be sent; rejects when the client has stopped. */
  ready(): Promise<void>;
  /** What became of a placement, also over a cut. */
  place(x: number, y: number, color: number): Promise<Placed | Refused>;
  /** Place without a promise: `placed` or `refused` tells. Only while `joined`. */
  send(x: number, y: number, color: number): Placement;
  /** Any command of the protocol, such as `limits`; rejects with a CommandError. */
  ask(command: string, fields?: object): Promise<any>;
  /** Choose another name, as a guest; rejects with a CommandError. */
  rename(name: string): Promise<void>;
  /** Whether our board is the server's, by checksums of the very same number. */
  verify(): Promise<boolean>;
  wake(): void;
  become(token: string): void;
  startOver(): void;
  close(): void;
}

export interface Cooldown {
  readonly ms: number;
  readonly maxStack: number;
  readonly stack: number;
  /** Until one placement is ready; 0 when one is. */
  readonly leftMs: number;
}

/** Make a client and open its line; the address is that of the page or of its socket. */
export function connect(address: string | URL, options?: Options): Player;

/** Make a client that waits for `start()`. */
export function createPlayer(address: string | URL, options?: Options): Player;

export class CommandError extends Error {
  constructor(error: { code: string; message: string; retryAfterMs?: number; scope?: string });
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  readonly scope: string | undefined;
}

export class Identity {
  constructor(storage: () => TokenStorage);
  claim(): { token: string } | { guest: true };
  keep(token: string): void;
  forget(): void;
}

export class Board {
  constructor(width: number, height: number, packed: Uint8Array);
  static filled(width: number, height: number, color: number): Board;
  readonly width: number;
  readonly height: number;
  readonly packed: Uint8Array;
  contains(x: number, y: number): boolean;
  get(x: number, y: number): number;
  set(x: number, y: number, color: number): void;
  apply(records: Uint32Array): void;
  accepts(records: Uint32Array): boolean;
  fill(x1: number, y1: number, x2: number, y2: number, color: number): void;
  writeRows(firstRow: number, rows: number, bytes: Uint8Array): void;
  grown(width: number, height: number, shiftX: number, shiftY: number, empty: number): Board;
  crc32(): number;
}

export interface Observer {
  cellsChanged(records: Uint32Array): void;
  boardReplaced(shift: Shift): void;
  settingsChanged(changes: object): void;
  progressed(done: number, total: number): void;
  needsResync(since: { epoch: string; seq: number } | undefined): void;
}

export type Inflate = (deflated: Uint8Array, sizeBytes: number) => Promise<Uint8Array>;

/** Rule 4 of the protocol without a socket, for those who bring their own. */
export class GameSync {
  constructor(observer: Observer, inflate: Inflate);
  readonly board: Board | null;
  readonly epoch: string | null;
  readonly seq: number;
  readonly generation: number;
  readonly offsetX: number;
  readonly offsetY: number;
  readonly empty: number;
  readonly position: { epoch: string; seq: number } | undefined;
  interrupted(): void;
  adopt(state: GameState): void;
  snapshotBegan(event: object): void;
  bandArrived(band: BandFrame): void;
  pixelsArrived(frame: PixelsFrame): void;
  numberedArrived(event: { event: string; game: string; seq: number }): void;
  checked(reply: { seq: number; crc32: number }): void;
  matches(reply: { seq: number; crc32: number }): boolean;
  resyncFailed(): void;
}

export interface PixelsFrame {
  kind: "pixels";
  conflated: boolean;
  channel: number;
  generation: number;
  first: number;
  last: number;
  records: Uint32Array;
}

export interface BandFrame {
  kind: "band";
  deflated: boolean;
  channel: number;
  generation: number;
  seq: number;
  firstRow: number;
  rows: number;
  payload: Uint8Array;
}

export interface AckFrame {
  kind: "ack";
  status: number;
  code: string;
  channel: number;
  request: number;
  seq: number;
  record: number;
  index: number;
  stackLeft: number;
  leftMs: number;
}

export const SUBPROTOCOL: string;
export const STATUS_CODES: Readonly<Record<number, string>>;

/** What breaks the protocol. */
export class WireError extends Error {}

export function isNumbered(event: object): boolean;
export function decode(buffer: ArrayBuffer): PixelsFrame | BandFrame | AckFrame | null;
export function encodePlace(channel: number, request: number, generation: number, records: number[]): ArrayBuffer;
export function packRecord(x: number, y: number, color: number): number;
export function recordX(record: number): number;
export function recordY(record: number): number;
export function recordColor(record: number): number;
export function crc32(bytes: Uint8Array): number;
export function inflate(deflated: Uint8Array, sizeBytes: number): Promise<Uint8Array>;
