/**
 * Every word that the page says, in one place; English. Functions where something is filled in.
 * Called by ui/; never touches the page itself.
 */

import { clock, plural } from "./ui/format.js";

export const TITLE = "Tesserae";

/** What a refusal means to the person who placed, by code. */
const REFUSALS = {
  cooldown: ({ leftMs }) => `Not yet: your next pixel is ready in ${clock(leftMs)}.`,
  "address-cooldown": ({ leftMs }) =>
    `Many people share your network address. Try again in ${clock(leftMs)}.`,
  "out-of-bounds": () => "That is outside the canvas.",
  "bad-color": () => "That colour is not in use here. Pick another one.",
  locked: ({ reason }) => (reason ? `The canvas is locked: ${reason}` : "The canvas is locked just now."),
  banned: ({ leftMs }) =>
    leftMs === Infinity ? "You may not place here any more." : `You may place again in ${clock(leftMs)}.`,
  spectator: () => "You are only watching here.",
  busy: () => "The server is catching up. Try again in a moment.",
  "unknown-game": () => "This canvas does not exist any more.",
  rate: () => "That was a little too fast. Take a breath and try again.",
  ended: () => "This canvas is not open for placing now.",
  masked: () => "This part of the canvas is kept as it is.",
  "stale-generation": () => "The canvas has just grown. Try again.",
  lost: () => "The connection was away too long to tell what became of your pixel.",
};

export const refusal = (code, details) =>
  (REFUSALS[code] ?? (() => `The server would not take that pixel (${code}).`))(details);

/** Why the line is closed for good, by close code. */
const STOPS = {
  4401: { text: "The server does not accept your pass.", action: "Go on without it" },
  4403: { text: "You have been banned from this server.", action: null },
  4404: { text: "This page is too old for the server.", action: "Reload" },
  4405: { text: "An operator has closed your connection.", action: "Reload" },
};

export const stop = (code) =>
  STOPS[code] ?? { text: `The server has closed the connection (${code}).`, action: "Reload" };

/** Why we are away for a while, by close code. */
const AWAY = {
  1012: "The server is restarting",
  4101: "The server is starting",
  4102: "The line was too slow",
  4103: "The server is full",
  4104: "That was too fast",
};

export const away = (code) => AWAY[code] ?? "Offline";
export const retryIn = (seconds) => (seconds > 0 ? `back in ${seconds} s` : "connecting");

export const status = {
  connecting: "Connecting",
  loading: (percent) => `Loading ${percent} %`,
  live: "Joining",
  joined: "Live",
  absent: "Not found",
  stopped: "Closed",
};

export const online = (count) => `${count.toLocaleString("en")} online`;
export const onlineTitle = ({ total, spectators, watchers }) =>
  `${plural(total, "person", "people")} here, ${plural(spectators, "spectator")}` +
  (watchers === undefined ? "" : `, ${watchers} on this canvas`);

export const you = (name) => `You are ${name}`;
export const youMayRename = (name) => `${you(name)}. Choose another name`;
export const renamed = (name) => `${you(name)} now.`;
export const naming = { label: "Your name", save: "Save" };

/** Why a name was not taken, by the server's code. */
const NAME_REFUSALS = {
  "bad-request": () => "Not this one: 1 to 32 characters that show, and no name that looks like an operator.",
  rate: ({ scope, retryAfterMs }) =>
    scope === "renames"
      ? `Keep this name for now. You may choose again in ${clock(retryAfterMs)}.`
      : refusal("rate", {}),
  lost: () => "The connection was lost. Try again in a moment.",
};

export const nameRefused = (error) =>
  (NAME_REFUSALS[error.code] ?? (() => `The server would not take that name (${error.code}).`))(error);

/** The button, by what is missing for a placement. */
export const button = {
  loading: "Loading",
  away: "Offline",
  watching: "Watching",
  locked: "Locked",
  noColor: "Pick a colour",
  noCell: "Pick a cell",
  ready: "Place",
};

/** Why one only watches, by the server's code. */
const WATCHING = {
  forbidden: "Placing takes a token here: ask the organiser for a join link.",
  rate:
    "Your network address has as many guests as it may. This page asks again by itself; " +
    "a join link lets you in at once.",
};

export const watching = (code) => WATCHING[code] ?? refusal("spectator", {});
export const asksIn = (leftMs) => `asks in ${clock(leftMs)}`;

/** Names of the parts for those who do not see them. */
export const labels = {
  board: "The canvas. Arrows aim, Enter places, plus and minus zoom, 0 shows all of it.",
  palette: "Colours",
  zoom: "Zoom",
  zoomIn: "Zoom in (+)",
  zoomOut: "Zoom out (−)",
  fit: "Show all of it (0)",
};

export const stackOf = (stack, maxStack) => `${stack} of ${maxStack} ready`;
export const titleWaiting = (leftMs) => `${clock(leftMs)} · ${TITLE}`;
export const cell = (x, y) => `${x}, ${y}`;
export const zoom = (scale) => `${scale < 10 ? Math.round(scale * 10) / 10 : Math.round(scale)}×`;
export const fitAt = (scale) => `${zoom(scale)} now. ${labels.fit}`;
export const swatch = (name, key) => `${name} (${key.toUpperCase()})`;
export const swatchOff = (index) => `Colour ${index} is not in use`;

/** Why the canvas is not shown, by the server's code. */
export const absent = ({ code, message }, game) =>
  code === "unknown-game"
    ? { text: `There is no canvas ${game} here.`, detail: "", action: "Show the main canvas" }
    : { text: "The server would not let you in.", detail: message, action: "Reload" };

export const toast = {
  pickColor: "Pick a colour first.",
  pickCell: "Pick a cell first.",
  away: "There is no connection just now. Your pixel was not placed.",
};
