/**
 * Short messages above the dock, read out politely; each leaves by itself. One about the same topic
 * as one that still shows takes its place. Called by main.js and hand.js.
 */

const SHOWN_MS = 4_500;
const MOST = 3;

export class Toasts {
  #list;
  #timers = new Map();

  /** @param {HTMLElement} list an aria-live region */
  constructor(list) {
    this.#list = list;
  }

  /** @param {string} text  @param {"hint" | "warning"} tone  @param {string} topic */
  show(text, tone, topic = text) {
    const toast = this.#about(topic) ?? this.#added(topic);
    toast.dataset.tone = tone;
    toast.textContent = text;
    clearTimeout(this.#timers.get(topic));
    this.#timers.set(topic, setTimeout(() => this.#leave(toast), SHOWN_MS));
  }

  #about(topic) {
    const isSame = (toast) => toast.dataset.topic === topic && !toast.classList.contains("leaving");
    return [...this.#list.children].find(isSame);
  }

  #added(topic) {
    while (this.#list.children.length >= MOST) this.#list.firstChild.remove();
    const toast = document.createElement("p");
    toast.className = "toast";
    toast.dataset.topic = topic;
    this.#list.append(toast);
    return toast;
  }

  #leave(toast) {
    this.#timers.delete(toast.dataset.topic);
    toast.classList.add("leaving");
    toast.addEventListener("animationend", () => toast.remove(), { once: true });
    if (getComputedStyle(toast).animationName === "none") toast.remove();
  }
}
