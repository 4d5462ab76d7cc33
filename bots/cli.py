"""`tesserae bots`: the commands that send bots to a server, with live progress.

Owns options, signals and the screen; the bots themselves are the runner's. Exit 0 when every board
was proven equal to the server's, else 1.
"""

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click
from rich.console import Console
from rich.live import Live

from bots import report
from bots.runner import Crew, Plan
from bots.walk import walk as walk_way

TABLE_EVERY_S = 0.25
LINE_EVERY_S = 5.0


def _websocket_url(_context: click.Context, _option: click.Parameter, url: str) -> str:
    """Refuse the address of a page before anybody sets out for it."""
    if not url.startswith(("ws://", "wss://")):
        raise click.BadParameter(f"{url!r}: give ws://HOST:PORT/ws, or wss://HOST/ws behind TLS")
    return url


@click.group()
def bots() -> None:
    """Run scripted players against a server."""


@bots.command()
@click.argument("count", metavar="N", type=click.IntRange(0, 10_000))
@click.option(
    "--url",
    default="ws://127.0.0.1:8080/ws",
    show_default=True,
    callback=_websocket_url,
    help="The server.",
)
@click.option("--game", default="place#main", show_default=True, help="The canvas.")
@click.option(
    "--rate",
    type=click.FloatRange(0, min_open=True),
    help="Placements a second of each bot. [default: as the cooldown allows]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help="End after so long. [default: at Ctrl-C]",
)
@click.option(
    "--spectators",
    type=click.IntRange(0, 10_000),
    default=0,
    show_default=True,
    help="Clients beside the bots that only watch.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed makes the same walks."
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Tokens, one a line, for the first bots; the others are guests.",
)
def walk(
    count: int,
    url: str,
    game: str,
    rate: float | None,
    seconds: float | None,
    spectators: int,
    seed: int,
    token_file: Path | None,
) -> int:
    """Send N guests for a random walk, each drawing a line."""
    tokens = tuple(token_file.read_text().split()) if token_file else ()
    plan = Plan(url, game, count, spectators, rate, seed, tokens)
    if plan.bots + plan.spectators == 0:
        raise click.UsageError("Nobody to send: give N, --spectators, or both.")
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(_run(plan, seconds))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Take uvloop where it is installed: hundreds of bots in one process are glad of it."""
    if find_spec("uvloop") is None:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    return factory


async def _run(plan: Plan, seconds: float | None) -> int:
    crew = Crew(plan, walk_way, now_s=time.perf_counter)
    loop = asyncio.get_running_loop()
    # Not on Windows, nor outside the main thread: there Ctrl-C ends the process at once.
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(signal.SIGINT, _finish, crew)
    if seconds is not None:
        loop.call_later(seconds, crew.stop.set)
    console = Console()
    began_s = time.monotonic()
    show = asyncio.create_task(_show(crew, console))
    try:
        await crew.run()
    finally:
        show.cancel()
        await asyncio.wait([show])
    crew.tally.elapsed_s = time.monotonic() - began_s
    console.print(report.summary(crew.tally), highlight=False, soft_wrap=True)
    console.print(report.verdict(crew.tally), highlight=False, soft_wrap=True)
    return 0 if crew.tally.all_verified else 1


def _finish(crew: Crew) -> None:
    """End the run in order at the first Ctrl-C; the second one ends the process."""
    crew.stop.set()
    asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)


async def _show(crew: Crew, console: Console) -> None:
    if not sys.stdout.isatty():
        await _lines(crew, console)
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:
        async for _ in _looks(crew, TABLE_EVERY_S):
            live.update(report.table(crew.tally), refresh=True)


async def _lines(crew: Crew, console: Console) -> None:
    async for _ in _looks(crew, LINE_EVERY_S):
        console.print(report.line(crew.tally), highlight=False, soft_wrap=True)


async def _looks(crew: Crew, every_s: float) -> AsyncIterator[None]:
    began_s = time.monotonic()
    placed = 0
    while True:
        await asyncio.sleep(every_s)
        crew.tally.look(time.monotonic() - began_s, placed)
        placed = crew.tally.placed
        yield
