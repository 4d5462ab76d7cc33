import struct

import pytest

from canvas.events import Resized, SettingsChanged
from server.wire import events
from server.wire.codec import Stream
from server.wire.codes import CloseCode, ErrorCode
from server.wire.errors import Malformed
from server.wire.json_text import decode_object, event_frame, reply_error, reply_ok
from server.wire.json_v1 import JSON_V1
from tests.support.wire import json_of, only_frame

STREAM = Stream("place#main", 1)


def text(frame: bytes) -> str:
    return only_frame(frame).payload.decode()


def record(x: int, y: int, color: int) -> bytes:
    return struct.pack("<I", x | y << 13 | color << 26)


def test_golden_pixels() -> None:
    frame = JSON_V1.pixels(STREAM, 2, 7, 8, record(1, 2, 3) + record(8191, 7999, 63))
    assert text(frame) == (
        '{"event":"pixels","game":"place#main","generation":2,"first":7,"last":8,'
        '"pixels":[[1,2,3],[8191,7999,63]]}'
    )


def test_conflated_is_told_only_when_it_is() -> None:
    pixels = json_of(JSON_V1.pixels(STREAM, 0, 1, 9, record(4, 5, 6), conflated=True))
    assert pixels["conflated"] is True
    assert pixels["pixels"] == [[4, 5, 6]]
    assert "conflated" not in json_of(JSON_V1.pixels(STREAM, 0, 1, 1, record(4, 5, 6)))


@pytest.mark.parametrize(("deflated", "encoding"), [(False, "raw"), (True, "deflate-raw")])
def test_golden_band(deflated: bool, encoding: str) -> None:
    frame = JSON_V1.band(STREAM, 2, 3, 4, 6, b"\xff\x00\xfe", deflated=deflated)
    assert text(frame) == (
        '{"event":"band","game":"place#main","generation":2,"seq":3,"firstRow":4,"rows":6,'
        f'"encoding":"{encoding}","data":"/wD+"}}'
    )


def test_replies() -> None:
    assert text(reply_ok(3, {"time": 5})) == '{"re":3,"ok":true,"time":5}'
    assert text(reply_error(None, ErrorCode.BAD_REQUEST, "id is missing")) == (
        '{"re":null,"ok":false,"error":{"code":"bad-request","message":"id is missing"}}'
    )
    assert json_of(reply_error(4, "cooldown", "wait", seq=9, color=1, leftMs=20))["error"] == {
        "code": "cooldown",
        "message": "wait",
        "seq": 9,
        "color": 1,
        "leftMs": 20,
    }


def test_an_event_may_have_a_field_called_name() -> None:
    assert json_of(event_frame("notice", name="x")) == {"event": "notice", "name": "x"}


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (
            events.hello("tesserae/1", "c1", time_ms=5, ping_ms=20_000, max_message_bytes=16_384),
            (
                '{"event":"hello","protocol":1,"server":"tesserae/1","connection":"c1","time":5,'
                '"pingMs":20000,"maxMessageBytes":16384}'
            ),
        ),
        (events.starting(1500), '{"event":"starting","retryAfterMs":1500}'),
        (
            events.snapshot("g#1", "e", 7, 2, width=960, height=540, size_bytes=259_200, bands=3),
            (
                '{"event":"snapshot","game":"g#1","epoch":"e","seq":7,"generation":2,"width":960,'
                '"height":540,"bytes":259200,"bands":3}'
            ),
        ),
        (
            events.snapshot("g#1", "e", 7, 2, width=1, height=1, size_bytes=1, url="/x"),
            (
                '{"event":"snapshot","game":"g#1","epoch":"e","seq":7,"generation":2,"width":1,'
                '"height":1,"bytes":1,"url":"/x"}'
            ),
        ),
        (
            events.resize("g#1", Resized(9, 0, 3, 20, 10, 5, 0, 5, 0, "wider")),
            (
                '{"event":"resize","game":"g#1","seq":9,"generation":3,"width":20,"height":10,'
                '"offsetX":5,"offsetY":0,"shiftX":5,"shiftY":0,"label":"wider"}'
            ),
        ),
        (
            events.resize("g#1", Resized(9, 0, 3, 20, 10, 0, 0, 0, 0)),
            (
                '{"event":"resize","game":"g#1","seq":9,"generation":3,"width":20,"height":10,'
                '"offsetX":0,"offsetY":0,"shiftX":0,"shiftY":0}'
            ),
        ),
        (
            events.settings("g#1", SettingsChanged(10, 0, {"locked": True, "lockReason": None})),
            '{"event":"settings","game":"g#1","seq":10,"locked":true,"lockReason":null}',
        ),
        (
            events.presence_delta(4, joins=[("u1", "Ann")], leaves=["u2"], total=3, spectators=1),
            (
                '{"event":"presence","type":"delta","seq":4,"joins":[{"id":"u1","name":"Ann"}],'
                '"leaves":["u2"],"total":3,"spectators":1}'
            ),
        ),
        (events.watchers("g#1", 12), '{"event":"watchers","game":"g#1","watchers":12}'),
        (events.game_hint("g#1", 12), '{"event":"game","game":"g#1","seq":12}'),
        (
            events.error(ErrorCode.BAD_FRAME, "not JSON"),
            '{"event":"error","code":"bad-frame","message":"not JSON"}',
        ),
        (events.notice("hello", "info"), '{"event":"notice","text":"hello","level":"info"}'),
        (
            events.closing(CloseCode.SLOW, "too slow", 250),
            '{"event":"closing","code":4102,"reason":"too slow","retryAfterMs":250}',
        ),
        (
            events.closing(CloseCode.BANNED, "banned"),
            '{"event":"closing","code":4403,"reason":"banned"}',
        ),
        (events.going(900, "restart"), '{"event":"going","retryAfterMs":900,"reason":"restart"}'),
    ],
)
def test_golden_events(frame: bytes, expected: str) -> None:
    assert text(frame) == expected


def test_a_presence_snapshot_is_an_object_for_replies() -> None:
    assert events.presence_snapshot(4, total=3, spectators=1, visible=[("u1", "Ann")], more=1) == {
        "type": "snapshot",
        "seq": 4,
        "total": 3,
        "spectators": 1,
        "visible": [{"id": "u1", "name": "Ann"}],
        "more": 1,
    }


def test_commands_are_json_objects() -> None:
    assert decode_object(b'{"do":"ping","id":1}') == {"do": "ping", "id": 1}


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"1", b"null", b'"x"', b"{", b'{"a":NaN}', b"{}x", b"[" * 5000, b"\xff{}"]
)
def test_other_text_is_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        decode_object(data)
