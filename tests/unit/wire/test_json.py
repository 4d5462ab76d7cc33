import pytest

from server.wire.codes import ErrorCode
from server.wire.errors import Malformed
from server.wire.json_text import decode_object, event_frame, reply_error, reply_ok
from tests.support.wire import json_of, only_frame


def text(frame: bytes) -> str:
    return only_frame(frame).payload.decode()


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


def test_commands_are_json_objects() -> None:
    assert decode_object(b'{"do":"ping","id":1}') == {"do": "ping", "id": 1}


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"1", b"null", b'"x"', b"{", b'{"a":NaN}', b"{}x", b"[" * 5000, b"\xff{}"]
)
def test_other_text_is_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        decode_object(data)
