// The page of the HTTP API: what it says of a schema, and the addresses that it makes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fieldsOf, requestPath, sample, typeOf } from "../../server/web/reference/schema.js";

const GAME = { name: "game", in: "path" };

test("types in words", () => {
  assert.equal(typeOf({ $ref: "#/components/schemas/Ack" }), "Ack");
  assert.equal(typeOf({ type: "integer", minimum: 0, maximum: 9 }), "integer 0 to 9");
  assert.equal(typeOf({ type: "integer", minimum: 0 }), "integer from 0");
  assert.equal(typeOf({ type: "string", maxLength: 5 }), "string up to 5 characters");
  assert.equal(typeOf({ type: ["integer", "null"] }), "integer or null");
  assert.equal(typeOf({ anyOf: [{ type: "integer" }, { type: "string" }] }), "integer or string");
  assert.equal(typeOf({ enum: ["fixed", "stack"] }), '"fixed" or "stack"');
  assert.equal(typeOf({ type: "array", items: { type: "string" } }), "list of string");
  const entry = { anyOf: [{ type: "string" }, { type: "null" }] };
  assert.equal(typeOf({ type: "array", items: entry }), "list of (string or null)");
  assert.equal(typeOf({ anyOf: [{ items: entry }, { type: "null" }] }), "list of (string or null) or null");
  assert.equal(typeOf({ prefixItems: [{ type: "integer" }, { type: "integer" }] }), "[integer, integer]");
  assert.equal(typeOf({ type: "object", additionalProperties: { $ref: "#/x/B" } }), "map to B");
  assert.equal(typeOf({}), "anything");
});

test("fields, and a body that has what is needed", () => {
  const cell = {
    type: "object",
    required: ["x", "color"],
    properties: { x: { type: "integer", minimum: 1 }, y: { type: "integer" }, color: { $ref: "#/c/Color" } },
  };
  const schemas = { Color: { type: "object", required: ["rgb"], properties: { rgb: { type: "string" } } } };
  assert.deepEqual(fieldsOf(cell).map(({ name, needed }) => [name, needed]), [["x", true], ["y", false], ["color", true]]);
  assert.deepEqual(sample(cell, schemas), { x: 1, color: { rgb: "…" } });
});

test("addresses are relative, filled in and without what is empty", () => {
  const parameters = [GAME, { name: "x", in: "query" }, { name: "y", in: "query" }];
  const path = requestPath("/api/games/{game}/pixel", parameters, { game: "place#main", x: "1", y: "" });
  assert.equal(path, "api/games/place%23main/pixel?x=1");
  assert.equal(requestPath("/api/games/{game}", [GAME], { game: "a/../b" }), "api/games/a%2F..%2Fb");
});
