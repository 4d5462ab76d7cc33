import pytest

from server.wire.frames import PING_FRAME, binary_frame, text_frame
from tests.support.wire import Frame, only_frame


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65535, 65536, 70000])
def test_any_length_is_framed_in_its_shortest_form(size: int) -> None:
    payload = bytes(range(256)) * (size // 256 + 1)
    assert only_frame(binary_frame(payload[:size])) == Frame(2, payload[:size])


def test_text_is_marked_as_text() -> None:
    assert text_frame(b"{}") == b"\x81\x02{}"


def test_a_ping_is_empty() -> None:
    assert only_frame(PING_FRAME) == Frame(9, b"")
