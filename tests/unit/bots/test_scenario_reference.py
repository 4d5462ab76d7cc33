"""The reference of scenarios says what the code does: every key, its type, bounds and default."""

import re
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import pytest
from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bots.scenario import Group, Head
from bots.ways import WAYS
from tests.support.source import read

PAGE = "docs/reference/scenario.md"
BOUNDS = {Ge: ("ge", "from {:,}"), Gt: ("gt", "above {:,}"), Le: ("le", "up to {:,}")}
NAMES = {str: "text", int: "whole number", float: "number", bool: "true or false"}
WRITTEN = {"at": '`"X,Y"`', "region": '`"X1,Y1,X2,Y2"`', "group": "tables", "options": "table"}


def kind(name: str, annotation: Any) -> str:
    if name in WRITTEN:
        return WRITTEN[name]
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    plain = next(iter(set(get_args(annotation)) - {type(None)}), annotation)
    return NAMES[plain]


def bounds(info: FieldInfo) -> Iterator[str]:
    for bound in info.metadata:
        for known, (field, form) in BOUNDS.items():
            if isinstance(bound, known):
                yield form.format(getattr(bound, field))
        if isinstance(bound, MinLen):
            yield f"{bound.min_length:,}"
        if isinstance(bound, MaxLen):
            yield f"to {bound.max_length:,}"


def default(info: FieldInfo) -> str:
    if info.is_required():
        return "needed"
    if info.default is None or info.default == {}:
        return "–"  # noqa: RUF001 - what the page has in an empty field
    return f"`{str(info.default).lower() if isinstance(info.default, bool) else info.default}`"


def table(model: type[BaseModel]) -> str:
    rows = ["| key | takes | default | |", "|---|---|---|---|"]
    for name, info in model.model_fields.items():
        takes = " ".join([kind(name, info.annotation), *bounds(info)])
        about = re.sub(r" ?\[default: ([^]]+)\]", r" Default: \1.", info.description or "")
        rows.append(f"| `{name}` | {takes} | {default(info)} | {about} |")
    return "\n".join(rows)


@pytest.mark.parametrize("model", [Head, Group], ids=lambda model: model.__name__)
def test_every_key_is_told_as_it_is(model: type[BaseModel]) -> None:
    assert table(model) in read(PAGE), f"put this into {PAGE}:\n{table(model)}"


@pytest.mark.parametrize("name", sorted(WAYS))
def test_every_way_is_told_with_its_options(name: str) -> None:
    way = WAYS[name]
    assert f"| `{name}` | {way.help} |" in read(PAGE)
    if way.options.model_fields:
        assert table(way.options) in read(PAGE), f"put this into {PAGE}:\n{table(way.options)}"
