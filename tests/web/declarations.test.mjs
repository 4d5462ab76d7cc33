// index.d.ts and index.js say the same: names that are exported, members of each class.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as door from "../../server/web/client/index.js";

const FOLDER = new URL("../../server/web/client/", import.meta.url);
const declared = readFileSync(new URL("index.d.ts", FOLDER), "utf8");
const NOT_FOR_PROGRAMS = new Set(["constructor", "emit"]);

function declaredMembers(name) {
  const [, body] = new RegExp(`export class ${name}\\b[^{]*\\{\\n?([^]*?)\\n?\\}\\n`).exec(declared);
  return [...body.matchAll(/^ {2}(?:static |readonly )*(\w+)(?=[(<:])/gm)].map(([, member]) => member);
}

function realMembers(Class) {
  const names = [];
  for (let at = Class.prototype; at !== Object.prototype && at !== Error.prototype; at = Object.getPrototypeOf(at)) {
    names.push(...Object.getOwnPropertyNames(at));
  }
  return new Set(names.filter((name) => !NOT_FOR_PROGRAMS.has(name)));
}

test("every exported name is declared, and nothing else", () => {
  const names = [...declared.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(names.sort(), Object.keys(door).sort());
});

for (const name of ["Player", "Board", "GameSync", "Identity", "CommandError"]) {
  test(`${name} has the methods that are declared`, () => {
    const members = declaredMembers(name);
    const missing = [...realMembers(door[name])].filter((member) => !members.includes(member));
    assert.deepEqual(missing, []);
  });
}

test("every declared method is there", () => {
  for (const [name, Class] of Object.entries(door).filter(([, value]) => /^class /.test(String(value)))) {
    const methods = [...declaredMembers(name)].filter((member) => new RegExp(`^ {2}(?:static )?${member}[(<]`, "m").test(declared));
    for (const method of methods.filter((member) => member !== "constructor")) {
      assert.ok(method in Class.prototype || method in Class, `${name}.${method}`);
    }
  }
});

test("the package says what it is, and is of the product's version", () => {
  const about = JSON.parse(readFileSync(new URL("package.json", FOLDER), "utf8"));
  const [, version] = /^version = "(.+)"$/m.exec(readFileSync(new URL("../../../pyproject.toml", FOLDER), "utf8"));
  assert.deepEqual([about.type, about.exports["."].default, about.version], ["module", "./index.js", version]);
});
