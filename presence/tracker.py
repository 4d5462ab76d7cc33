"""Who is here, per user and not per tab, as a pure state with debounced differences.

Owns the connections, the users behind them and what was told of them last. It knows no clock, loop
or socket: the presence service calls `flush` when a window ends and sends the difference. An
invisible user counts in the totals and is never named, not even when leaving.
"""

from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple


class Person(NamedTuple):
    """A user as others may see them."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed since the last flush, and the totals now."""

    joins: tuple[Person, ...]
    leaves: tuple[str, ...]
    """User ids; a user never told of is never in it."""
    total: int
    """Users here, invisible ones too."""
    spectators: int
    """Connections of nobody in particular."""


class Snapshot(NamedTuple):
    """Everybody who may be seen, up to a limit, and the totals."""

    visible: tuple[Person, ...]
    more: int
    """How many visible users are left out."""
    total: int
    spectators: int


@dataclass(slots=True)
class _User:
    """The open connections of one user, each with the name it gave, None when invisible."""

    names: dict[str, str | None] = field(default_factory=dict)

    def shown_as(self) -> str | None:
        """Newest name; None as soon as one connection is invisible: hiding once must be enough."""
        names = list(self.names.values())
        return None if None in names else names[-1]


class Tracker:
    """The live connections of one process."""

    def __init__(self) -> None:
        self._user_of: dict[str, str | None] = {}
        self._users: dict[str, _User] = {}
        self._spectators = 0
        self._visible: dict[str, str] = {}
        # Since the last flush: who may have changed, and whom a snapshot named before a delta did.
        self._touched: dict[str, None] = {}
        self._named: set[str] = set()
        # What the last flush left everybody with.
        self._told: dict[str, str] = {}
        self._told_totals = (0, 0)

    def connect(
        self, connection_id: str, user: str | None, name: str = "", *, invisible: bool = False
    ) -> None:
        """Take in a connection; `user` None is a spectator.

        Raises ValueError when it is in already: `change` says who it has become.
        """
        if connection_id in self._user_of:
            raise ValueError(f"connection {connection_id} is here already; change it instead")
        self._user_of[connection_id] = user
        if user is None:
            self._spectators += 1
        else:
            names = self._users.setdefault(user, _User()).names
            names[connection_id] = None if invisible else name
            self._touch(user)

    def change(
        self, connection_id: str, user: str | None, name: str = "", *, invisible: bool = False
    ) -> None:
        """Say who a connection is from now on; one that is gone is left alone."""
        if connection_id in self._user_of:
            self.disconnect(connection_id)
            self.connect(connection_id, user, name, invisible=invisible)

    def rename(self, user: str, name: str) -> None:
        """Give a user another name, over all connections; invisible ones stay so.

        Harmless when the user is gone.
        """
        here = self._users.get(user)
        if here is None:
            return
        here.names = {
            connection_id: None if shown is None else name
            for connection_id, shown in here.names.items()
        }
        self._touch(user)

    def disconnect(self, connection_id: str) -> None:
        """Take out a connection; harmless when it is gone already."""
        if connection_id not in self._user_of:
            return
        user = self._user_of.pop(connection_id)
        if user is None:
            self._spectators -= 1
            return
        names = self._users[user].names
        del names[connection_id]
        if not names:
            del self._users[user]
        self._touch(user)

    def _touch(self, user: str) -> None:
        self._touched[user] = None
        here = self._users.get(user)
        shown = None if here is None else here.shown_as()
        if shown is None:
            self._visible.pop(user, None)
        else:
            self._visible[user] = shown

    def flush(self) -> Diff | None:
        """Tell what changed since the last flush; None when coming and going left all as it was.

        A user who has become invisible leaves; one with a new name joins again under it.
        """
        joins = tuple(
            Person(user, self._visible[user])
            for user in self._touched
            if user in self._visible and self._visible[user] != self._told.get(user)
        )
        leaves = tuple(
            user
            for user in self._touched
            if user not in self._visible and (user in self._told or user in self._named)
        )
        totals = (len(self._users), self._spectators)
        changed = bool(joins or leaves) or totals != self._told_totals
        self._told.update(joins)
        for user in leaves:
            self._told.pop(user, None)
        self._told_totals = totals
        self._touched.clear()
        self._named.clear()
        return Diff(joins, leaves, *totals) if changed else None

    def snapshot(self, limit: int) -> Snapshot:
        """Tell who is here now; a difference that tells some of it again does no harm.

        Whoever is named here and gone before the next flush leaves in it, so that no client keeps
        a ghost.
        """
        visible = tuple(Person(*pair) for pair in islice(self._visible.items(), limit))
        self._named.update(person.id for person in visible if person.id in self._touched)
        return Snapshot(
            visible=visible,
            more=len(self._visible) - len(visible),
            total=len(self._users),
            spectators=self._spectators,
        )
