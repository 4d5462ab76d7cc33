// What JSON schemas say, in words and by example. Pure: knows no page.

const NAME = /[^/]+$/;

export function typeOf(schema) {
  if (schema.$ref) return NAME.exec(schema.$ref)[0];
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
  if (schema.items) return `list of ${elementOf(schema.items)}`;
  if (typeof schema.additionalProperties === "object") {
    return `map to ${typeOf(schema.additionalProperties)}`;
  }
  return [schema.type ?? "anything"].flat().join(" or ") + range(schema);
}

// Whose "or" it is must be seen: a list of (Color or null) is not a list, or null.
function elementOf(schema) {
  return schema.anyOf ? `(${typeOf(schema)})` : typeOf(schema);
}

function range({ minimum, maximum, maxLength }) {
  if (minimum !== undefined && maximum !== undefined) return ` ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  if (maximum !== undefined) return ` up to ${maximum}`;
  return maxLength === undefined ? "" : ` up to ${maxLength} characters`;
}

export function fieldsOf(schema) {
  const needed = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    field,
    needed: needed.has(name),
  }));
}

/** A value that the schema allows: what is needed, and the simplest of it. */
export function sample(schema, schemas) {
  if (schema.$ref) return sample(schemas[NAME.exec(schema.$ref)[0]], schemas);
  if (schema.default !== undefined) return schema.default;
  if (schema.anyOf) return sample(schema.anyOf[0], schemas);
  if (schema.enum) return schema.enum[0];
  switch ([schema.type].flat()[0]) {
    case "object":
      return Object.fromEntries(
        fieldsOf(schema)
          .filter(({ needed }) => needed)
          .map(({ name, field }) => [name, sample(field, schemas)]),
      );
    case "array":
      return [];
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return true;
    default:
      return "…";
  }
}

/** The relative address of a GET: parameters filled in, and those left out that are empty. */
export function requestPath(path, parameters, values) {
  const query = new URLSearchParams();
  let filled = path.slice(1);
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? "";
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== "") query.set(name, value);
  }
  return query.size ? `${filled}?${query}` : filled;
}
