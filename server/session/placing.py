"""The placements of one connection: from a frame to the game, and from outcomes to acks.

Owns the count of unanswered placements and the form of their answers (a binary ack, or the reply to
a `place` command). Refuses by itself only what no game can know: rate, unknown game, spectator.
Made by the session with a connection's first placement.
"""

from typing import NamedTuple, Protocol

from canvas.events import PixelPlaced
from canvas.placement import Placement
from canvas.records import cell_of, record
from canvas.refusals import Refusal, Refused
from server.game.game import Game
from server.ports import Connection
from server.session.allowance import Allowance
from server.session.answers import ack_fields, moved, published, refusal_fields
from server.session.services import Services
from server.wire.binary_v1 import PlaceFrame, accepted_frame, ack_frame
from server.wire.json_text import reply_error, reply_ok

MAX_UNANSWERED = 1024
"""A connection with more unanswered placements is not read until some are answered."""

_SPECTATOR = Refusal(
    Refused.SPECTATOR, "spectators do not place; subscribe with a token or as a guest first"
)
_RESTING = Refusal(
    Refused.BUSY, "the game is being brought to life; send it again in a moment", 1_000
)
_UNKNOWN_CHANNEL = Refusal(
    Refused.UNKNOWN_GAME, "no game has this channel; use the one in the game's state"
)


_new_tuple = tuple.__new__
"""A NamedTuple's own constructor costs half a microsecond more, for every frame."""


class _FrameTag(NamedTuple):
    """Comes back with the outcome of a record of a binary frame."""

    channel: int
    game: Game | None


class _CommandTag(NamedTuple):
    """Comes back with the outcome of a `place` command."""

    command_id: int
    game: Game | None


class Placer(Protocol):
    """Whose placements they are: the session, as this module sees it."""

    connection: Connection
    services: Services
    allowance: Allowance
    user_id: str | None

    def placement(
        self, x: int, y: int, color: int, generation: int | None, request: int | None, index: int
    ) -> Placement:
        """Say who asks for a pixel, and from where."""
        ...

    def charge(self, cost: int) -> Refusal | None:
        """Pay for a placement."""
        ...


class Placing:
    """Implements Asker."""

    __slots__ = ("_held", "_placer", "connection", "unanswered")

    def __init__(self, placer: Placer) -> None:
        self._placer = placer
        self._held = False
        self.connection = placer.connection
        self.unanswered = 0

    def take_frame(self, frame: PlaceFrame) -> None:
        """Decide each record of a binary frame by itself, in order."""
        placer = self._placer
        channel, request, generation, records = frame
        game = placer.services.games.by_channel(channel)
        tag = _new_tuple(_FrameTag, (channel, game))
        paid = placer.allowance.pay_at_once(len(records))
        for index, value in enumerate(records):
            x, y, color = cell_of(value)
            placement = placer.placement(x, y, color, generation, request, index)
            if paid and game is not None and placer.user_id is not None:
                self.unanswered += 1
                game.submit(placement, self, tag)
            else:
                limited = None if paid else placer.charge(1)
                unknown = _UNKNOWN_CHANNEL if game is not None else self._not_running(channel)
                self._decide(placement, tag, limited, unknown)
        self._hold_if_many()

    def take_command(self, command_id: int, game_name: str, placement: Placement) -> None:
        """Decide the placement of a `place` command."""
        services = self._placer.services
        tag = _CommandTag(command_id, services.games.get(game_name))
        limited = self._placer.charge(1)
        resting = tag.game is None and services.host.wake(game_name)
        unknown = _RESTING if resting else unknown_game(game_name)
        self._decide(placement, tag, limited, unknown)
        self._hold_if_many()

    def _not_running(self, channel: int) -> Refusal:
        host = self._placer.services.host
        return _RESTING if host.wake(host.directory.by_channel(channel)) else _UNKNOWN_CHANNEL

    def _decide(
        self,
        placement: Placement,
        tag: _FrameTag | _CommandTag,
        limited: Refusal | None,
        unknown: Refusal,
    ) -> None:
        if limited is not None:
            self._tell_refused(limited, placement, tag)
        elif tag.game is None:
            self._tell_refused(unknown, placement, tag)
        elif self._placer.user_id is None:
            self._tell_refused(_SPECTATOR, placement, tag)
        else:
            self.unanswered += 1
            tag.game.submit(placement, self, tag)

    @property
    def gone(self) -> bool:
        """Whether nobody listens any more."""
        return self.connection.closing

    def _hold_if_many(self) -> None:
        if self.unanswered > MAX_UNANSWERED and not self._held:
            self._held = True
            self.connection.hold()

    def _release_if_few(self) -> None:
        if self.unanswered <= MAX_UNANSWERED:
            self._held = False
            self.connection.release()

    def accepted(self, event: PixelPlaced, tag: object) -> None:
        """Queue the ack of a published placement for the connection's next write."""
        self.unanswered -= 1
        if self._held:
            self._release_if_few()
        connection = self.connection
        if connection.closing:
            return
        self._placer.services.metrics.accepted += 1
        if type(tag) is _FrameTag:
            connection.acks.append(_binary_ack(event, tag))
        elif type(tag) is _CommandTag:
            connection.acks.append(_json_ack(event, tag))

    def refused(self, refusal: Refusal, placement: Placement, tag: object) -> None:
        """Answer a refusal of the game's at once."""
        self.unanswered -= 1
        self._tell_refused(refusal, placement, tag)

    def _tell_refused(self, refusal: Refusal, placement: Placement, tag: object) -> None:
        metrics = self._placer.services.metrics
        metrics.refused[refusal.why] += 1
        if isinstance(tag, _FrameTag):
            answer = _binary_refusal(refusal, placement, tag)
        elif isinstance(tag, _CommandTag):
            answer = _json_refusal(refusal, placement, tag)
        else:
            return
        self.connection.write(answer)
        metrics.traffic.acks.add(len(answer))


def unknown_game(name: str) -> Refusal:
    """Say that a game does not exist."""
    text = f"there is no game {name!r}; GET api/games lists them (in a path, # is %23)"
    return Refusal(Refused.UNKNOWN_GAME, text)


def _binary_ack(event: PixelPlaced, tag: _FrameTag) -> bytes:
    game = tag.game
    assert game is not None  # noqa: S101  # it has accepted
    # Taken apart at once: by name each field is a call.
    seq, _, x, y, color, generation, _, _, _, user, _, request, index, _ = event
    if generation != game.replica.lineage.geometry.generation:
        x, y = moved(event, game)
    stack, left_ms = game.standing(user)
    value = record(x, y, color)
    return accepted_frame(tag.channel, request or 0, seq, value, index, stack, left_ms)


def _json_ack(event: PixelPlaced, tag: _CommandTag) -> bytes:
    assert tag.game is not None  # noqa: S101  # it has accepted
    return reply_ok(tag.command_id, ack_fields(event, tag.game))


def _binary_refusal(refusal: Refusal, placement: Placement, tag: _FrameTag) -> bytes:
    game = tag.game
    cell = published(game, placement)
    user_id = placement.user_id
    return ack_frame(
        refusal.why.status,
        tag.channel,
        placement.request or 0,
        cell.seq,
        record(cell.x, cell.y, cell.color),
        placement.index,
        game.stack(user_id) if game is not None and user_id else 0,
        refusal.left_ms,
    )


def _json_refusal(refusal: Refusal, placement: Placement, tag: _CommandTag) -> bytes:
    extra = refusal_fields(refusal, placement, tag.game)
    return reply_error(tag.command_id, refusal.why.code, refusal.message, **extra)
