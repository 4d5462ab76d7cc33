/**
 * The visitor's hand: which colour it holds, what a tap means, whether a placement is possible
 * and why not. Places through the client and words what came of it. Called by main.js, gestures,
 * keys and the dock.
 *
 * @typedef {"away" | "loading" | "watching" | "locked" | "waiting" | "noColor" | "noCell" | "ready"} Readiness
 */

import * as texts from "../texts.js";

const IDLE = new Set(["noColor", "noCell"]);
/** What we know beforehand and what the server would say, by its code. */
const SAME_AS_REFUSED = { waiting: "cooldown", watching: "spectator" };

export class Hand {
  #client;
  #stage;
  #toasts;
  #changed;

  /**
   * @param {import("../client/client.js").Client} client
   * @param {import("./stage.js").Stage} stage
   * @param {import("./toasts.js").Toasts} toasts
   * @param {() => void} changed
   */
  constructor(client, stage, toasts, changed) {
    this.#client = client;
    this.#stage = stage;
    this.#toasts = toasts;
    this.#changed = changed;
    this.color = null;
    client.on("refused", (refused) => this.#refused(refused));
  }

  /** @returns {Readiness} */
  get readiness() {
    const { joined, watching, game, cooldown } = this.#client;
    if (!joined) return game === null ? "loading" : "away";
    if (watching !== null) return "watching";
    if (game.locked) return "locked";
    if (cooldown.leftMs > 0) return "waiting";
    if (this.color === null) return "noColor";
    return this.#stage.aim === null ? "noCell" : "ready";
  }

  /** @param {number} index of a colour; one that is not in use is left alone */
  pick(index) {
    const entry = this.#client.game?.palette[index];
    if (!entry) return;
    this.color = index;
    this.#stage.previewIn(entry.rgb);
    this.#changed();
  }

  letGo() {
    this.color = null;
    this.#stage.previewIn(null);
    this.#stage.aimAt(null, "keys");
    this.#changed();
  }

  /** The palette may have changed under the hand. */
  reconsider() {
    if (this.color === null) return;
    const entry = this.#client.game.palette[this.color];
    if (entry) this.#stage.previewIn(entry.rgb);
    else this.letGo();
  }

  /** Far away a tap comes nearer. Near, a click places; a finger aims first and then confirms. */
  tapped(cell, isTouch) {
    const stage = this.#stage;
    if (stage.viewport.isFar) {
      stage.approach(cell);
      return stage.aimAt(isTouch ? cell : null, "touch");
    }
    const isConfirmed = !isTouch || (stage.aim?.x === cell.x && stage.aim?.y === cell.y);
    stage.aimAt(cell, isTouch ? "touch" : "mouse");
    if (isConfirmed) this.placeAtAim();
  }

  placeAtAim() {
    const { readiness } = this;
    if (readiness === "ready" && this.#stage.viewport.isFar) this.#stage.approach(this.#stage.aim);
    else if (readiness === "ready") this.#client.send(this.#stage.aim.x, this.#stage.aim.y, this.color);
    else this.#explain(readiness);
    this.#changed();
  }

  #explain(readiness) {
    const { game, cooldown, watching } = this.#client;
    const explanations = {
      away: () => texts.toast.away,
      loading: () => texts.toast.away,
      watching: () => texts.watching(watching.code),
      locked: () => texts.refusal("locked", { reason: game.lockReason }),
      waiting: () => texts.refusal("cooldown", { leftMs: cooldown.leftMs }),
      noColor: () => texts.toast.pickColor,
      noCell: () => texts.toast.pickCell,
    };
    const topic = SAME_AS_REFUSED[readiness] ?? readiness;
    this.#toasts.show(explanations[readiness](), IDLE.has(readiness) ? "hint" : "warning", topic);
  }

  #refused({ code, leftMs }) {
    const reason = this.#client.game?.lockReason;
    this.#toasts.show(texts.refusal(code, { leftMs, reason }), "warning", code);
  }
}
