"""`tesserae bots`: the commands that send bots to a server, with a live view.

Owns the commands, the signals and the exit code; the bots are the crews', the view is the screen's.
Exit 0 when every board was proven equal to the server's and every aim was reached, else 1; 2 for
what cannot be begun.
"""

import asyncio
import contextlib
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bots.arguments import command, server_url
from bots.crew import Plan
from bots.files import make_room
from bots.load.cli import COMMAND as LOAD
from bots.loop import loop_factory
from bots.options import Refused, read
from bots.scenario import read_scenario, told
from bots.screen import Screen
from bots.stage import Act, Stage, Window
from bots.tokens import read_tokens
from bots.ways import WAYS, Setting
from pictures.picture import PictureError

STOPPING = (signal.SIGINT, signal.SIGTERM)


@click.group()
def bots() -> None:
    """Run scripted players against a server."""


def _play(
    way: str,
    *,
    bots: int,
    url: str,
    game: str,
    rate: float | None,
    seconds: float | None,
    spectators: int,
    seed: int,
    token_file: Path | None,
    **own: Any,
) -> int:
    """Send one crew."""
    tokens = _tokens(token_file)
    plan = Plan(url, game, bots, spectators, rate, seed, tokens)
    if plan.bots + plan.spectators == 0:
        raise click.UsageError("Nobody to send: give a number of bots, --spectators, or both.")
    try:
        options = read(WAYS[way].options, own, "--")
        make = WAYS[way].prepare(options, Setting(seed, Path()))
    except (Refused, PictureError) as error:
        raise click.UsageError(str(error)) from error
    return perform((Act(way, plan, make, (Window(0.0, seconds),)),))


def _tokens(file: Path | None) -> tuple[str, ...]:
    try:
        return () if file is None else read_tokens(file)
    except ValueError as error:
        raise click.BadParameter(f"'{file}' {error}", param_hint="--token-file") from error


def perform(acts: tuple[Act, ...], seconds: float | None = None) -> int:
    """Play the acts to their end, or for so long; returns the exit code."""
    try:
        make_room(sum(act.plan.bots + act.plan.spectators for act in acts))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_run(acts, seconds))


async def _run(acts: tuple[Act, ...], seconds: float | None) -> int:
    stage = Stage(acts, now_s=time.perf_counter)
    loop = asyncio.get_running_loop()
    # Not on Windows, nor outside the main thread: there Ctrl-C ends the process at once.
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        for number in STOPPING:
            loop.add_signal_handler(number, _finish, stage)
    if seconds is not None:
        loop.call_later(seconds, stage.over.set)
    screen = Screen(stage, Console())
    show = asyncio.create_task(screen.run())
    show.add_done_callback(lambda _: stage.over.set())  # nobody plays on unseen
    try:
        await stage.run()
    finally:
        show.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await show
    screen.conclude()
    return 0 if stage.succeeded else 1


def _finish(stage: Stage) -> None:
    """End the run in order at the first Ctrl-C; the second one ends the process."""
    stage.over.set()
    for number in STOPPING:
        asyncio.get_running_loop().remove_signal_handler(number)


@bots.command()
@click.argument(
    "file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--url", callback=server_url, help="The server, whatever the file says.")
@click.option("--check", is_flag=True, help="Read the file, say what would happen, and end.")
def script(file: Path, url: str | None, *, check: bool) -> int:
    """Play a scenario: who comes, how many, what they do, and when."""
    try:
        scenario = read_scenario(file, url)
    except Refused as error:
        raise click.UsageError(str(error)) from error
    if check:
        for line in told(scenario):
            click.echo(line)
        return 0
    return perform(scenario.acts, scenario.seconds)


for _name, _kind in WAYS.items():
    if not _kind.spectates:
        bots.add_command(command(_name, _kind.help, _kind.options, partial(_play, _name)))
bots.add_command(LOAD)
