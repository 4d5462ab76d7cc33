"""The words of `tesserae lease show`.

Owns what a person reads of a lease, and the JSON for other programs. A lease ends by its holder's
wall clock, which is compared with ours for people alone: no server goes by either. Called by
lease.py.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import click
import orjson

from persistence.ports import Holding
from server.cli.stores import opened, place_of
from server.clock import SystemClock
from server.config import Settings


async def run(settings: Settings, *, as_json: bool) -> None:
    """Look and tell. Raises StoreError."""
    async with opened(settings, read_only=True) as store:
        holding = await store.lease.look()
    if as_json:
        click.echo(orjson.dumps(to_json(holding), option=orjson.OPT_INDENT_2))
    else:
        for line in lines_of(holding, place_of(settings), SystemClock().wall_ms()):
            click.echo(line)


def to_json(holding: Holding) -> dict[str, Any]:
    """Make what other programs read; null is what is not known, or does not end."""
    return {
        "owner": holding.owner or None,
        "url": holding.url or None,
        "fence": holding.fence,
        "sinceMs": holding.since_ms,
        "untilMs": holding.until_ms,
        "leaseMs": holding.lease_ms,
    }


def lines_of(holding: Holding, place: str, now_ms: int) -> Iterator[str]:
    """Make the lines for people."""
    if not holding.owner:
        fence = f"the last fence was {holding.fence}" if holding.fence else "nobody ever had it"
        yield f"Nobody has the right to write to {place}; {fence}."
        return
    since = "" if holding.since_ms is None else f" since {_told(holding.since_ms)}"
    yield f"{place}: {holding.owner} has the right to write{since}, with fence {holding.fence}"
    if holding.url:
        yield f"    reached at {holding.url}"
    yield f"    {_end(holding, now_ms)}"


def _end(holding: Holding, now_ms: int) -> str:
    if holding.until_ms is None:
        return "until that process ends, however it ends"
    left = (holding.until_ms - now_ms) / 1000
    if left >= 0:
        return (
            f"until {_told(holding.until_ms)}, {left:,.1f} s from now by this machine's clock;"
            " it is renewed meanwhile"
        )
    seconds = "" if holding.lease_ms is None else f" of {holding.lease_ms / 1000:g} s"
    return (
        f"it ran out at {_told(holding.until_ms)}, {-left:,.1f} s ago by this machine's clock: a"
        f" server that waits takes it once it was not renewed for a whole lease{seconds}"
    )


def _told(ms: int) -> str:
    """Write a moment; its number where a clock was so far off that no calendar has it."""
    try:
        return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return f"{ms} ms after 1970"
