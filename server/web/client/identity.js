/**
 * The visitor's token, kept over reloads where the browser lets us. Falls back to this page's
 * memory when storage is blocked or full. Called by client.js.
 */

const KEY = "tesserae.token";

export class Identity {
  #storage;
  #token;

  /** @param {() => Storage} storage may throw, as `localStorage` does when it is blocked */
  constructor(storage) {
    this.#storage = storage;
    this.#token = this.#attempt((store) => store.getItem(KEY)) ?? null;
  }

  /** @returns {{token: string} | {guest: true}} fields of `subscribe` */
  claim() {
    return this.#token === null ? { guest: true } : { token: this.#token };
  }

  keep(token) {
    this.#token = token;
    this.#attempt((store) => store.setItem(KEY, token));
  }

  forget() {
    this.#token = null;
    this.#attempt((store) => store.removeItem(KEY));
  }

  /** Blocked storage is a choice of the visitor's, not a fault. */
  #attempt(act) {
    try {
      return act(this.#storage());
    } catch {
      return undefined;
    }
  }
}
