/**
 * The client's door: what programs import, in a browser or in Node, and the one place where the
 * modules meet a platform (its WebSocket, timers, clock and chance). Called by the page and by bots.
 */

import { Identity } from "./identity.js";
import { inflate } from "./inflate.js";
import { Player } from "./player.js";
import { SUBPROTOCOL } from "./wire.js";

export { Board } from "./board.js";
export { CommandError } from "./connection.js";
export { crc32 } from "./crc32.js";
export { Identity } from "./identity.js";
export { inflate } from "./inflate.js";
export { Player } from "./player.js";
export { GameSync, isNumbered } from "./sync.js";
export {
  STATUS_CODES,
  SUBPROTOCOL,
  WireError,
  decode,
  encodePlace,
  packRecord,
  recordColor,
  recordX,
  recordY,
} from "./wire.js";

const DEFAULT_GAME = "place#main";

/**
 * Make a client of one game and open its line.
 * @param {string | URL} address of the server's page (`http://…/`) or of its socket (`ws://…/ws`)
 * @param {import("./index.js").Options} options
 * @returns {Player}
 */
export function connect(address, options = {}) {
  const player = createPlayer(address, options);
  player.start();
  return player;
}

/** Make one that waits for `start()`, so that listeners can be there before anything happens. */
export function createPlayer(address, options = {}) {
  const { game = DEFAULT_GAME, WebSocket = globalThis.WebSocket } = options;
  if (WebSocket === undefined) {
    throw new TypeError("no WebSocket here; use Node.js 22 or newer, or give one: { WebSocket }");
  }
  const url = socketAddress(address);
  return new Player({
    game,
    inflate,
    identity: options.identity ?? identityOf(options),
    openSocket: () => new WebSocket(url, SUBPROTOCOL),
    setTimer: (act, ms) => setTimeout(act, ms),
    clearTimer: (timer) => clearTimeout(timer),
    now: () => performance.now(),
    random: Math.random,
    drawRequest: () => crypto.getRandomValues(new Uint32Array(1))[0],
  });
}

/** Without a storage, the token is kept as long as the program runs. */
function identityOf({ token, storage }) {
  const identity = new Identity(() => storage);
  if (token !== undefined) identity.keep(token);
  return identity;
}

/** @returns {string} the socket stands beside the page, under whatever path that is */
function socketAddress(address) {
  const url = new URL(address);
  if (url.protocol.startsWith("ws")) return url.href;
  const socket = new URL("ws", url);
  socket.protocol = socket.protocol.replace("http", "ws");
  return socket.href;
}
