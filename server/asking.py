"""What a session asks of games and of the hub, and what it is told back.

Owns the shapes alone, no behaviour: `Game`, `Games` and `Hub` are kept by game.py and hub.py, and
`Asker` by the session. Commands, HTTP and presence are written against these, so that each can be
tried with a small fake.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from canvas.board import Board
from canvas.events import PixelPlaced
from canvas.growth import Lineage
from canvas.head import Placement, Settings
from canvas.refusals import Refusal
from server.ports import Connection

Resume = Literal["current", "events", "snapshot"]
"""How a watcher is brought to the present: it is there, by events, or by a whole board."""

SnapshotMode = Literal["inline", "http", "none"]
"""How a watcher wants a board: in bands, by a link, or not at all."""


class Position(NamedTuple):
    """A place in a game's stream; a seq means nothing outside its epoch."""

    epoch: str
    seq: int


class Asker(Protocol):
    """Whoever submitted a placement and waits for its outcome."""

    @property
    def connection(self) -> Connection:
        """Where the answer goes; its acks are written within a tick, watching or not."""
        ...

    def accepted(self, event: PixelPlaced, tag: object) -> None:
        """Take the outcome of an accepted placement: committed and published.

        Called before the tick's write of the connection. A re-sent placement brings the event
        of its first outcome, which may be of an older generation.
        """
        ...

    def refused(self, refusal: Refusal, placement: Placement, tag: object) -> None:
        """Take a refusal; called at once, inside `submit`."""
        ...


class Replica(Protocol):
    """The published state of a game, as sessions read it."""

    @property
    def seq(self) -> int:
        """The newest published seq."""
        ...

    @property
    def epoch(self) -> str:
        """Which history `seq` belongs to."""
        ...

    @property
    def lineage(self) -> Lineage:
        """The published geometry and the growths before it."""
        ...

    @property
    def settings(self) -> Settings:
        """The published settings."""
        ...

    @property
    def board(self) -> Board:
        """The published board."""
        ...

    def crc32(self) -> int:
        """Return the zlib CRC-32 of the packed board."""
        ...


class Game(Protocol):
    """One game, as sessions use it."""

    @property
    def name(self) -> str:
        """`<metaGame>#<gameId>`."""
        ...

    @property
    def channel(self) -> int:
        """The u16 that stands for the game in binary frames."""
        ...

    @property
    def replica(self) -> Replica:
        """What has been published."""
        ...

    @property
    def partitions(self) -> tuple[str, ...]:
        """The history partitions that this game ever used."""
        ...

    def submit(self, placement: Placement, asker: Asker, tag: object) -> None:
        """Decide a placement in this turn; the asker hears the outcome, with `tag`."""
        ...

    def cooldown_of(self, user_id: str | None) -> Mapping[str, Any]:
        """Return the protocol's `cooldown` object: rule, ms, leftMs, stack, maxStack."""
        ...

    def left_ms(self, user_id: str) -> int:
        """Milliseconds until the next placement of a user."""
        ...

    def stack(self, user_id: str) -> int:
        """How many placements a user could make now."""
        ...

    def last_accepted(self, user_id: str) -> tuple[int, int] | None:
        """(request, seq) of the user's last accepted placement, while it is remembered."""
        ...


class Games(Protocol):
    """All games of this process."""

    def get(self, name: str) -> Game | None:
        """Find a game by its name."""
        ...

    def by_channel(self, channel: int) -> Game | None:
        """Find a game by its channel."""
        ...

    def __iter__(self) -> Iterator[Game]:
        """Walk the games."""
        ...


class Prepared(Protocol):
    """All that is needed to start a watcher in one turn."""

    @property
    def resume(self) -> Resume:
        """How `Hub.start` would bring the watcher to `Replica.seq` in this very turn.

        Read in the turn of the reply: what was `current` before an await may be `events` now.
        """
        ...


class Hub(Protocol):
    """Who watches what, and how they are brought and kept to the present."""

    def watching(self, connection: Connection) -> set[str]:
        """Names of the games that a connection watches."""
        ...

    def watchers(self, game_name: str) -> int:
        """How many connections watch a game."""
        ...

    async def prepare(self, game: Any, since: Position | None, mode: SnapshotMode) -> Prepared:
        """Make ready what a watcher needs; may await a snapshot, never touches the connection."""
        ...

    def start(self, connection: Connection, prepared: Any, interval_ms: int) -> None:
        """Begin, or begin anew: writes what brings the connection to `Replica.seq`."""
        ...

    def pace(self, connection: Connection, interval_ms: int) -> None:
        """Change the shortest time between two frames of all that a connection watches."""
        ...

    def stop(self, connection: Connection, game_name: str) -> None:
        """End one game's stream."""
        ...

    def detach(self, connection: Connection) -> None:
        """End all streams of a connection that is gone."""
        ...

    def pause(self, connection: Connection) -> None:
        """Leave a connection out of the ticks; nothing more is written to it by the hub."""
        ...

    def resume(self, connection: Connection) -> None:
        """Take it in again, with one merged catch-up."""
        ...

    def catch_up(self, connection: Connection) -> None:
        """Write at once what the connection lacks, so that it stands at `Replica.seq`."""
        ...
