"""The rows `wsConnections`: what an open connection looks like to whoever reads the store.

Key names and attributes are the seed's. Owns no state; the connection registry writes them.
"""

from typing import NamedTuple

from persistence.ports import Item, Key

PARTITION = "wsConnections"
LIFETIME_S = 24 * 3600
"""Seconds from the last writing until a row counts as dead."""


class Entry(NamedTuple):
    """What the registry tells of one connection."""

    user_id: str | None
    """None for a spectator, whose row has no `userId`."""
    invisible: bool
    wants_presence: bool
    watch_version: int
    watching: frozenset[str]
    """Names of games, `<metaGame>#<gameId>`."""


NEWCOMER = Entry(None, False, False, 1, frozenset())
"""One that has not subscribed: a spectator of nothing."""


def key_of(connection_id: str) -> Key:
    """Where the row of a connection is."""
    return Key(PARTITION, connection_id)


def row_of(connection_id: str, entry: Entry, endpoint: str, now_s: int) -> Item:
    """Build a row that lives for a day; sets are never empty, so no game means no attribute."""
    ends_s = now_s + LIFETIME_S
    row: Item = {
        "pk": PARTITION,
        "sk": connection_id,
        "endpoint": endpoint,
        "invisible": entry.invisible,
        "wantsPresence": entry.wants_presence,
        "watchVersion": entry.watch_version,
        "ttl": ends_s,
        "expiresAt": ends_s,
    }
    if entry.user_id is not None:
        row["userId"] = entry.user_id
    if entry.watching:
        row["watchingGames"] = entry.watching
    return row
