"""`tesserae bots load`: the command, its flags, and how it ends.

Owns the reading of flags into a plan, the signals and the exit code: 0 when every stated goal was
reached and every board was proven, 1 when something was not, 2 for what cannot be begun. Called by
the group of the bots.
"""

import asyncio
import contextlib
import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console

from bots.arguments import MAX_RATE, SHARED, Amount
from bots.files import SPARE_FILES, make_room
from bots.load.crowd import Crowd
from bots.load.goals import GOALS, Goals
from bots.load.making import made
from bots.load.plan import PLAYED, Plan, Steps, of_scenario, of_steps
from bots.load.report import Report
from bots.load.scouting import look, records_of, remarks
from bots.load.screen import Screen
from bots.load.usage import Usage
from bots.load.writing import check_targets, write
from bots.loop import loop_factory
from bots.options import Refused
from bots.scenario import read_scenario
from bots.tokens import read_tokens
from pictures.picture import Picture, PictureError
from pictures.reading import read

MAX_STEPS = 100
MAX_STEP_CLIENTS = 50_000
MAX_STEP_S = 24 * 3600
MAX_PROCESSES = 64
USUAL_STEP_S, USUAL_JOINS, USUAL_PROVERS, USUAL_PROCESSES = 30, 100.0, 16, 2
STOPPING = (signal.SIGINT, signal.SIGTERM)
_FILE = click.Path(dir_okay=False, path_type=Path)
_OF_SCENARIO = (
    "spectators", "placers", "rate", "step_seconds", "joins_per_second", "pattern", "picture", "at",
    "token_file", "game", "seed",
)  # fmt: skip
"""Flags whose place a scenario takes."""
_EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)


class Numbers(click.ParamType[Any]):
    """A list of numbers with commas between them, each within bounds."""

    name = "list"

    def __init__(self, one: click.ParamType[Any]) -> None:
        self._one = one

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Any, ...]:
        """Read it; fails with a usage error."""
        if not isinstance(value, str):
            return tuple(value)
        words = value.split(",")
        if len(words) > MAX_STEPS:
            self.fail(f"{len(words)} steps; {MAX_STEPS} are the most.", param, ctx)
        return tuple(self._one.convert(word.strip(), param, ctx) for word in words)


_COUNTS = Numbers(click.IntRange(0, MAX_STEP_CLIENTS))
_RATES = Numbers(Amount(0, MAX_RATE, min_open=True))


def _shared() -> list[click.Parameter]:
    """Take the flags that all bots have and that mean the same here."""
    kept = {"url", "game", "seed", "token_file"}
    return [option for option in SHARED if option.name in kept]


def _own() -> list[click.Parameter]:
    return [
        _option("spectators", _COUNTS, "How many only watch, in each step: `100,500,1000`.", "0"),
        _option("placers", _COUNTS, "How many place (and watch, too), in each step.", "0"),
        _option(
            "rate", _RATES,
            "Placements a second of each placer, in each step. [default: as the cooldown allows]",
        ),
        _option(
            "step-seconds", click.IntRange(1, MAX_STEP_S),
            "How long a step is, once all have joined.", USUAL_STEP_S,
        ),
        _option(
            "joins-per-second", Amount(0, MAX_STEP_CLIENTS, min_open=True),
            "How many join in a second before a step.", USUAL_JOINS,
        ),
        _option("pattern", click.Choice(PLAYED), "Where placers place.", PLAYED[0]),
        _option("picture", _EXISTING, "The picture of the pattern `picture`."),
        _option("at", click.STRING, "Where its upper left corner goes, as X,Y.", "0,0"),
        _option("scenario", _EXISTING, "Play this file instead of steps."),
        _option(
            "processes", click.IntRange(1, MAX_PROCESSES),
            "How many processes play; one core carries about a thousand clients.",
            USUAL_PROCESSES,
        ),
        _option(
            "prove", click.IntRange(0, MAX_STEP_CLIENTS),
            "How many clients keep a board and prove it at the end.", USUAL_PROVERS,
        ),
        _option("server-pid", click.IntRange(1), "Process id of the server, to tell its CPU."),
        _option("json", _FILE, "Write the report there as JSON; - is standard output."),
        _option("html", _FILE, "Write the report there as a page with plots."),
        *(
            _option(f"goal-{name}", Amount(0), f"The most that may be: {goal.help}.")
            for name, goal in GOALS.items()
        ),
    ]  # fmt: skip


