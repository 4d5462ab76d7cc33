"""What the client knows of its game: state, board, presence, kept from the server's messages.

Owns `GameSync`, the current `GameState` and `Presence`, and tells listeners what changed. It sends
nothing itself: what must be asked for goes through `Asks`. Called by the link for each message.
"""

from binascii import a2b_base64
from collections.abc import Callable
from dataclasses import dataclass, replace

from tesserae_client import control, wire
from tesserae_client.events import (
    BoardReplaced,
    GameChanged,
    PixelsChanged,
    PresenceChanged,
    Told,
)
from tesserae_client.feed import Feed
from tesserae_client.messages import GameState, Json, strict
from tesserae_client.presence import Presence
from tesserae_client.records import from_triples
from tesserae_client.snapshot import SnapshotHead
from tesserae_client.sync import GameSync, Step
from tesserae_client.wire import BandFrame, PixelsFrame

_NOT_SETTINGS = ("event", "game", "seq")


@dataclass(frozen=True, slots=True)
class Asks:
    """What a follower may want of the line."""

    resync: Callable[[Json | None], None]
    """Ask for what is missing since a position, or for the whole board."""
    presence: Callable[[], None]
    fetch: Callable[[str], None]
    """Get the board from this URL, then call `fetched`."""


class Follower:
    """One game, followed."""

    def __init__(self, game: str, feed: Feed, asks: Asks, *, track: bool) -> None:
        self.game = game
        self.state: GameState | None = None
        self.sync = GameSync(track=track)
        self.presence = Presence()
        self._feed = feed
        self._asks = asks

    @property
    def generation(self) -> int:
        """The generation in which this client's coordinates are meant."""
        if self.sync.epoch is not None or self.state is None:
            return self.sync.generation
        return self.state.generation

    def begin(self, state: GameState) -> None:
        """Take the state that a reply told."""
        self.state = state
        self._do(self.sync.begin(state))

    def pixels(self, frame: PixelsFrame) -> None:
        """Take a frame of pixels of any game."""
        if self.state is None or frame.channel != self.state.channel:
            return
        seen = self.sync.seq
        step = self.sync.pixels(frame)
        if step is Step.APPLIED and self._feed.wants_pixels:
            skipped = 0 if frame.conflated else seen + 1 - frame.first
            self._feed.publish_pixels(
                PixelsChanged(
                    frame.first + skipped,
                    frame.last,
                    frame.generation,
                    frame.conflated,
                    frame.records[skipped:],
                )
            )
        self._do(step)

    def band(self, band: BandFrame) -> None:
        """Take a band of any game."""
        if self.state is not None and band.channel == self.state.channel:
            self._do(self.sync.band(band))

    def fetched(self, head: SnapshotHead, packed: bytes) -> None:
        """Take a board that came by HTTP."""
        self._do(self.sync.fetched(head, packed))

    def event(self, event: Json) -> None:
        """Take any event of the stream that is not the line's own."""
        handler = _HANDLERS.get(event["event"])
        if "game" in event and event["game"] != self.game:
            return
        if handler is not None:
            handler(self, event)
        elif control.is_numbered(event):
            self._numbered(event)
        else:
            self._feed.publish(Told(event["event"], event))

    def _numbered(self, event: Json) -> None:
        step = self.sync.numbered(event)
        if step is Step.APPLIED:
            self._refresh(event)
            self._feed.publish(GameChanged(event["event"], event))
        self._do(step)

    def _refresh(self, event: Json) -> None:
        if self.state is not None and event["event"] in {"settings", "resize"}:
            changes = {name: value for name, value in event.items() if name not in _NOT_SETTINGS}
            self.state = self.state.changed(changes)

    def _json_pixels(self, event: Json) -> None:
        if self.state is not None:
            self.pixels(read_pixels(event, self.state.channel))

    def _json_band(self, event: Json) -> None:
        if self.state is not None:
            self.band(read_band(event, self.state.channel))

    def _snapshot(self, event: Json) -> None:
        head = SnapshotHead.from_json(event)
        step = self.sync.snapshot(head)
        if head.url is not None and self.sync.fetching:
            self._asks.fetch(head.url)
        self._do(step)

    def _presence(self, event: Json) -> None:
        if event.get("type") == "snapshot":
            self.presence.snapshot(event)
        elif not self.presence.delta(event):
            self._asks.presence()
            return
        joins = {person["id"]: person["name"] for person in event.get("joins", ())}
        self._feed.publish(PresenceChanged(joins, tuple(event.get("leaves", ()))))

    def _watchers(self, event: Json) -> None:
        if self.state is not None:
            self.state = replace(self.state, watchers=int(event["watchers"]))
        self._feed.publish(GameChanged("watchers", event))

    def _do(self, step: Step) -> None:
        if step is Step.RESYNC:
            self._asks.resync(self.sync.position)
        elif step is Step.SNAPSHOT:
            self._asks.resync(None)
        elif step is Step.REPLACED:
            self._feed.publish(BoardReplaced(self.sync.seq))


_HANDLERS: dict[str, Callable[[Follower, Json], None]] = {
    "pixels": Follower._json_pixels,  # noqa: SLF001 - the class's own table
    "band": Follower._json_band,  # noqa: SLF001
    "snapshot": Follower._snapshot,  # noqa: SLF001
    "presence": Follower._presence,  # noqa: SLF001
    "watchers": Follower._watchers,  # noqa: SLF001
}


@strict
def read_pixels(event: Json, channel: int) -> PixelsFrame:
    """Read the JSON form of a pixels frame."""
    records = from_triples(event["pixels"])
    first, last = int(event["first"]), int(event["last"])
    conflated = bool(event.get("conflated", False))
    wire.check_span(first, last, len(records), conflated=conflated)
    return PixelsFrame(channel, int(event["generation"]), first, last, conflated, records)


@strict
def read_band(event: Json, channel: int) -> BandFrame:
    """Read the JSON form of a band frame."""
    deflated = {"raw": False, "deflate-raw": True}[event["encoding"]]
    return BandFrame(
        channel,
        int(event["generation"]),
        int(event["seq"]),
        int(event["firstRow"]),
        int(event["rows"]),
        deflated,
        a2b_base64(event["data"]),
    )
