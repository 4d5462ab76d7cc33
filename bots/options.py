"""What a way of playing may be told, declared once for the command line and for scenarios.

Owns the base of every way's options, the types that are written as text ("X,Y"), and the reading of
options with errors that name the field and the remedy. Called by ways.py, cli.py and scenario.py.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

MAX_COORDINATE = 8191
"""No record can hold more; boards end at 8000."""


class Options(BaseModel):
    """Base of them all: nothing unknown, nothing converted in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Refused(ValueError):  # noqa: N818 - it is told, line by line
    """What was given makes no sense; `problems` has a line for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


_Model = TypeVar("_Model", bound=BaseModel)


def read(model: type[_Model], given: Mapping[str, Any], where: str = "") -> _Model:
    """Read values as a model; `where` is put before each field. Raises Refused."""
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise Refused(
            [
                _told(model, where, detail["type"], detail["loc"], detail["msg"], detail["input"])
                for detail in error.errors()
            ]
        ) from error


def _told(
    model: type[BaseModel],
    where: str,
    kind: str,
    location: tuple[int | str, ...],
    message: str,
    value: object,
) -> str:
    place = where + "".join(_steps(location))
    if kind == "extra_forbidden":
        return unknown(place, str(location[-1]), list(model.model_fields))
    if kind == "missing":
        return f"{place}: is missing; give it a value"
    text = message.removeprefix("Value error, ")
    return f"{place}: {text[:1].lower()}{text[1:]}, not {value!r:.100}"


def _steps(location: tuple[int | str, ...]) -> Iterator[str]:
    """Write a path as `a.b[0]`, as far as it names what was given."""
    for number, step in enumerate(location):
        yield f"[{step}]" if isinstance(step, int) else f"{'.' if number else ''}{step}"


def unknown(place: str, name: str, known: list[str]) -> str:
    """Say that there is no such name, what is near, and what there is."""
    near = get_close_matches(name, known, 1)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"{place}: there is no {name!r}.{meant} Known: {', '.join(known) or 'nothing'}"


def _numbers(value: object, count: int, form: str) -> tuple[int, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or len(parts) != count:
        raise ValueError(f"give {form}")
    try:
        numbers = tuple(int(part) if isinstance(part, str) else part for part in parts)
    except ValueError:
        raise ValueError(f"give {form} in whole numbers") from None
    if any(type(n) is not int or abs(n) > MAX_COORDINATE for n in numbers):
        raise ValueError(f"give {form} in whole numbers up to {MAX_COORDINATE}")
    return numbers


def _position(value: object) -> tuple[int, ...]:
    return _numbers(value, 2, "X,Y")


def _region(value: object) -> tuple[int, ...] | None:
    return None if value is None else _numbers(value, 4, "X1,Y1,X2,Y2")


Position = Annotated[tuple[int, int], BeforeValidator(_position)]
"""`"X,Y"` or `[X, Y]`"""
Region = Annotated[tuple[int, int, int, int] | None, BeforeValidator(_region)]
"""`"X1,Y1,X2,Y2"` or a list of them, both corners included"""