def _option(name: str, kind: click.ParamType[Any], text: str, default: Any = None) -> click.Option:
    return click.Option(
        [f"--{name}"], type=kind, default=default, show_default=default is not None, help=text
    )


def load(**flags: Any) -> int:
    """Test what the server holds: crowds in steps, goals, and a report."""
    try:
        plan = _planned(flags)
        usage = None if flags["server_pid"] is None else Usage(flags["server_pid"])
        make_room(plan.clients // flags["processes"] + SPARE_FILES)
    except ValueError as error:  # Refused is one, too
        raise click.UsageError(str(error)) from error
    check_targets(flags["json"], flags["html"])
    bounds = {name: flags[f"goal_{name.replace('-', '_')}"] for name in GOALS}
    goals = Goals({name: bound for name, bound in bounds.items() if bound is not None})
    picture = _picture(flags)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        report = runner.run(_run(plan, goals, usage, picture, flags["processes"]))
    write(report, flags["json"], flags["html"])
    return 0 if report.succeeded else 1


def _planned(flags: dict[str, Any]) -> Plan:
    if flags["scenario"] is not None:
        if too_much := [name for name in _OF_SCENARIO if _is_given(name)]:
            said = ", ".join(f"--{name.replace('_', '-')}" for name in too_much)
            raise Refused([f"--scenario says who comes and does what: leave {said} out"])
        scenario = read_scenario(flags["scenario"], flags["url"] if _is_given("url") else None)
        return of_scenario(scenario, str(flags["scenario"]), flags["prove"])
    steps = Steps(
        spectators=flags["spectators"],
        placers=flags["placers"],
        rates=flags["rate"] or (),
        step_s=flags["step_seconds"],
        joins_per_s=flags["joins_per_second"],
        pattern=flags["pattern"],
        tokens=_tokens(flags["token_file"]),
    )
    where = {name: flags[name] for name in ("url", "game", "seed")}
    return of_steps(steps, **where, provers=flags["prove"])


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT


def _tokens(file: Path | None) -> tuple[str, ...]:
    try:
        return () if file is None else read_tokens(file)
    except ValueError as error:
        raise click.BadParameter(f"'{file}' {error}", param_hint="--token-file") from error


def _picture(flags: dict[str, Any]) -> tuple[Picture, tuple[int, int]] | None:
    if (flags["pattern"] == "picture") != (flags["picture"] is not None):
        raise click.UsageError("--pattern picture and --picture go together; give both or neither.")
    if flags["picture"] is None:
        return None
    try:
        x, y = map(int, flags["at"].split(","))
        return read(flags["picture"]), (x, y)
    except PictureError as error:
        raise click.BadParameter(str(error), param_hint="--picture") from error
    except ValueError as error:
        raise click.BadParameter("give X,Y in whole numbers", param_hint="--at") from error


async def _run(
    plan: Plan,
    goals: Goals,
    usage: Usage | None,
    picture: tuple[Picture, tuple[int, int]] | None,
    processes: int,
) -> Report:
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    state = await look(plan.url, plan.game)
    for remark in remarks(plan, state):
        click.echo(remark, err=True)
    if picture is not None:
        cells = await asyncio.to_thread(records_of, *picture, state, plan.seed)
        plan = plan.model_copy(update={"picture": cells})
    crowd = Crowd(plan, processes, usage, now_s=time.monotonic)
    await _shown(crowd)
    return made(
        plan, crowd.timeline, crowd.failures, goals, processes=processes, started_at=started_at,
        ended_s=crowd.ended_s,
    )  # fmt: skip


async def _shown(crowd: Crowd) -> None:
    loop = asyncio.get_running_loop()
    # Not on Windows, nor outside the main thread: there Ctrl-C ends the process at once.
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        for number in STOPPING:
            loop.add_signal_handler(number, _finish, crowd)
    show = asyncio.create_task(Screen(crowd, Console(stderr=True)).run())
    show.add_done_callback(lambda _: crowd.finish())  # nobody plays on unseen
    try:
        await crowd.run()
    finally:
        show.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await show


def _finish(crowd: Crowd) -> None:
    """End the run in order at the first Ctrl-C; the second one ends the process."""
    crowd.finish()
    for number in STOPPING:
        asyncio.get_running_loop().remove_signal_handler(number)


COMMAND = click.Command("load", params=[*_own(), *_shared()], callback=load, help=load.__doc__)
