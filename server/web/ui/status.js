/**
 * The pill that tells the state of the line and how many people are here, and the card that takes
 * its place when the server has closed for good. Shows only. Called by main.js.
 */

import * as texts from "../texts.js";

const SECOND_MS = 1_000;

export class Status {
  #parts;
  #timer = null;
  /** @type {any} */
  #status = { phase: "connecting" };
  #progress = null;
  #presence = null;
  #watchers = undefined;
  #act = () => undefined;

  /** @param {{pill: HTMLElement, line: HTMLElement, online: HTMLElement, card: HTMLElement,
   *   cardText: HTMLElement, cardDetail: HTMLElement, cardAction: HTMLElement}} parts */
  constructor(parts) {
    this.#parts = parts;
    parts.cardAction.addEventListener("click", () => this.#act());
    this.#show();
  }

  /** @param {object} status the client's `status` */
  setStatus(status) {
    this.#status = status;
    this.#progress = null;
    this.#parts.card.hidden = true;
    this.#show();
  }

  setProgress({ done, total }) {
    this.#progress = Math.round((100 * done) / total);
    this.#show();
  }

  /** The board is there. */
  loaded() {
    this.#progress = null;
    this.#show();
  }

  setPresence(presence) {
    this.#presence = presence;
    this.#showOnline();
  }

  setWatchers(watchers) {
    this.#watchers = watchers;
    this.#showOnline();
  }

  /**
   * @param {{text: string, detail: string, action: string | null}} words
   * @param {() => void} act
   */
  showCard({ text, detail, action }, act) {
    const { card, cardText, cardDetail, cardAction } = this.#parts;
    cardText.textContent = text;
    cardDetail.textContent = detail;
    cardAction.textContent = action ?? "";
    cardAction.hidden = action === null;
    this.#act = act;
    card.hidden = false;
    if (action !== null) cardAction.focus();
  }

  #show() {
    clearTimeout(this.#timer);
    const { phase } = this.#status;
    this.#parts.pill.dataset.phase = this.#progress === null ? phase : "loading";
    this.#parts.line.textContent = this.#line();
    this.#showOnline();
    if (phase === "waiting") this.#timer = setTimeout(() => this.#show(), SECOND_MS);
  }

  #line() {
    const { phase, code, retryAtMs } = this.#status;
    if (this.#progress !== null) return texts.status.loading(this.#progress);
    if (phase !== "waiting") return texts.status[phase];
    const seconds = Math.ceil((retryAtMs - performance.now()) / SECOND_MS);
    return `${texts.away(code)} · ${texts.retryIn(seconds)}`;
  }

  #showOnline() {
    const { online } = this.#parts;
    online.hidden = this.#presence === null || this.#status.phase !== "joined";
    if (online.hidden) return;
    online.textContent = texts.online(this.#presence.total + this.#presence.spectators);
    online.title = texts.onlineTitle({ ...this.#presence, watchers: this.#watchers });
  }
}
