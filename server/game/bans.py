"""The items of the bans table: who may not place, why, and until when.

Owns their attribute names and how they come into memory. A ban with a defect stays in force as far
as it can be read, so that a slip never lifts one. Called by lifecycle.py at the start, and by
`tesserae store check` for what is wrong with an item.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

from canvas.bans import Ban, Bans
from canvas.networks import parse_network
from persistence.ports import Item, Tables
from persistence.scan import pages_of
from persistence.tables import BANS

SORT = "BAN"
USER = "user"
ADDRESS = "ip"
MS = 1000


@dataclass(frozen=True, slots=True)
class StoredBan:
    """One item, as far as it can be read."""

    family: str
    """`user` or `ip`."""
    whom: str
    """A user's id; an address or a prefix, which may be none."""
    ban: Ban
    wrong: tuple[str, ...] = ()
    """Its defects, in words."""


@dataclass(frozen=True, slots=True)
class BanEvents:
    """What loading tells on its way."""

    advance: Callable[[int], None]
    """So many items are read."""
    defective: Callable[[str, str], None]
    """(key of the item, what is wrong with it)."""


def read_ban(item: Item) -> StoredBan | None:
    """Read an item; None for a kind that this version does not know."""
    prefix, _, rest = item["PK"].partition("#")
    family, _, whom = rest.partition("#")
    if prefix != "BAN" or family not in {USER, ADDRESS} or item["SK"] != SORT:
        return None
    reason, expires_s = item.get("reason"), item.get("expiresAt")
    ban = Ban(
        reason if isinstance(reason, str) else "",
        round(expires_s * MS) if _is_number(expires_s) else None,
    )
    return StoredBan(family, whom, ban, tuple(_defects(item, family, whom)))


async def load_bans(tables: Tables, bans: Bans, wall_ms: int, events: BanEvents) -> None:
    """Add all bans to `bans` that hold at `wall_ms`. Raises StoreError."""
    done = 0
    async for items in pages_of(tables, BANS):
        for item in items:
            stored = read_ban(item)
            if stored is None:
                continue
            for defect in stored.wrong:
                events.defective(f"{item['PK']} / {item['SK']}", defect)
            if stored.ban.holds(wall_ms):
                _add(bans, stored)
        done += len(items)
        events.advance(done)


def _add(bans: Bans, stored: StoredBan) -> None:
    if stored.family == USER and stored.whom:
        bans.add_user(stored.whom, stored.ban)
    elif _is_network(stored.whom):
        bans.add_address(stored.whom, stored.ban)


def _defects(item: Item, family: str, whom: str) -> Iterator[str]:
    if family == ADDRESS and not _is_network(whom):
        yield f"it bans no address: {whom!r:.80} is no IP and no prefix"
    if not whom:
        yield "it bans nobody"
    for name, is_right in (("reason", _is_text), ("bannedAt", _is_number)):
        if name not in item:
            yield f"it has no {name}"
        elif not is_right(item[name]):
            yield f"its {name} is {item[name]!r:.50}"
    if "expiresAt" in item and not _is_number(item["expiresAt"]):
        yield f"its expiresAt is {item['expiresAt']!r:.50}, and should be a number, or absent"


def _is_network(text: str) -> bool:
    try:
        parse_network(text, host_bits=True)
    except ValueError:
        return False
    return True


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
