"""Writes what docs/reference/http.md says of routes, shapes and statuses, from the registry.

Run it as `python -m tests.support.write_http_reference` after a change; the guard compares.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from server.commands.all import COMMANDS
from server.http.openapi.document import document
from server.http.statuses import STATUS_OF
from tests.support.source import ROOT

PAGE = ROOT / "docs" / "reference" / "http.md"
BEGIN = "<!-- written by `python -m tests.support.write_http_reference`: begin -->"
END = "<!-- written: end -->"
MAX_CHOICES = 10
"""So many are told one by one in a table."""


def page() -> str:
    """The page as it should be."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{_written()}\n{END}{after}"


def _written() -> str:
    described = document(COMMANDS)
    operations = [
        _operation(path, method, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    schemas = described["components"]["schemas"]
    shapes = [_shape(name, schema) for name, schema in schemas.items()]
    return "\n".join(
        ["## Statuses", "", _statuses(), "## Routes", "", *operations, "## Shapes", "", *shapes]
    )


def _table(head: str, rows: Iterable[str]) -> str:
    columns = head.count("|") - 1
    return "\n".join([head, "|" + "---|" * columns, *rows, ""])


def _statuses() -> str:
    codes: dict[HTTPStatus, list[str]] = {}
    for code, status in STATUS_OF.items():
        codes.setdefault(status, []).append(f"`{code}`")
    rows = (f"| {status.value} | {', '.join(codes[status])} |" for status in sorted(codes))
    return _table("| status | `code` |", rows)


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    parts = [f"### {method.upper()} {path}", "", f"{operation['summary']}.{_who(operation)}", ""]
    if "description" in operation:
        parts += [operation["description"], ""]
    if operation["parameters"]:
        rows = map(_parameter, operation["parameters"])
        parts.append(_table("| parameter | in | type | |", rows))
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        parts.append(_fields("field of the body", schema))
    parts += ["  \n".join(_answers(operation)), ""]
    return "\n".join(parts)


def _who(operation: dict[str, Any]) -> str:
    return " Needs a token." if operation.get("security") == [{"token": []}] else ""


def _parameter(one: dict[str, Any]) -> str:
    needed = "needed; " if one["required"] and one["in"] == "query" else ""
    text = (needed + one.get("description", "")).rstrip("; ")
    return f"| `{one['name']}` | {one['in']} | {_type(one['schema'])} | {text} |"


def _answers(operation: dict[str, Any]) -> Iterable[str]:
    for status, response in operation["responses"].items():
        if status.endswith("XX"):
            continue
        for media_type, content in (response.get("content") or {"no body": {}}).items():
            shape = f", {_type(content['schema'])}" if content.get("schema") else ""
            yield f"{status}: {media_type}{shape}"


def _shape(name: str, schema: dict[str, Any]) -> str:
    return "\n".join([f"### {name}", "", schema["description"], "", _fields("field", schema)])


def _fields(head: str, schema: dict[str, Any]) -> str:
    needed = set(schema.get("required", ()))
    rows = (
        f"| `{name}{'' if name in needed else '?'}` | {_type(field)} "
        f"| {field.get('description', '')} |"
        for name, field in schema.get("properties", {}).items()
    )
    return _table(f"| {head} | type | |", rows)


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if "enum" in schema and len(schema["enum"]) > MAX_CHOICES:
        return "one of the codes above"
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "items" in schema:
        return f"list of {_element(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map to {_type(schema['additionalProperties'])}"
    kind = schema.get("type", "anything")
    return (kind if isinstance(kind, str) else " or ".join(kind)) + _range(schema)


def _element(schema: dict[str, Any]) -> str:
    """A list of (Color or null) is not a list, or null."""
    return f"({_type(schema)})" if "anyOf" in schema else _type(schema)


def _range(schema: dict[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None:
        return f" from {low}" if high is None else f" {low} to {high}"
    if "maxLength" in schema:
        return f" up to {schema['maxLength']} characters"
    return "" if high is None else f" up to {high}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
