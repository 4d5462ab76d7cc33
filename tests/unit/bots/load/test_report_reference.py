"""The reference of the load test's JSON says what the models say: every field, in their order."""

from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from bots.load.goals import GOALS
from bots.load.report import PARTS
from tests.support.source import read

PAGE = "docs/reference/load-report.md"
NAMES = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def kind(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is tuple:
        return f"list of {kind(inner[0])}"
    if origin is dict:
        return "whole number by text"
    if type(None) in inner:
        return f"{kind(next(one for one in inner if one is not type(None)))} or null"
    return NAMES.get(annotation) or f"[{annotation.__name__}](#{annotation.__name__.lower()})"


def table(model: type[BaseModel]) -> str:
    rows = [
        f"## {model.__name__}",
        "",
        model.__doc__ or "",
        "",
        "| field | holds | |",
        "|---|---|---|",
    ]
    for name, info in model.model_fields.items():
        rows.append(f"| `{name}` | {kind(info.annotation)} | {info.description} |")
    return "\n".join(rows)


@pytest.mark.parametrize("model", PARTS, ids=lambda model: model.__name__)
def test_every_field_is_told_as_it_is(model: type[BaseModel]) -> None:
    assert table(model) in read(PAGE), f"put this into {PAGE}:\n{table(model)}"


@pytest.mark.parametrize("name", sorted(GOALS))
def test_every_goal_is_in_the_guide(name: str) -> None:
    assert f"`--goal-{name}`" in read("docs/how-to/load-test.md")
