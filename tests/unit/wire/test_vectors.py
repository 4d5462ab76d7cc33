"""The server's codecs against the protocol vectors: exactly these bytes, and nothing malformed."""

import zlib
from typing import Any

import numpy as np
import pytest

from canvas import packing
from canvas.board import Board
from canvas.events import BaseImported, Resized, SettingsChanged
from canvas.records import cell_of, record
from canvas.refusals import ACCEPTED_STATUS, FOREVER_MS, Refused
from canvas.region import Region
from server.wire import events
from server.wire.binary_v1 import BINARY_V1, ack_frame, decode_place
from server.wire.codec import Codec, Stream
from server.wire.codes import CloseCode, ErrorCode
from server.wire.errors import Malformed
from server.wire.json_text import event_frame
from server.wire.json_v1 import JSON_V1
from tests.support import vectors
from tests.support.vectors import Json
from tests.support.wire import only_frame

FRAMES = vectors.items("frames")
EVENTS = [vector for vector in vectors.items("events") if vector.get("server", True)]
BOARDS = vectors.items("packing", "boards")


def named(found: list[Json]) -> Any:
    """Parameters, called by their names."""
    return pytest.mark.parametrize("vector", found, ids=lambda vector: vector["name"])


def to(side: str, *, malformed: bool = False) -> list[Json]:
    kept = "malformed" if malformed else "fields"
    return [vector for vector in FRAMES if vector["to"] == side and kept in vector]


def encoded(f: Json) -> bytes:
    """A frame as the server encodes it."""
    stream = Stream("place#main", f["channel"])
    if f["kind"] == "pixels":
        cells = vectors.records(f["cells"])
        span = (f["generation"], f["first"], f["last"])
        return BINARY_V1.pixels(stream, *span, cells, conflated=f["conflated"])
    if f["kind"] == "band":
        rows = (f["generation"], f["seq"], f["firstRow"], f["rows"])
        deflated = f["encoding"] == "deflate-raw"
        return BINARY_V1.band(stream, *rows, bytes.fromhex(f["payload"]), deflated=deflated)
    left_ms = FOREVER_MS if f["leftMs"] is None else f["leftMs"]
    head = (f["status"], f["channel"], f["request"], f["seq"], record(*f["cell"]))
    return ack_frame(*head, f["index"], f["stackLeft"], left_ms)


@named(to("client"))
def test_frames_to_the_client(vector: Json) -> None:
    assert only_frame(encoded(vector["fields"])).payload.hex() == vector["hex"]


@named(to("server"))
def test_placements_are_read(vector: Json) -> None:
    channel, request, generation, records = decode_place(bytes.fromhex(vector["hex"]))
    fields = vector["fields"]
    assert (channel, request, generation) == (
        fields["channel"],
        fields["request"],
        fields["generation"],
    )
    assert [list(cell_of(value)) for value in records] == fields["cells"]


@named(to("server", malformed=True))
def test_malformed_placements_are_refused(vector: Json) -> None:
    with pytest.raises(Malformed):
        decode_place(bytes.fromhex(vector["hex"]))


def test_every_status_has_a_vector() -> None:
    told = {
        v["fields"]["status"]: v["fields"]["code"]
        for v in FRAMES
        if v.get("fields", {}).get("kind") == "ack"
    }
    known = {ACCEPTED_STATUS: "accepted", **{why.status: why.code for why in Refused}}
    assert known.items() <= told.items()


def stream_event(codec: Codec, e: Json) -> bytes:
    stream = Stream(e["game"], 1)
    if e["event"] == "pixels":
        span = (e["generation"], e["first"], e["last"])
        cells = vectors.records(e["pixels"])
        return codec.pixels(stream, *span, cells, conflated="conflated" in e)
    rows = (e["generation"], e["seq"], e["firstRow"], e["rows"])
    payload = vectors.from_base64(e["data"])
    return codec.band(stream, *rows, payload, deflated=e["encoding"] == "deflate-raw")


def snapshot_event(e: Json) -> bytes:
    size = {"width": e["width"], "height": e["height"], "size_bytes": e["bytes"]}
    where: dict[str, Any] = {"bands": e.get("bands"), "url": e.get("url")}
    return events.snapshot(e["game"], e["epoch"], e["seq"], e["generation"], **size, **where)


