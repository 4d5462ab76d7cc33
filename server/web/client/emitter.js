/**
 * Named signals with plain listeners, in the order in which they came. Called by client.js.
 */

export class Emitter {
  /** @type {Map<string, Array<(detail: any) => void>>} */
  #listeners = new Map();

  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return this;
  }

  emit(name, detail) {
    for (const listener of this.#listeners.get(name) ?? []) listener(detail);
  }
}
