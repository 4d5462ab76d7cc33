/**
 * Named signals with plain listeners, in the order in which they came. What a listener throws is
 * an uncaught error of the program, and no fault of the server's whose message it was told of.
 * Called by client.js.
 */

export class Emitter {
  /** @type {Map<string, Array<(detail: any) => void>>} */
  #listeners = new Map();

  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return this;
  }

  emit(name, detail) {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(detail);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
