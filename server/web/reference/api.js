// Renders the OpenAPI document of this server. Owns only what is shown; all it says comes from there.

import { fieldsOf, requestPath, sample, typeOf } from "./schema.js";

const ABOUT = document.querySelector("#about");

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function text(words) {
  // Only `code` of all the Markdown that the document may have.
  return words.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
}

function table(heads, rows) {
  const head = element("tr", {}, ...heads.map((words) => element("th", { scope: "col" }, words)));
  const lines = rows.map((cells) =>
    element("tr", {}, ...cells.map((cell) => element("td", {}, ...[cell].flat()))),
  );
  const body = element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines));
  return element("div", { class: "scroll" }, body);
}

function shapeLink(schema) {
  const words = typeOf(schema);
  const name = /[A-Z]\w+/.exec(words)?.[0];
  if (!name) return element("code", {}, words);
  return element("a", { href: `#shape-${name}` }, element("code", {}, words));
}

function parametersOf(operation) {
  if (!operation.parameters.length) return [];
  const rows = operation.parameters.map((one) => [
    element("code", {}, one.name),
    one.in,
    shapeLink(one.schema),
    [one.required ? "needed. " : "", ...text(one.description ?? "")],
  ]);
  return [element("h4", {}, "Parameters"), table(["name", "in", "type", ""], rows)];
}

function fieldRows(schema) {
  return fieldsOf(schema).map(({ name, field, needed }) => [
    element("code", {}, name),
    shapeLink(field),
    [needed ? "" : "optional. ", ...text(field.description ?? "")],
  ]);
}

function bodyOf(operation, schemas) {
  const schema = operation.requestBody?.content["application/json"].schema;
  if (!schema) return [];
  const example = JSON.stringify(sample(schema, schemas), null, 2);
  const rows = fieldRows(schema);
  return [
    element("h4", {}, "JSON body"),
    ...(rows.length ? [table(["field", "type", ""], rows)] : []),
    element("pre", { "aria-label": "An example of a body" }, example),
  ];
}

function responsesOf(operation) {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => !status.endsWith("XX"))
    .map(([status, response]) => {
      const [type, content] = Object.entries(response.content ?? {})[0] ?? ["", {}];
      const shape = content.schema ? [" ", shapeLink(content.schema)] : [];
      return [element("code", {}, status), [`${response.description}. `, type, ...shape]];
    });
  const problem = element("a", { href: "#shape-Problem" }, element("code", {}, "Problem"));
  rows.push(["else", ["application/problem+json ", problem]]);
  return [element("h4", {}, "Answers"), table(["status", ""], rows)];
}

function tryOut(path, operation) {
  const link = element("a", { target: "_blank", rel: "noopener" }, "Try it");
  const inputs = operation.parameters.map((one) => {
    const input = element("input", { name: one.name, autocomplete: "off", spellcheck: "false" });
    input.value = one.in === "path" ? (one.example ?? "") : "";
    input.placeholder = one.required ? "needed" : String(one.schema.default ?? "");
    return input;
  });
  const update = () => {
    const values = Object.fromEntries(inputs.map((input) => [input.name, input.value]));
    link.href = requestPath(path, operation.parameters, values);
  };
  const form = element("form", { class: "try" });
  form.append(...inputs.map((input) => element("label", {}, input.name, input)), link);
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    link.click();
  });
  update();
  return form;
}

function article(path, method, operation, schemas) {
  const title = element(
    "h3",
    {},
    element("span", { class: `method ${method}` }, method.toUpperCase()),
    element("code", {}, path),
  );
  const open = operation.security?.some((one) => !Object.keys(one).length) ?? true;
  const needsToken = operation.security?.length > 0 && !open;
  return element(
    "article",
    { id: operation.operationId },
    title,
    element("p", {}, operation.summary, needsToken ? ". Needs a token." : "."),
    ...(operation.description ? [element("p", { class: "muted" }, ...text(operation.description))] : []),
    ...parametersOf(operation),
    ...bodyOf(operation, schemas),
    ...responsesOf(operation),
    ...(method === "get" ? [tryOut(path, operation)] : []),
  );
}

function operationsOf(description) {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

function show(description) {
  const { schemas } = description.components;
  const operations = operationsOf(description);
  ABOUT.replaceChildren(...text(description.info.description));
  const entries = operations.map(({ path, method, operation }) => {
    const link = element("a", { href: `#${operation.operationId}` }, operation.summary);
    return element("li", {}, link, " ", element("code", { class: "muted" }, `${method.toUpperCase()} ${path}`));
  });
  document.querySelector("#contents").append(element("ul", {}, ...entries));
  for (const { name } of description.tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const articles = own.map((one) => article(one.path, one.method, one.operation, schemas));
    document.querySelector("#operations").append(element("h2", {}, name), ...articles);
  }
  const shapes = Object.entries(schemas).map(([name, schema]) =>
    element(
      "article",
      { id: `shape-${name}` },
      element("h3", {}, element("code", {}, name)),
      element("p", {}, ...text(schema.description ?? "")),
      table(["field", "type", ""], fieldRows(schema)),
    ),
  );
  const section = document.querySelector("#shapes");
  section.append(...shapes);
  section.hidden = false;
  if (location.hash) document.querySelector(location.hash)?.scrollIntoView();
}

try {
  const response = await fetch("api/openapi.json");
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  show(await response.json());
} catch (error) {
  ABOUT.textContent = `The description could not be loaded (${error.message}). Reload the page to try again.`;
}
