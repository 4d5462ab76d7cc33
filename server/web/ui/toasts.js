/**
 * Short messages above the dock, read out politely; each leaves by itself and the same one is not
 * shown twice. Called by main.js and hand.js.
 */

const SHOWN_MS = 4_500;
const MOST = 3;

export class Toasts {
  #list;

  /** @param {HTMLElement} list an aria-live region */
  constructor(list) {
    this.#list = list;
  }

  /** @param {string} text  @param {"hint" | "warning"} tone */
  show(text, tone) {
    for (const old of [...this.#list.children]) if (old.textContent === text) old.remove();
    while (this.#list.children.length >= MOST) this.#list.firstChild.remove();
    const toast = document.createElement("p");
    toast.className = "toast";
    toast.dataset.tone = tone;
    toast.textContent = text;
    this.#list.append(toast);
    setTimeout(() => this.#leave(toast), SHOWN_MS);
  }

  #leave(toast) {
    toast.classList.add("leaving");
    toast.addEventListener("animationend", () => toast.remove(), { once: true });
    if (getComputedStyle(toast).animationName === "none") toast.remove();
  }
}
