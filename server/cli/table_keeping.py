"""The words of `tesserae tables create`, `describe` and `check`.

Owns what a person sees of tables, and the JSON for other programs. Called by tables.py once the
flags are good.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import click
import orjson
from rich.console import Console

from persistence.shapes import Found, IndexShape, differences, keys_told, lacks
from server.cli.exits import DONE, FAILED
from server.cli.progress import shown_progress
from server.cli.stores import place_of
from server.config import Settings
from server.openers import open_keeper

ADD = "`tesserae tables create` adds what is missing."
MEND = (
    "Keys and projections cannot be changed: where they differ, delete that index, or take another"
    " --stage, and run `tesserae tables create`. Billing and TTL are settings of the table."
)


async def create(settings: Settings, *, dry_run: bool) -> int:
    """Make what is missing, or show it; returns the exit code. Raises StoreError."""
    async with open_keeper(settings) as keeper:
        missing = {each.name: list(lacks(each)) for each in await keeper.describe()}
        for name, what in missing.items():
            if what:
                click.echo(f"{name}: {'would be' if dry_run else 'is'} made: {', '.join(what)}")
        if not any(missing.values()):
            click.echo(f"Nothing is missing in {place_of(settings)}.")
        if dry_run:
            click.echo("Nothing was made: --dry-run.")
            return DONE
        with shown_progress("Making tables", Console(stderr=True)) as advance:
            made = await keeper.create(lambda _name, done, total: advance(done, total))
        different = _all_differences(await keeper.describe())
    if made:
        click.echo(f"{place_of(settings)} has all its tables.")
    for line in different:
        click.echo(f"{line}; nothing that is there was changed", err=True)
    return FAILED if different else DONE


async def describe(settings: Settings, *, as_json: bool) -> int:
    """Show every table; returns the exit code. Raises StoreError."""
    found = await _looked(settings)
    if as_json:
        _print_json([_to_json(each) for each in found])
    else:
        for line in (line for each in found for line in _lines(each)):
            click.echo(line)
    return DONE


async def check(settings: Settings, *, as_json: bool) -> int:
    """Name every difference; returns the exit code. Raises StoreError."""
    found = await _looked(settings)
    different = _all_differences(found)
    if as_json:
        _print_json(different)
    elif different:
        for line in different:
            click.echo(line)
        for remedy in _remedies(found):
            click.echo(f"    {remedy}")
    else:
        click.echo(f"The tables of {place_of(settings)} are as they have to be.")
    return FAILED if different else DONE


async def _looked(settings: Settings) -> list[Found]:
    async with open_keeper(settings) as keeper:
        return await keeper.describe()


def _all_differences(found: Sequence[Found]) -> list[str]:
    return [line for each in found for line in differences(each)]


def _remedies(found: Sequence[Found]) -> Iterator[str]:
    """Say what helps: what is only missing can be added, all else is the operator's to mend."""
    missing = sum(len(list(lacks(each))) for each in found)
    if missing:
        yield ADD
    if len(_all_differences(found)) > missing:
        yield MEND


def _lines(found: Found) -> Iterator[str]:
    shape = found.shape
    if shape is None:
        yield f"{found.name}: {found.status}"
        return
    yield (
        f"{found.name}: {found.status}, {found.item_count:,} items, {found.size_bytes:,} bytes,"
        f" {shape.billing}"
    )
    yield f"    keys {keys_told(shape.keys)}" + (f", TTL {shape.ttl}" if shape.ttl else "")
    for name, index in shape.indexes.items():
        yield (
            f"    index {name}: {index.status}, keys {keys_told(index.keys)},"
            f" projects {index.projection}"
        )


def _to_json(found: Found) -> dict[str, Any]:
    shape = found.shape
    known = {
        "table": found.table.name,
        "name": found.name,
        "status": found.status,
        "differences": list(differences(found)),
    }
    if shape is None:
        return known
    return known | {
        "items": found.item_count,
        "sizeBytes": found.size_bytes,
        "billing": shape.billing,
        "ttl": shape.ttl,
        "keys": dict(shape.keys),
        "indexes": {name: _index_to_json(index) for name, index in shape.indexes.items()},
    }


def _index_to_json(index: IndexShape) -> dict[str, Any]:
    return {
        "status": index.status,
        "keys": dict(index.keys),
        "projection": index.projection,
    }


def _print_json(value: Any) -> None:
    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))
