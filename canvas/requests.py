"""First outcomes of numbered requests, so that re-sending one is safe.

Owns, per identity, the last 16 accepted requests of the last ten minutes with all their records; a
refused one is never in it. Everything is told by the events themselves, and restored from them.
Called by the head.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from canvas.ends import Ends
from canvas.events import PixelPlaced

KEPT_REQUESTS = 16
KEPT_MS = 600_000
MAX_IDENTITIES = 200_000
"""Past this one is forgotten for each new one: about 150 MB with a request each."""


Accepted = PixelPlaced | dict[int, PixelPlaced]
"""A request's accepted records by index; most have one, and then it is that alone."""


class Remembered(NamedTuple):
    """What a request number led to the first time."""

    event: PixelPlaced
    committed: bool
    """False while the event is on its way to the journal, or not yet published."""


class Requests:
    """The remembered requests of one game."""

    __slots__ = ("_max_identities", "_silent", "by_identity")

    def __init__(self, max_identities: int = MAX_IDENTITIES) -> None:
        self.by_identity: dict[str, dict[int, Accepted]] = {}
        """To be read by anyone: which request numbers an identity has used."""
        # When an identity was silent for long enough, at the earliest: noted again only when that
        # moment has come.
        self._silent = Ends()
        self._max_identities = max_identities

    def lookup(self, user: str, request: int, index: int, wall_ms: int) -> PixelPlaced | None:
        """Find the first outcome of a request's record, if it was accepted of late."""
        requests = self.by_identity.get(user)
        records = None if requests is None else requests.get(request)
        if records is None:
            return None
        event = _by_index(records).get(index)
        return event if event is not None and event.at_ms + KEPT_MS > wall_ms else None

    def add(self, event: PixelPlaced) -> None:
        """Remember an accepted placement that has a request number."""
        if event.request is not None:
            self.note(event, event.request, self.by_identity.get(event.user_id))

    def note(self, event: PixelPlaced, request: int, requests: dict[int, Accepted] | None) -> None:
        """Remember an accepted placement; `requests` are what `by_identity` has of its user."""
        if requests is None:
            self._add_identity(event.user_id, {request: event}, event.at_ms + KEPT_MS)
        elif request in requests:
            records = requests[request] = _by_index(requests[request])
            records[event.index] = event
        else:
            requests[request] = event
            if len(requests) > KEPT_REQUESTS:
                del requests[next(iter(requests))]

    def _add_identity(self, user: str, requests: dict[int, Accepted], silent_ms: int) -> None:
        self.by_identity[user] = requests
        self._silent.put(user, silent_ms)
        if len(self.by_identity) > self._max_identities:
            del self.by_identity[self._silent.drop_one()]

    def last(self, user: str, up_to_seq: int, wall_ms: int) -> PixelPlaced | None:
        """Find the newest accepted placement with a request number, up to a seq."""
        events = (
            event
            for records in self.by_identity.get(user, {}).values()
            for event in _by_index(records).values()
            if event.seq <= up_to_seq and event.at_ms + KEPT_MS > wall_ms
        )
        return max(events, key=_seq, default=None)

    def forget_expired(self, wall_ms: int, visits: int | None = None) -> int:
        """Forget identities that are silent for ten minutes; returns how many.

        Looks at some as `Ends.sweep` does.
        """
        forgotten = 0
        for user in self._silent.sweep(wall_ms, visits):
            silent_ms = _newest_ms(self.by_identity[user]) + KEPT_MS
            if silent_ms > wall_ms:
                self._silent.put(user, silent_ms)
            else:
                del self.by_identity[user]
                forgotten += 1
        return forgotten

    def dump(self, up_to_seq: int) -> Callable[[], list[tuple[Any, ...]]]:
        """Hold what is remembered; what is returned lists it up to a seq, on any thread.

        Rows are the fields of the events.
        """
        return partial(_rows, list(self.by_identity.values()), up_to_seq)

    def restore(self, rows: Iterable[Sequence[Any]]) -> None:
        """Take in what `dump` gave. Raises TypeError for a row of another shape."""
        for event in sorted((PixelPlaced(*row) for row in rows), key=_seq):
            self.add(event)

    def __len__(self) -> int:
        return len(self.by_identity)


def _rows(identities: list[dict[int, Accepted]], up_to_seq: int) -> list[tuple[Any, ...]]:
    # Copies of the inner dicts are one step for the interpreter, so that placing may go on. Plain
    # tuples are nothing to Python's collector, which would look at 80,000 lists for 40 ms at once.
    return [
        tuple(event)
        for requests in identities
        for records in tuple(requests.values())
        for event in tuple(_by_index(records).values())
        if event.seq <= up_to_seq
    ]


def _by_index(records: Accepted) -> dict[int, PixelPlaced]:
    return {records.index: records} if isinstance(records, PixelPlaced) else records


def _newest_ms(requests: dict[int, Accepted]) -> int:
    return max(
        event.at_ms for records in requests.values() for event in _by_index(records).values()
    )


def _seq(event: PixelPlaced) -> int:
    return event.seq