def resize_event(e: Json) -> bytes:
    geometry = (e["generation"], e["width"], e["height"], e["offsetX"], e["offsetY"])
    shift = (e["shiftX"], e["shiftY"])
    return events.resize(e["game"], Resized(e["seq"], 0, *geometry, *shift, e.get("label")))


def settings_event(e: Json) -> bytes:
    changes = {name: value for name, value in e.items() if name not in {"event", "game", "seq"}}
    return events.settings(e["game"], SettingsChanged(e["seq"], 0, changes))


def base_event(e: Json) -> bytes:
    event = BaseImported(e["seq"], 0, e["generation"], 0, 0, 1, 1, "", 0, "op")
    return events.base(e["game"], event)


def presence_event(e: Json) -> bytes:
    crowd = {"total": e["total"], "spectators": e["spectators"]}
    if e["type"] == "delta":
        joins = [(person["id"], person["name"]) for person in e["joins"]]
        return events.presence_delta(e["seq"], joins=joins, leaves=e["leaves"], **crowd)
    visible = [(person["id"], person["name"]) for person in e["visible"]]
    told = events.presence_snapshot(e["seq"], **crowd, visible=visible, more=e["more"])
    return event_frame("presence", **told)


ENCODERS = {
    "hello": lambda e: events.hello(
        e["server"],
        e["connection"],
        time_ms=e["time"],
        ping_ms=e["pingMs"],
        max_message_bytes=e["maxMessageBytes"],
    ),
    "starting": lambda e: events.starting(e["retryAfterMs"]),
    "pixels": lambda e: stream_event(JSON_V1, e),
    "band": lambda e: stream_event(JSON_V1, e),
    "snapshot": snapshot_event,
    "resize": resize_event,
    "settings": settings_event,
    "base": base_event,
    "presence": presence_event,
    "you": lambda e: events.you({name: value for name, value in e.items() if name != "event"}),
    "watchers": lambda e: events.watchers(e["game"], e["watchers"]),
    "game": lambda e: events.game_hint(e["game"], e["seq"]),
    "notice": lambda e: events.notice(e["text"], e["level"]),
    "error": lambda e: events.error(ErrorCode(e["code"]), e["message"]),
    "going": lambda e: events.going(e["retryAfterMs"], e["reason"]),
    "closing": lambda e: events.closing(CloseCode(e["code"]), e["reason"], e.get("retryAfterMs")),
}


@named(EVENTS)
def test_events_are_written_exactly_so(vector: Json) -> None:
    event = vector["event"]
    text = only_frame(ENCODERS[event["event"]](event)).payload.decode()
    assert text == vectors.compact(event)


def test_every_close_code_has_a_vector() -> None:
    told = {vector["code"] for vector in vectors.items("events", "closes")}
    assert {code.value for code in CloseCode} <= told


@named(BOARDS)
def test_boards_are_packed_so(vector: Json) -> None:
    width, height = vector["width"], vector["height"]
    colors = np.array([int(digit, 16) for row in vector["rows"] for digit in row], np.uint8)
    packed = packing.pack(colors)
    assert packed.tobytes().hex() == vector["packed"]
    assert Board.from_packed(width, height, packed).crc32() == vector["crc32"]
    for part in vector.get("regions", ()):
        region = Region(part["x1"], part["y1"], part["x2"], part["y2"])
        assert packing.crop(packed, width, region).hex() == part["packed"]


@named(BOARDS)
def test_bands_are_rows_of_the_packed_board(vector: Json) -> None:
    packed = bytes.fromhex(vector["packed"])
    assert b"".join(vectors.unpacked_bands(vector["bands"])) == packed
    for band, raw in zip(vector["bands"], vectors.unpacked_bands(vector["bands"]), strict=True):
        assert (band["firstRow"] * vector["width"]) % 2 == 0
        assert zlib.crc32(raw) == band["crc32"]


def test_records_have_their_bits() -> None:
    for vector in vectors.items("packing", "records"):
        assert record(*vector["cell"]) == vector["record"]
        assert list(cell_of(vector["record"])) == vector["cell"]
        assert vector["record"].to_bytes(4, "little").hex() == vector["hex"]
