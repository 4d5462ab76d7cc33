/**
 * Who we are, in the status pill, and the small form by which a guest chooses another name. Shows
 * and asks; what a name may be is the server's to say. Called by main.js.
 */

import * as texts from "../texts.js";

/** Ids of guests begin so; whoever has another one was named by somebody else. */
const GUEST_PREFIX = "g_";

export class Name {
  #parts;
  #rename;
  #you = null;

  /**
   * @param {{button: HTMLButtonElement, form: HTMLFormElement, label: HTMLElement,
   *   input: HTMLInputElement, save: HTMLButtonElement, note: HTMLElement}} parts
   * @param {(name: string) => Promise<void>} rename rejected with a CommandError
   */
  constructor(parts, rename) {
    this.#parts = parts;
    this.#rename = rename;
    const { button, form, label, input, save } = parts;
    label.textContent = texts.naming.label;
    save.textContent = texts.naming.save;
    button.addEventListener("click", () => (form.hidden ? this.#open() : this.#close()));
    form.addEventListener("submit", (event) => void this.#submit(event));
    form.addEventListener("keydown", (event) => event.key === "Escape" && this.#close());
    form.addEventListener("focusout", (event) => this.#left(event.relatedTarget));
    input.addEventListener("input", () => this.#tell(""));
  }

  /** @param {{id: string | null, name: string | null}} you as the server tells it */
  setYou(you) {
    const { button } = this.#parts;
    this.#you = you;
    button.hidden = you.id === null;
    if (you.id === null) return this.#shut();
    const isGuest = you.id.startsWith(GUEST_PREFIX);
    const words = isGuest ? texts.youMayRename(you.name) : texts.you(you.name);
    button.textContent = you.name;
    button.title = words;
    button.setAttribute("aria-label", words);
    button.disabled = !isGuest;
  }

  #open() {
    const { button, form, input } = this.#parts;
    form.hidden = false;
    button.setAttribute("aria-expanded", "true");
    this.#tell("");
    input.value = this.#you.name;
    input.select();
    input.focus();
  }

  /** Whoever closes it goes on where they came from. */
  #close() {
    this.#shut();
    this.#parts.button.focus();
  }

  #shut() {
    const { button, form } = this.#parts;
    form.hidden = true;
    button.setAttribute("aria-expanded", "false");
  }

  /** A click elsewhere closes it, too; the button closes it by itself. */
  #left(goesTo) {
    const { button, form } = this.#parts;
    if (goesTo !== button && !form.contains(goesTo)) this.#shut();
  }

  async #submit(event) {
    event.preventDefault();
    const { input } = this.#parts;
    const name = input.value.trim();
    if (name === this.#you.name) return this.#close();
    input.readOnly = true;
    try {
      await this.#rename(name);
      this.#close();
    } catch (error) {
      this.#tell(texts.nameRefused(error));
      input.focus();
    } finally {
      input.readOnly = false;
    }
  }

  #tell(wrong) {
    const { input, note } = this.#parts;
    note.textContent = wrong;
    input.setAttribute("aria-invalid", String(wrong !== ""));
  }
}
