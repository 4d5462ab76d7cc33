"""Scenarios: a TOML file that says who comes, how many, what they do, and when.

Owns the form of the file and the reading of it into acts. Nothing connects before all of it is
known to make sense; every error names the line, the key and the remedy. Called by the command line.
"""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from bots.arguments import GAME, MAX_BOTS, MAX_RATE, MAX_SECONDS, SCHEMES, URL, URL_FORM
from bots.crew import Plan
from bots.options import Options, Refused, read, unknown
from bots.places import Places
from bots.stage import Act, Window
from bots.tokens import read_tokens
from bots.way import Way
from bots.ways import WAYS, Setting
from pictures.picture import PictureError

MAX_BYTES = 1 << 20
MAX_GROUPS = 100
MAX_REPEATS = 1000


class Head(Options):
    """What holds for the whole scenario."""

    url: str = Field(default=URL, description="The server; `--url` overrides it.")
    game: str = Field(default=GAME, description="The canvas.")
    seconds: float | None = Field(
        default=None, gt=0, le=MAX_SECONDS, description="When all end; without it at Ctrl-C."
    )
    seed: int = Field(default=0, description="The same seed makes the same choices.")
    group: list[dict[str, Any]] = Field(
        min_length=1, max_length=MAX_GROUPS, description="Who comes: one table for each group."
    )


class Group(Options):
    """Who comes together and does the same."""

    name: str = Field(min_length=1, max_length=64, description="What the view calls them.")
    way: str = Field(description="What they do; see the ways below.")
    count: int = Field(ge=1, le=MAX_BOTS, description="How many they are.")
    rate: float | None = Field(
        default=None,
        gt=0,
        le=MAX_RATE,
        description="Placements a second of each; without it as the cooldown allows.",
    )
    start: float = Field(
        default=0.0, ge=0, le=MAX_SECONDS, description="When the first of them comes, in seconds."
    )
    ramp: float = Field(
        default=0.0, ge=0, le=MAX_SECONDS, description="Over how many seconds they arrive."
    )
    stop: float | None = Field(
        default=None, gt=0, le=MAX_SECONDS, description="When they leave; without it at the end."
    )
    every: float | None = Field(
        default=None, gt=0, le=MAX_SECONDS, description="Seconds from one coming to the next."
    )
    repeat: int = Field(
        default=1, ge=1, le=MAX_REPEATS, description="How often they come, the same ones each time."
    )
    tokens: str | None = Field(
        default=None, description="A file of tokens, one a line; the others are guests."
    )
    options: dict[str, Any] = Field(default={}, description="What the way is told.")


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a file means."""

    seconds: float | None
    acts: tuple[Act, ...]


def read_scenario(path: Path, url: str | None = None) -> Scenario:
    """Read a file; `url` overrides its own. Raises Refused with a line for each problem."""
    text = _text(path)
    places = Places(text)
    try:
        given = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # TOMLDecodeError, and what the parser raises for long numbers and for depth.
        raise Refused([f"{path}: this is no TOML: {error}"]) from error
    try:
        return _scenario(given, path.parent, url)
    except Refused as error:
        raise Refused([f"{path}{places.of(line)}: {line}" for line in error.problems]) from error


def told(scenario: Scenario) -> Iterator[str]:
    """Say in a line for each group what would happen."""
    for act in scenario.acts:
        first, plan = act.windows[0], act.plan
        until = "the end" if first.stop_s is None else f"{first.stop_s:g} s"
        times = f", {len(act.windows)} times" if len(act.windows) > 1 else ""
        everybody = plan.bots + plan.spectators
        yield f"{act.name}: {everybody} from {first.start_s:g} s to {until}{times}"


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise Refused([f"{path}: the file has more than {MAX_BYTES >> 20} MB; make it smaller"])
        return content.decode("utf-8-sig")
    except OSError as error:
        raise Refused([f"{path}: cannot be read ({error.strerror}); check the path"]) from error
    except UnicodeDecodeError as error:
        raise Refused([f"{path}: is not UTF-8 text at byte {error.start}; save it anew"]) from error


def _scenario(given: dict[str, Any], folder: Path, url: str | None) -> Scenario:
    head = read(Head, given)
    if url is None and not head.url.startswith(SCHEMES):
        raise Refused([f"url: {URL_FORM}; not {head.url!r}"])
    head = head.model_copy(update={"url": url or head.url})
    problems: list[str] = []
    acts: list[Act] = []
    for number, fields in enumerate(head.group):
        try:
            acts.append(_act(head, fields, f"group[{number}]", folder))
        except Refused as error:
            problems += error.problems
    problems += _told_together(head, acts)
    if problems:
        raise Refused(problems)
    return Scenario(head.seconds, tuple(acts))


def _told_together(head: Head, acts: list[Act]) -> Iterator[str]:
    names = [act.name for act in acts]
    for number, act in enumerate(acts):
        if act.name in names[:number]:
            yield f"group[{number}].name: {act.name!r} is taken; give each group its own name"
        if head.seconds is not None and act.windows[-1].start_s >= head.seconds:
            yield f"group[{number}].start: they would come after the end at {head.seconds:g} s"
    everybody = sum(act.plan.bots + act.plan.spectators for act in acts)
    if everybody > MAX_BOTS:
        yield f"group: {everybody:,} clients in all; one process takes up to {MAX_BOTS:,}"


def _act(head: Head, fields: dict[str, Any], where: str, folder: Path) -> Act:
    group = read(Group, fields, f"{where}.")
    kind = WAYS.get(group.way)
    if kind is None:
        raise Refused([unknown(f"{where}.way", group.way, list(WAYS))])
    if problems := list(_told_of(group, where, spectates=kind.spectates)):
        raise Refused(problems)
    options = read(kind.options, group.options, f"{where}.options.")
    make = _made(where, lambda: kind.prepare(options, Setting(head.seed, folder)))
    bots, spectators = (0, group.count) if kind.spectates else (group.count, 0)
    tokens = _tokens(group.tokens, folder, where)
    seed = head.seed
    plan = Plan(head.url, head.game, bots, spectators, group.rate, seed, tokens, group.ramp)
    return Act(group.name, plan, make, tuple(_windows(group)), group.way)


def _told_of(group: Group, where: str, *, spectates: bool) -> Iterator[str]:
    if spectates and (group.rate is not None or group.tokens is not None):
        yield f"{where}.way: who only spectates has no rate and no tokens; leave them out"
    if not group.name.isprintable():
        yield f"{where}.name: {group.name!r} has characters that cannot be shown; leave them out"
    if group.stop is not None and group.stop <= group.start + group.ramp:
        yield f"{where}.stop: they leave before all have come; give more than start + ramp"
    if (group.repeat > 1) != (group.every is not None):
        yield f"{where}.repeat: repeat and every go together; give both or neither"
    elif group.every is not None and (group.stop is None or group.every < group.stop - group.start):
        yield f"{where}.every: they must leave before they come again: give stop, or a longer every"


def _made(where: str, prepare: Callable[[], Callable[[], Way]]) -> Callable[[], Way]:
    try:
        return prepare()
    except PictureError as error:
        raise Refused([f"{where}.options.picture: {error}"]) from error


def _tokens(name: str | None, folder: Path, where: str) -> tuple[str, ...]:
    if name is None:
        return ()
    try:
        return read_tokens(folder / name)
    except ValueError as error:
        raise Refused([f"{where}.tokens: {name!r} {error}"]) from error


def _windows(group: Group) -> Iterator[Window]:
    for number in range(group.repeat):
        later = number * (group.every or 0.0)
        yield Window(group.start + later, None if group.stop is None else group.stop + later)
