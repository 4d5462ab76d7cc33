"""The live sessions of this process.

Owns the set of connections that were admitted and not closed yet: the truth behind the online
count. Never looks into a session beyond `Member`. Sessions enter and leave by themselves; presence,
the watcher counts and the housekeeping walk it.
"""

from collections.abc import Iterator
from typing import Protocol

from server.access.identity import Identity
from server.ports import Connection


class Member(Protocol):
    """A session as others see it."""

    connection: Connection
    identity: Identity | None
    wants_presence: bool
    presence_due: bool

    def close_if_expired(self, wall_ms: int) -> bool:
        """Close the connection when its token has run out; returns whether it had."""
        ...


class Sessions:
    """A set that may change while it is walked."""

    def __init__(self) -> None:
        self._members: dict[Member, None] = {}

    def add(self, member: Member) -> None:
        """Take in an admitted session."""
        self._members[member] = None

    def discard(self, member: Member) -> None:
        """Forget a session; harmless when it is not there."""
        self._members.pop(member, None)

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Member]:
        return iter(tuple(self._members))

    def of_user(self, user_id: str) -> Iterator[Member]:
        """Walk the connections of one identity."""
        return (one for one in self if one.identity is not None and one.identity.id == user_id)

    def close_expired(self, wall_ms: int) -> None:
        """Close those whose token has run out; called about once a second."""
        for member in self:
            member.close_if_expired(wall_ms)
