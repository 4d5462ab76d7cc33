"""The JSON events that both codecs share, each a pure function from values to a text frame.

Owns the names and the order of their fields (docs/reference/protocol.md); decides nothing about
when they are sent. Called by the session, the hub, the presence service and the transport.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from canvas.events import BaseImported, Resized, SettingsChanged
from server.wire.codes import CloseCode, ErrorCode
from server.wire.json_text import event_frame

PROTOCOL_VERSION = 1

Person = tuple[str, str]
"""Who is present: (id, name)."""


def hello(
    server: str, connection: str, *, time_ms: int, ping_ms: int, max_message_bytes: int
) -> bytes:
    """Encode the first event of every connection; `time_ms` is the server's wall clock."""
    return event_frame(
        "hello",
        protocol=PROTOCOL_VERSION,
        server=server,
        connection=connection,
        time=time_ms,
        pingMs=ping_ms,
        maxMessageBytes=max_message_bytes,
    )


def starting(retry_after_ms: int) -> bytes:
    """Encode that the board is not recovered yet; close 4101 follows."""
    return event_frame("starting", retryAfterMs=retry_after_ms)


def snapshot(
    game: str,
    epoch: str,
    seq: int,
    generation: int,
    *,
    width: int,
    height: int,
    size_bytes: int,
    bands: int | None = None,
    url: str | None = None,
) -> bytes:
    """Encode the head of a snapshot: `bands` frames follow, or it is fetched from `url`."""
    where: dict[str, Any] = {"url": url} if url is not None else {"bands": bands}
    return event_frame(
        "snapshot",
        game=game,
        epoch=epoch,
        seq=seq,
        generation=generation,
        width=width,
        height=height,
        bytes=size_bytes,
        **where,
    )


def resize(game: str, event: Resized) -> bytes:
    """Encode a numbered growth."""
    label = {} if event.label is None else {"label": event.label}
    return event_frame(
        "resize",
        game=game,
        seq=event.seq,
        generation=event.generation,
        width=event.width,
        height=event.height,
        offsetX=event.offset_x,
        offsetY=event.offset_y,
        shiftX=event.shift_x,
        shiftY=event.shift_y,
        **label,
    )


def settings(game: str, event: SettingsChanged) -> bytes:
    """Encode a numbered change of settings; only what changed is in it."""
    return event_frame("settings", game=game, seq=event.seq, **event.changes)


def base(game: str, event: BaseImported) -> bytes:
    """Encode that a picture was laid over the board; who watches asks for a snapshot."""
    return event_frame("base", game=game, seq=event.seq, generation=event.generation)


def you(person: Mapping[str, Any]) -> bytes:
    """Encode who a connection is now, after the same identity was renamed on another one."""
    return event_frame("you", **person)


def presence_delta(
    seq: int,
    *,
    joins: Iterable[Person],
    leaves: Iterable[str],
    total: int,
    spectators: int,
) -> bytes:
    """Encode who came and went since the presence number before this one."""
    return event_frame(
        "presence",
        type="delta",
        seq=seq,
        joins=_people(joins),
        leaves=list(leaves),
        total=total,
        spectators=spectators,
    )


def presence_snapshot(
    seq: int, *, total: int, spectators: int, visible: Iterable[Person], more: int
) -> dict[str, Any]:
    """Build the snapshot of presence that replies carry; `more` people are not in `visible`."""
    return {
        "type": "snapshot",
        "seq": seq,
        "total": total,
        "spectators": spectators,
        "visible": _people(visible),
        "more": more,
    }


def watchers(game: str, count: int) -> bytes:
    """Encode how many connections watch a game."""
    return event_frame("watchers", game=game, watchers=count)


def game_hint(game: str, seq: int) -> bytes:
    """Encode the event `game`, all that clients of `watchVersion` 0 are told of pixels."""
    return event_frame("game", game=game, seq=seq)


def error(code: ErrorCode, message: str) -> bytes:
    """Encode a fault that no command can be answered with; a close follows."""
    return event_frame("error", code=code, message=message)


def notice(text: str, level: str) -> bytes:
    """Encode a word of the operator to everyone."""
    return event_frame("notice", text=text, level=level)


def closing(code: CloseCode, reason: str, retry_after_ms: int | None = None) -> bytes:
    """Encode what precedes every close of the server's."""
    retry = {} if retry_after_ms is None else {"retryAfterMs": retry_after_ms}
    return event_frame("closing", code=code, reason=reason, **retry)


def going(retry_after_ms: int, reason: str) -> bytes:
    """Encode that the server drains; the delay is already jittered."""
    return event_frame("going", retryAfterMs=retry_after_ms, reason=reason)


def _people(people: Iterable[Person]) -> list[dict[str, str]]:
    return [{"id": user_id, "name": name} for user_id, name in people]
