"""What `tesserae game` does: asks the running server, and says what came of it.

Owns the words and the table. Called by game.py.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from server.cli.asking import confirm
from server.cli.operator import running_server
from server.cli.remote import Declined, RemoteServer
from server.config import Settings, read_palette

OK, CREATED = 200, 201
PATH = "/api/games"


async def create(
    settings: Settings,
    url: str | None,
    token_file: Path | None,
    *,
    name: str,
    title: str,
    size: tuple[int, int],
    palette: Path | None,
    cooldown_ms: int,
    cooldown_stack: int,
) -> None:
    """Found a game. Raises ClickException, ServerError, StoreError, ConfigurationError."""
    width, height = size
    fields: dict[str, Any] = {
        "game": name,
        "title": title,
        "width": width,
        "height": height,
        "cooldown": {"ms": cooldown_ms, "maxStack": cooldown_stack},
    }
    if palette is not None:
        chosen = read_palette(palette)
        fields |= {"palette": chosen.to_json(), "empty": chosen.empty}
    server = await running_server(settings, url, token_file)
    state = _tell(server, PATH, CREATED, fields)
    click.echo(f"{state['game']} runs: {width} x {height}, channel {state['channel']}.")


async def list_games(
    settings: Settings, url: str | None, token_file: Path | None, *, as_json: bool
) -> None:
    """List all games. Raises as `create`."""
    server = await running_server(settings, url, token_file)
    answer = json.loads(server.ask("GET", PATH, OK))
    if as_json:
        click.echo(json.dumps(answer["all"], indent=2))
        return
    running = {state["game"]: state for state in answer["games"]}
    rows = [_row(one, running.get(one["game"])) for one in answer["all"]]
    for line in _table([("game", "title", "founded", "state", "watching"), *rows]):
        click.echo(line)


async def end(
    settings: Settings, url: str | None, token_file: Path | None, *, name: str, yes: bool
) -> None:
    """End a game, once somebody has said so. Raises as `create`."""
    server = await running_server(settings, url, token_file)
    if not yes:
        confirm(f"End {name} now, for everybody?", f"end {name}")
    row = _step(server, name, "end")
    click.echo(f"{name} ended at {_when(row['endedAt'])}; `tesserae game reopen` undoes it.")


async def reopen(
    settings: Settings, url: str | None, token_file: Path | None, *, name: str
) -> None:
    """Let a game go on. Raises as `create`."""
    server = await running_server(settings, url, token_file)
    _step(server, name, "reopen")
    click.echo(f"{name} goes on.")


async def archive(
    settings: Settings, url: str | None, token_file: Path | None, *, name: str, yes: bool
) -> None:
    """Put a game away, once somebody has said so. Raises as `create`."""
    server = await running_server(settings, url, token_file)
    if not yes:
        confirm(f"Put {name} away, so that nobody is let in?", f"archive {name}")
    _step(server, name, "archive")
    click.echo(f"{name} is archived; `tesserae game reopen` takes it out again.")


def _step(server: RemoteServer, name: str, step: str) -> dict[str, Any]:
    return _tell(server, f"{PATH}/{quote(name, safe='')}/{step}", OK, {})


def _tell(server: RemoteServer, path: str, expected: int, fields: dict[str, Any]) -> dict[str, Any]:
    try:
        return server.tell(path, expected, fields)
    except Declined as declined:
        raise click.ClickException(f"{declined}; nothing was changed") from declined


def _row(listed: dict[str, Any], state: dict[str, Any] | None) -> tuple[str, ...]:
    standing = "open" if state is not None else "resting"
    if "endedAt" in listed:
        standing = f"ended {_when(listed['endedAt'])}"
    if listed["archived"]:
        standing = f"archived, {standing}"
    watching = "" if state is None else f"{state['watchers']:,}"
    return (listed["game"], listed["title"], _when(listed["createdAt"]), standing, watching)


def _when(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
