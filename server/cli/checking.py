"""The words of `tesserae store check`.

Owns what a person reads of a report, and the JSON for other programs. Called by store_check.py.
"""

from collections.abc import Iterator

import click
import orjson
from rich.console import Console

from persistence.ports import Store
from server.care.check.findings import Finding, Severity
from server.care.check.game import GameSummary
from server.care.check.store import Report, check_store
from server.cli.exits import DONE, FAILED
from server.cli.progress import Steps
from server.cli.stores import no_such_game, opened, place_of
from server.config import Settings

COLORS = {Severity.DAMAGE: "red", Severity.HARMLESS: None}


async def run(settings: Settings, game: str | None, *, as_json: bool) -> int:
    """Check and tell; returns the exit code. Raises StoreError, ClickException."""
    async with opened(settings, read_only=True) as store:
        report = await checked(store, game)
        if game is not None and not (report.games or report.findings):
            raise await no_such_game(store, game, settings)
    if as_json:
        click.echo(orjson.dumps(report.to_json(), option=orjson.OPT_INDENT_2))
    else:
        tell(report, place_of(settings))
    return FAILED if report.damages else DONE


async def checked(store: Store, game: str | None) -> Report:
    """Check a store, with a bar for each step."""
    with Steps(Console(stderr=True)) as steps:
        return await check_store(store, game, steps.advance)


def tell(report: Report, place: str) -> None:
    """Say what was found, and what helps."""
    for line in lines_of(report, place):
        click.echo(line)


def lines_of(report: Report, place: str) -> Iterator[str]:
    """Make the lines of a report."""
    for game in report.games:
        yield _summary(game)
    for finding in report.findings:
        yield from _finding(finding)
    if report.damages:
        yield f"{report.damages:,} {_things(report.damages)} damaged in {place}."
    else:
        yield f"Everything in {place} is sound."


def _summary(game: GameSummary) -> str:
    return (
        f"{game.game}: {game.width} x {game.height} at seq {game.seq:,}, with"
        f" {game.snapshots} snapshots and {game.pictures} pictures"
    )


def _finding(finding: Finding) -> Iterator[str]:
    severity = click.style(f"{finding.severity.value}:", fg=COLORS[finding.severity])
    yield f"{severity} {finding.place}: {finding.what}"
    yield f"    {finding.remedy}"


def _things(count: int) -> str:
    return "thing is" if count == 1 else "things are"
