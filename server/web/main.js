/**
 * The page's composition root: makes the client and the parts of the page, and joins the signals
 * of the one to the other. Called by index.html.
 */

import { Identity, createPlayer } from "./client/index.js";
import { readJoinLink } from "./client/joinlink.js";
import * as texts from "./texts.js";
import { Dock } from "./ui/dock.js";
import { Gestures } from "./ui/gestures.js";
import { Hand } from "./ui/hand.js";
import { Keys } from "./ui/keys.js";
import { Name } from "./ui/name.js";
import { Stage } from "./ui/stage.js";
import { Status } from "./ui/status.js";
import { Toasts } from "./ui/toasts.js";

const DEFAULT_GAME = "place#main";
const UNUSED_COLOR = "#808488";
const MARGIN_PX = 20;
const ZOOM_STEP = 2;
/** Final closes after which the same page may come back as somebody new. */
const TOKEN_REFUSED = 4401;

const part = (id) => document.getElementById(id);
const board = /** @type {HTMLCanvasElement} */ (part("board"));

/** The game in the address, or the server's first one, or the usual one. */
async function chooseGame() {
  const asked = new URLSearchParams(location.search).get("game");
  if (asked) return asked;
  try {
    const response = await fetch("api/games", { signal: AbortSignal.timeout(3_000) });
    return (await response.json()).games[0].game;
  } catch {
    return DEFAULT_GAME;
  }
}

/** @returns {string | null} the token of a join link, which is in the address bar no longer */
function takeToken() {
  const { token, rest } = readJoinLink(location.hash);
  if (token !== null) history.replaceState(history.state, "", location.pathname + location.search + rest);
  return token;
}

function makeIdentity() {
  const identity = new Identity(() => localStorage);
  const token = takeToken();
  if (token !== null) identity.keep(token);
  return identity;
}

/** The free room for the board, between what floats over it. */
function insets() {
  const top = part("status").getBoundingClientRect().bottom + MARGIN_PX;
  const bottom = innerHeight - part("dock").getBoundingClientRect().top + MARGIN_PX;
  return { top, bottom, left: MARGIN_PX, right: MARGIN_PX };
}

function makePage(client) {
  const toasts = new Toasts(part("toasts"));
  const status = new Status({
    pill: part("status"),
    line: part("line"),
    online: part("online"),
    card: part("card"),
    cardText: part("card-text"),
    cardDetail: part("card-detail"),
    cardAction: part("card-action"),
  });
  const refresh = () => page.dock.refresh();
  const stage = new Stage(board, insets, { aimed: refresh, moved: showMove });
  const hand = new Hand(client, stage, toasts, refresh);
  const buttonParts = { button: part("place"), label: part("place-label"), detail: part("place-detail") };
  const dock = new Dock({ note: part("note"), palette: part("palette"), ...buttonParts }, client, stage, hand);
  const page = { client, toasts, status, stage, hand, dock, name: makeName(client, toasts) };
  return page;
}

function makeName(client, toasts) {
  const nameParts = {
    button: /** @type {HTMLButtonElement} */ (part("name")),
    form: /** @type {HTMLFormElement} */ (part("naming")),
    label: part("naming-label"),
    input: /** @type {HTMLInputElement} */ (part("naming-name")),
    save: /** @type {HTMLButtonElement} */ (part("naming-save")),
    note: part("naming-note"),
  };
  return new Name(nameParts, async (wanted) => {
    await client.rename(wanted);
    toasts.show(texts.renamed(client.you.name), "hint", "name");
  });
}

/** The cursor tells what a click does; the zoom button tells the scale. */
function showMove({ scale, isFar }) {
  board.classList.toggle("far", isFar);
  part("fit").textContent = texts.zoom(scale);
  part("fit").setAttribute("aria-label", texts.fitAt(scale));
}

function follow({ client, toasts, status, stage, hand, dock, name }) {
  client
    .on("status", (now) => {
      status.setStatus(now);
      if (now.phase === "stopped") showStop(client, status, now);
      if (now.phase === "absent") showAbsence(status, now, client.name);
      dock.refresh();
    })
    .on("game", (game) => {
      stage.setColors(Array.from({ length: 16 }, (_, k) => game.palette[k]?.rgb ?? UNUSED_COLOR));
      dock.setPalette(game.palette);
      status.setWatchers(game.watchers);
      hand.reconsider();
      dock.refresh();
    })
    .on("progress", (progress) => client.board === null && status.setProgress(progress))
    .on("board", (shift) => {
      stage.setBoard(client.board, shift);
      status.loaded();
      dock.refresh();
    })
    .on("cells", (records) => stage.cellsChanged(records))
    .on("placements", () => stage.showPlacements(client.placements))
    .on("cooldown", () => dock.refresh())
    .on("you", (you) => name.setYou(you))
    .on("presence", (presence) => status.setPresence(presence))
    .on("notice", ({ text, level }) => toasts.show(text, level === "info" ? "hint" : "warning"));
}

function showStop(client, status, { code, reason }) {
  const act = code === TOKEN_REFUSED ? () => client.startOver() : () => location.reload();
  status.showCard({ ...texts.stop(code), detail: reason }, act);
}

/** The page without its query shows the server's own canvas; for another reason it tries again. */
function showAbsence(status, why, game) {
  status.showCard(texts.absent(why, game), () => location.assign(location.pathname));
}

/** A join link that is opened where the page is open already loads nothing anew. */
function followJoinLinks(client) {
  addEventListener("hashchange", () => {
    const token = takeToken();
    if (token !== null) client.become(token);
  });
}

/** Sleep, sight and network: reasons to look at the line at once. */
function watchSurroundings(client) {
  addEventListener("online", () => client.wake());
  addEventListener("offline", () => client.wake());
  document.addEventListener("visibilitychange", () => document.hidden || client.wake());
}

function label() {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-label]"))) {
    const text = texts.labels[element.dataset.label];
    element.setAttribute("aria-label", text);
    if (element instanceof HTMLButtonElement) element.title = text;
  }
}

async function main() {
  label();
  const identity = makeIdentity();
  const game = await chooseGame();
  const page = makePage(createPlayer(document.baseURI, { game, identity }));
  follow(page);
  new Gestures(board, page.stage, (cell, isTouch) => page.hand.tapped(cell, isTouch));
  new Keys(page.stage, page.hand);
  part("zoom-out").addEventListener("click", () => page.stage.zoomBy(1 / ZOOM_STEP));
  part("zoom-in").addEventListener("click", () => page.stage.zoomBy(ZOOM_STEP));
  part("fit").addEventListener("click", () => page.stage.fit());
  watchSurroundings(page.client);
  followJoinLinks(page.client);
  page.client.start();
}

void main();
