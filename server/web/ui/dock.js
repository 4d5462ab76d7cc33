/**
 * The dock: one swatch for each colour and the button that places, counts down and tells what is
 * missing. One who only watches reads the reason in place of the colours. Shows the hand's state and
 * passes presses on; decides nothing. Called by main.js.
 */

import * as texts from "../texts.js";
import { clock } from "./format.js";
import { COLOR_KEYS } from "./keys.js";

const TICK_MS = 1_000;

export class Dock {
  #note;
  #palette;
  #button;
  #label;
  #detail;
  #hand;
  #client;
  #stage;
  #timer = null;
  #shown = null;

  /**
   * @param {{note: HTMLElement, palette: HTMLElement, button: HTMLElement, label: HTMLElement,
   *   detail: HTMLElement}} parts
   * @param {import("../client/client.js").Client} client
   * @param {import("./stage.js").Stage} stage
   * @param {import("./hand.js").Hand} hand
   */
  constructor({ note, palette, button, label, detail }, client, stage, hand) {
    this.#note = note;
    [this.#palette, this.#button, this.#label, this.#detail] = [palette, button, label, detail];
    [this.#client, this.#stage, this.#hand] = [client, stage, hand];
    button.addEventListener("click", () => hand.placeAtAim());
    palette.addEventListener("click", (event) => this.#clicked(event));
    palette.addEventListener("keydown", (event) => this.#walked(event));
  }

  /** Draw the swatches anew, if the palette is another one. */
  setPalette(palette) {
    if (JSON.stringify(palette) === this.#shown) return;
    this.#shown = JSON.stringify(palette);
    this.#palette.replaceChildren(...palette.map(makeSwatch));
    this.refresh();
  }

  refresh() {
    this.#refreshNote();
    this.#refreshSwatches();
    this.#refreshButton();
    document.title = this.#client.cooldown.leftMs > 0 ? this.#titleWaiting() : texts.TITLE;
    this.#tickOn();
  }

  #refreshNote() {
    const { watching } = this.#client;
    this.#palette.hidden = watching !== null;
    this.#note.hidden = watching === null;
    const text = watching === null ? "" : texts.watching(watching.code);
    if (this.#note.textContent !== text) this.#note.textContent = text;
  }

  #refreshSwatches() {
    const picked = this.#hand.color;
    const first = this.#swatches.find((swatch) => !swatch.disabled);
    for (const swatch of this.#swatches) {
      const isPicked = Number(swatch.dataset.index) === picked;
      swatch.setAttribute("aria-checked", String(isPicked));
      swatch.tabIndex = isPicked || (picked === null && swatch === first) ? 0 : -1;
    }
  }

  #refreshButton() {
    const { readiness } = this.#hand;
    const { leftMs, ms } = this.#client.cooldown;
    this.#button.dataset.readiness = readiness;
    this.#button.setAttribute("aria-disabled", String(readiness !== "ready"));
    this.#label.textContent = readiness === "waiting" ? clock(leftMs) : texts.button[readiness];
    this.#detail.textContent = this.#details();
    const isCounting = readiness === "waiting" && ms > 0;
    const done = isCounting ? 1 - Math.min(1, leftMs / ms) : 0;
    this.#button.style.setProperty("--done", done.toFixed(4));
  }

  #details() {
    const { stack, maxStack } = this.#client.cooldown;
    const { watching } = this.#client;
    if (watching !== null) return watching.code === "rate" ? texts.asksIn(watching.leftMs) : "";
    const { aim } = this.#stage;
    const cell = aim === null ? "" : texts.cell(aim.x, aim.y);
    if (maxStack <= 1) return cell;
    return cell === "" ? texts.stackOf(stack, maxStack) : `${cell} · ${stack}/${maxStack}`;
  }

  #titleWaiting() {
    return texts.titleWaiting(this.#client.cooldown.leftMs);
  }

  /** The next change of the countdown, or of the stack, is at most a second away. */
  #tickOn() {
    clearTimeout(this.#timer);
    const { stack, maxStack } = this.#client.cooldown;
    const leftMs = this.#client.watching?.leftMs || this.#client.cooldown.leftMs;
    if (leftMs > 0) this.#timer = setTimeout(() => this.refresh(), leftMs % TICK_MS || TICK_MS);
    else if (stack < maxStack) this.#timer = setTimeout(() => this.refresh(), TICK_MS);
  }

  #clicked(event) {
    const swatch = event.target.closest("button");
    if (swatch !== null) this.#hand.pick(Number(swatch.dataset.index));
  }

  /** Arrows walk the colours, as in any group of radio buttons. */
  #walked(event) {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const open = this.#swatches.filter((swatch) => !swatch.disabled);
    const at = open.indexOf(document.activeElement);
    const next = open[(at + step + open.length) % open.length];
    next.focus();
    this.#hand.pick(Number(next.dataset.index));
  }

  get #swatches() {
    return [...this.#palette.children];
  }
}

function makeSwatch(entry, index) {
  const swatch = document.createElement("button");
  swatch.type = "button";
  swatch.className = "swatch";
  swatch.dataset.index = String(index);
  swatch.setAttribute("role", "radio");
  swatch.disabled = entry === null;
  const name = entry === null ? texts.swatchOff(index) : entry.name;
  swatch.setAttribute("aria-label", name);
  swatch.title = entry === null ? name : texts.swatch(name, COLOR_KEYS[index]);
  if (entry === null) return swatch;
  swatch.setAttribute("aria-keyshortcuts", COLOR_KEYS[index]);
  swatch.style.setProperty("--color", entry.rgb);
  return swatch;
}
