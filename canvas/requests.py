"""First outcomes of numbered requests, so that re-sending one is safe.

Owns, per identity, the last 16 accepted requests of the last ten minutes with all their records; a
refused one is never in it. Everything is told by the events themselves, and restored from them.
Called by the head.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from canvas.events import PixelPlaced

KEPT_REQUESTS = 16
KEPT_MS = 600_000
MAX_IDENTITIES = 200_000
"""The identities that placed longest ago are forgotten past this: about 150 MB at one each."""


class Remembered(NamedTuple):
    """What a request number led to the first time."""

    event: PixelPlaced
    committed: bool
    """False while the event is on its way to the journal."""


class Requests:
    """The remembered requests of one game."""

    __slots__ = ("_identities", "_max_identities")

    def __init__(self, max_identities: int = MAX_IDENTITIES) -> None:
        # Identity to request number to index to event, each in the order of the last acceptance.
        self._identities: OrderedDict[str, dict[int, dict[int, PixelPlaced]]] = OrderedDict()
        self._max_identities = max_identities

    def lookup(self, user: str, request: int, index: int, wall_ms: int) -> PixelPlaced | None:
        """Find the first outcome of a request's record, if it was accepted of late."""
        requests = self._identities.get(user)
        records = requests and requests.get(request)
        event = records and records.get(index)
        return event if event and event.at_ms + KEPT_MS > wall_ms else None

    def add(self, event: PixelPlaced) -> None:
        """Remember an accepted placement that has a request number."""
        request = event.request
        if request is None:
            return
        requests = self._identities.get(event.user_id)
        if requests is None:
            self._identities[event.user_id] = {request: {event.index: event}}
            if len(self._identities) > self._max_identities:
                self._identities.popitem(last=False)
            return
        self._identities.move_to_end(event.user_id)
        records = requests.pop(request, None)
        if records is None:
            records = {}
            if len(requests) == KEPT_REQUESTS:
                del requests[next(iter(requests))]
        records[event.index] = event
        requests[request] = records

    def last(self, user: str, up_to_seq: int, wall_ms: int) -> PixelPlaced | None:
        """Find the newest accepted placement with a request number, up to a seq."""
        events = (
            event
            for records in self._identities.get(user, {}).values()
            for event in records.values()
            if event.seq <= up_to_seq and event.at_ms + KEPT_MS > wall_ms
        )
        return max(events, key=_seq, default=None)

    def forget_expired(self, wall_ms: int, visits: int = 1000) -> int:
        """Forget identities that are silent for ten minutes, so many at most; returns how many."""
        identities = self._identities
        for forgotten in range(min(visits, len(identities))):
            newest = _newest(next(iter(identities.values())))
            if newest.at_ms + KEPT_MS > wall_ms:
                return forgotten
            identities.popitem(last=False)
        return min(visits, len(identities))

    def dump(self, up_to_seq: int) -> Iterator[list[int | str | None]]:
        """Every remembered event up to a seq, as a JSON list of its fields."""
        for requests in self._identities.values():
            for records in requests.values():
                for event in records.values():
                    if event.seq <= up_to_seq:
                        yield list(event)

    def restore(self, rows: Iterable[list[int | str | None]]) -> None:
        """Take in what `dump` gave. Raises TypeError for a row of another shape."""
        for event in sorted((PixelPlaced(*row) for row in rows), key=_seq):  # type: ignore[arg-type]
            self.add(event)

    def __len__(self) -> int:
        return len(self._identities)


def _newest(requests: dict[int, dict[int, PixelPlaced]]) -> PixelPlaced:
    """Return the newest event: the last record of the last request, in order of acceptance."""
    return next(reversed(next(reversed(requests.values())).values()))


def _seq(event: PixelPlaced) -> int:
    return event.seq
