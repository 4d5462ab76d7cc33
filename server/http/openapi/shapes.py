"""JSON schemas of requests, replies and problems, as the OpenAPI document names them.

Owns how a model becomes a schema: fields that may be left out of a reply are no nulls there, and
the texts under a field are its description. Those are read from the source only now, since asking
pydantic for them at import costs each start 65 ms. Called by document.py.
"""

import ast
import inspect
from collections.abc import Iterable, Iterator
from itertools import pairwise
from textwrap import dedent
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from canvas.refusals import Refused
from server.commands.registry import Reply
from server.wire.codes import ErrorCode

Schema = dict[str, Any]
REF = "#/components/schemas/{model}"
NULL = {"type": "null"}


def schemas_of(models: Iterable[type[BaseModel]]) -> dict[str, Schema]:
    """Give the schemas of models and of all that is in them, by name."""
    _, found = models_json_schema([(m, "validation") for m in models], ref_template=REF)
    schemas: dict[str, Schema] = found["$defs"]
    for model in _all_below(BaseModel):
        schema = schemas.get(model.__name__)
        if schema is not None:
            _describe(schema, model)
    return {name: _tidied(schema) for name, schema in sorted(schemas.items())}


def _all_below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for below in model.__subclasses__():
        if below.__module__.startswith("server.commands"):
            yield below
        yield from _all_below(below)


def _describe(schema: Schema, model: type[BaseModel]) -> None:
    schema.pop("additionalProperties", None)  # replies may grow
    texts = _texts_under_fields(model)
    for name, field in model.model_fields.items():
        entry = schema.get("properties", {}).get(field.alias or name)
        if entry is None:
            continue
        if name in texts:
            entry["description"] = texts[name]
        if issubclass(model, Reply) and not field.is_required():
            _leave_out(entry)


def _texts_under_fields(model: type[BaseModel]) -> dict[str, str]:
    """Read the strings that stand under fields, those of the classes above it too."""
    found: dict[str, str] = {}
    for above in reversed(model.__mro__):
        if above.__module__.startswith("server.commands"):
            found |= _texts_in(above)
    return found


def _texts_in(model: type) -> dict[str, str]:
    try:
        source = dedent(inspect.getsource(model))
    except OSError:
        return {}  # installed without sources
    (body,) = [node.body for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    found = {}
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match text:
                case ast.Expr(value=ast.Constant(value=str(words))):
                    found[field.target.id] = inspect.cleandoc(words).replace("\n", " ")
    return found


def _leave_out(entry: Schema) -> None:
    """Take null from a field that is rather left out."""
    entry.pop("default", None)
    branches = [branch for branch in entry.get("anyOf", ()) if branch != NULL]
    if len(branches) == 1:
        del entry["anyOf"]
        entry.update({name: value for name, value in branches[0].items() if name not in entry})


def _tidied(value: Any) -> Any:
    """Drop the titles that pydantic makes of names, and lines that break within a paragraph."""
    if isinstance(value, list):
        return [_tidied(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: item for key, item in value.items() if key != "title" or isinstance(item, dict)}
    if isinstance(kept.get("description"), str):
        kept["description"] = kept["description"].replace("\n", " ").replace("  ", "\n\n")
    return {key: _tidied(item) for key, item in kept.items()}


def without_null(schema: Schema) -> Schema:
    """Give the schema of a parameter, which is left out rather than null."""
    entry = {key: value for key, value in schema.items() if key != "description"}
    if entry.get("default", "") is None:
        del entry["default"]
    branches = [branch for branch in entry.pop("anyOf", ()) if branch != NULL]
    if len(branches) == 1:
        return {**branches[0], **entry}
    return {**entry, "anyOf": branches} if branches else entry


def problem_schema() -> Schema:
    """Describe problem details, with what the protocol has beside code and message."""
    codes = [*(why.code for why in Refused), *(code.value for code in ErrorCode)]
    wait = {"type": "integer", "minimum": 0}
    return {
        "type": "object",
        "description": "What went wrong, and what helps (RFC 9457).",
        "required": ["type", "title", "status", "detail", "code"],
        "properties": {
            "type": {"type": "string", "const": "about:blank"},
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string", "description": "In words, with the remedy."},
            "code": {"type": "string", "enum": codes, "description": "The protocol's name of it."},
            "field": {"type": "string", "description": "Which field or parameter is wrong."},
            "retryAfterMs": {**wait, "description": "Try the same again after this time."},
            "leftMs": {
                "type": ["integer", "null"],
                "description": "What is left of a cooldown or ban; null: for ever.",
            },
            "scope": {"type": "string", "description": "Which of several limits refused."},
            "seq": {**wait, "description": "The newest published seq."},
            "color": {"type": "integer", "description": "What is truly on that cell at that seq."},
        },
    }
