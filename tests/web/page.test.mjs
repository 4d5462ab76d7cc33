import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { test } from "node:test";
import * as texts from "../../server/web/texts.js";
import { STATUS_CODES } from "../../server/web/client/wire.js";
import { clock, plural } from "../../server/web/ui/format.js";
import { glide } from "../../server/web/ui/glide.js";
import { Viewport } from "../../server/web/ui/viewport.js";

const ROOT = new URL("../../server/web/", import.meta.url);

function view() {
  const viewport = new Viewport({ top: 60, right: 20, bottom: 100, left: 20 });
  return Object.assign(viewport, { width: 1_000, height: 800, boardWidth: 960, boardHeight: 540 });
}

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);

test("fitting leaves the insets free and centres", () => {
  const { scale, x, y } = view().fitted();
  near(scale, 1);
  near(x, 20);
  near(y, 110);
});

test("zooming keeps the cell under the cursor", () => {
  const viewport = view();
  viewport.place = viewport.fitted();
  const before = (300 - viewport.x) / viewport.scale;
  viewport.place = viewport.zoomedAt(300, 400, 7.3);
  near((300 - viewport.x) / viewport.scale, before);
  viewport.place = viewport.zoomedAt(300, 400, 1e9);
  assert.equal(viewport.scale, 64);
});

test("the board cannot be lost, however far it is dragged", () => {
  const viewport = view();
  viewport.place = viewport.panned(1e6, -1e6);
  near(viewport.x, 920);
  near(viewport.y, 80 - 540);
});

test("a growth to the left and up does not move what is seen", () => {
  const viewport = view();
  viewport.place = { scale: 4, x: 100, y: 50 };
  const seen = viewport.x + 10 * viewport.scale;
  viewport.shift({ shiftX: 25, shiftY: 5 });
  near(viewport.x + (10 + 25) * viewport.scale, seen);
});

test("cells under a point, and none outside", () => {
  const viewport = view();
  viewport.place = { scale: 2, x: 10, y: 20 };
  assert.deepEqual(viewport.cellAt(13, 25), { x: 1, y: 2 });
  assert.equal(viewport.cellAt(9, 25), null);
  assert.equal(viewport.cellAt(10 + 1920, 25), null);
});

test("revealing moves no more than is needed", () => {
  const viewport = view();
  viewport.place = { scale: 10, x: 0, y: 0 };
  assert.deepEqual(viewport.revealing({ x: 30, y: 30 }), viewport.place);
  near(viewport.revealing({ x: 200, y: 30 }).x, 970 - 2_000);
});

test("a glide begins and ends where it should and keeps the shared point", () => {
  const viewport = view();
  viewport.place = { scale: 1, x: 0, y: 0 };
  const to = viewport.zoomedAt(250, 250, 8);
  const at = glide(viewport.place, to, 500, 400);
  const half = at(0.5);
  near((250 - half.x) / half.scale, 250);
  near(at(0).scale, 1);
  assert.deepEqual(at(1), to);
});

test("clocks and counts", () => {
  assert.deepEqual([0, 1, 41_500, 60_000, 3_725_000].map(clock), ["0:00", "0:01", "0:42", "1:00", "1:02:05"]);
  assert.equal(clock(100 * 86_400_000), "100 days");
  assert.deepEqual([plural(1, "player"), plural(1_234, "player")], ["1 player", "1,234 players"]);
});

test("every refusal has words of its own", () => {
  const fallback = texts.refusal("x", {}).replace("(x)", "");
  for (const code of Object.values(STATUS_CODES).filter((name) => name !== "accepted")) {
    assert.ok(!texts.refusal(code, { leftMs: 5_000 }).startsWith(fallback.slice(0, 20)), code);
  }
});

test("the page preloads each of its modules, and names no other origin", () => {
  const html = readFileSync(new URL("index.html", ROOT), "utf8");
  const scripts = (room) => readdirSync(new URL(room, ROOT)).filter((file) => file.endsWith(".js"));
  const modules = ["texts.js", ...["client", "ui"].flatMap((room) => scripts(room).map((file) => `${room}/${file}`))];
  const preloaded = [...html.matchAll(/modulepreload" href="([^"]+)"/g)].map(([, href]) => href);
  assert.deepEqual(preloaded.sort(), modules.sort());
  assert.doesNotMatch(html, /(src|href)="(\/|https?:)/);
  assert.doesNotMatch(html, /style=|<style|onclick/);
});

test("all scripts together stay within their budget", () => {
  const files = readdirSync(ROOT, { recursive: true }).filter((file) => file.endsWith(".js"));
  const sizeBytes = files.reduce((sum, file) => sum + statSync(new URL(file, ROOT)).size, 0);
  assert.ok(sizeBytes <= 150_000, `${sizeBytes} bytes`);
});
