// Fakes for the client's surroundings: a socket, timers and a clock that move when told to.

export class FakeSocket {
  readyState = 0;
  sent = [];

  send(data) {
    this.sent.push(data);
  }

  close() {
    this.readyState = 3;
  }

  open() {
    this.readyState = 1;
  }

  /** The server says something: an object as JSON, a buffer as it is. */
  says(message) {
    this.onmessage({ data: message instanceof ArrayBuffer ? message : JSON.stringify(message) });
  }

  hello(pingMs = 20_000) {
    this.open();
    this.says({ event: "hello", protocol: 1, pingMs });
  }

  drops(code = 1006, reason = "") {
    this.readyState = 3;
    this.onclose({ code, reason });
  }

  get commands() {
    return this.sent.filter((data) => typeof data === "string").map((data) => JSON.parse(data));
  }

  get frames() {
    return this.sent.filter((data) => typeof data !== "string");
  }
}

export class World {
  nowMs = 1_000;
  sockets = [];
  timers = new Map();
  #nextTimer = 1;
  chance = 0.5;

  openSocket = () => {
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket;
  };

  setTimer = (act, ms) => {
    const id = this.#nextTimer++;
    this.timers.set(id, { act, atMs: this.nowMs + ms });
    return id;
  };

  clearTimer = (id) => {
    this.timers.delete(id);
  };

  now = () => this.nowMs;
  random = () => this.chance;

  get socket() {
    return this.sockets.at(-1);
  }

  /** Time passes; timers that fall due act in their order. */
  pass(ms) {
    const endMs = this.nowMs + ms;
    for (;;) {
      const due = [...this.timers].filter(([, timer]) => timer.atMs <= endMs);
      if (due.length === 0) break;
      const [id, { act, atMs }] = due.reduce((a, b) => (b[1].atMs < a[1].atMs ? b : a));
      this.timers.delete(id);
      this.nowMs = Math.max(this.nowMs, atMs);
      act();
    }
    this.nowMs = endMs;
  }
}

/** Let promises that are already settled run their reactions. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

export const frame = (hex) => Uint8Array.from(hex.replaceAll(" ", "").match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)).buffer;

/** A pixels frame of channel 7. */
export function pixelsFrame({ first, records, generation = 0, last = first + records.length - 1, conflated = false }) {
  const view = new DataView(new ArrayBuffer(24 + 4 * records.length));
  view.setUint8(0, 0x01);
  view.setUint8(1, conflated ? 1 : 0);
  view.setUint16(2, 7, true);
  view.setUint32(4, generation, true);
  view.setBigUint64(8, BigInt(first), true);
  view.setBigUint64(16, BigInt(last), true);
  records.forEach((record, k) => view.setUint32(24 + 4 * k, record, true));
  return view.buffer;
}

/** A band frame of channel 7, raw. */
export function bandFrame({ seq, firstRow, rows, payload, generation = 0, encoding = 0 }) {
  const buffer = new ArrayBuffer(24 + payload.length);
  const view = new DataView(buffer);
  view.setUint8(0, 0x02);
  view.setUint8(1, encoding);
  view.setUint16(2, 7, true);
  view.setUint32(4, generation, true);
  view.setBigUint64(8, BigInt(seq), true);
  view.setUint32(16, firstRow, true);
  view.setUint32(20, rows, true);
  new Uint8Array(buffer, 24).set(payload);
  return buffer;
}

/** An ack frame of channel 7. */
export function ackFrame({ status, request, seq, record, stackLeft = 0, leftMs = 0 }) {
  const view = new DataView(new ArrayBuffer(32));
  view.setUint8(0, 0x11);
  view.setUint8(1, status);
  view.setUint16(2, 7, true);
  view.setUint32(4, request, true);
  view.setBigUint64(8, BigInt(seq), true);
  view.setUint32(16, record, true);
  view.setUint16(22, stackLeft, true);
  view.setBigUint64(24, BigInt(leftMs), true);
  return view.buffer;
}

export const gameState = (changes = {}) => ({
  game: "place#main",
  channel: 7,
  epoch: "e1",
  seq: 10,
  resume: "snapshot",
  generation: 0,
  width: 4,
  height: 2,
  offsetX: 0,
  offsetY: 0,
  palette: [{ rgb: "#FF4500", name: "Red" }, { rgb: "#FFFFFF", name: "White" }],
  empty: 15,
  cooldown: { rule: "gcra", ms: 5_000, leftMs: 0, stack: 1, maxStack: 1 },
  locked: false,
  milestones: [],
  watchers: 1,
  ...changes,
});
