"""What lies in the tables besides games and their history: bans, milestones, the main table.

Owns which kinds of items this version knows, and what each has to have. An item of an unknown kind
is nobody's fault: a newer version, or another program, keeps it here. Called by store.py, and by
game.py for the fences that the lease has given.
"""

from collections.abc import Callable, Mapping

from canvas.growth import DIRECTIONS
from persistence.errors import StoreDamaged
from persistence.ports import Item, Table, Tables
from persistence.scan import pages_of
from persistence.tables import BANS, CONFIG, MAIN, MILESTONES
from server.care.advance import Advance
from server.care.check.findings import Findings
from server.game.bans import read_ban
from server.game.config import PARTITION

LEASE_PARTITION = "LEASE"
REWRITE = (
    "put the item back from a backup, or remove it: nothing goes by an item that cannot be read"
)
ULID_CHARS = 26
Kind = type | tuple[type, ...]

_NUMBER: Kind = (int, float)
_MILESTONE: Mapping[str, Kind] = {
    "triggerAt": _NUMBER,
    "direction": str,
    "amount": int,
    "fired": bool,
}
_MAIN: Mapping[str, Mapping[str, Kind]] = {
    LEASE_PARTITION: {"fence": int},
    "COPY": {"source": str},
    "wsMeta": {},
    "wsConnections": {"endpoint": str},
    "GAME": {},
    "BOT": {},
    "BOTNAME": {},
}
"""The families that this version writes or reads, by the first part of their pk."""


async def given_fence(tables: Tables) -> int | None:
    """Return the highest fence that a lease has given; None when there never was one."""
    page = await tables.query(MAIN, LEASE_PARTITION)
    fences = [item["fence"] for item in page.items if isinstance(item.get("fence"), int)]
    return max(fences, default=None)


async def check_tables(tables: Tables, findings: Findings, advance: Advance) -> None:
    """Read every item of the small tables. Raises StoreError, but for damage, which it notes."""
    for table in (CONFIG, BANS, MILESTONES, MAIN):
        done = 0
        try:
            async for items in pages_of(tables, table):
                for item in items:
                    _look_at(table, item, findings)
                done += len(items)
                advance(f"Reading table {table.name}", done, done)
        except StoreDamaged as damage:
            findings.damage("unreadable table", table.name, f"{damage}", damage.hint)


def _look_at(table: Table, item: Item, findings: Findings) -> None:
    place = f"{table.name} {item[table.partition]} / {item[table.sort]}"
    wrong = _LOOKS[table.name](item)
    if wrong is None:
        what = "this version knows no such item: a newer one, or another program, may have put it"
        findings.harmless(f"unknown item of {table.name}", place, what)
    elif wrong:
        findings.damage(f"item of {table.name}", place, wrong, REWRITE)


def _config(item: Item) -> str | None:
    """Tell games alone; what is in them is game.py's."""
    sort = item["SK"]
    known = sort == "SINGLETON" or sort.startswith("GAME#")
    return "" if item["PK"] == PARTITION and known else None


def _ban(item: Item) -> str | None:
    stored = read_ban(item)
    return None if stored is None else "; ".join(stored.wrong)


def _milestone(item: Item) -> str | None:
    if item["PK"].partition("#")[0] != "MILESTONE":
        return None
    wrong = _wrong_types(item, _MILESTONE)
    if wrong:
        return wrong
    if item["direction"] not in DIRECTIONS:
        return f"its direction is {item['direction']!r}, and there are {', '.join(DIRECTIONS)}"
    if item["amount"] <= 0:
        return f"its amount is {item['amount']}, and a board never shrinks"
    if len(item["SK"]) != ULID_CHARS:
        return "its key is no ULID"
    return ""


def _main(item: Item) -> str | None:
    attributes = _MAIN.get(item["pk"].partition("#")[0])
    return None if attributes is None else _wrong_types(item, attributes)


def _wrong_types(item: Item, attributes: Mapping[str, Kind]) -> str:
    for name, kind in attributes.items():
        value = item.get(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            return f"its {name} is {value!r:.50}" if name in item else f"it has no {name}"
    return ""


_LOOKS: Mapping[str, Callable[[Item], str | None]] = {
    CONFIG.name: _config,
    BANS.name: _ban,
    MILESTONES.name: _milestone,
    MAIN.name: _main,
}
