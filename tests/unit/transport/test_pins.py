"""What the transport relies on in websockets beyond its documentation; a new version must pass."""

import pytest
from websockets.exceptions import PayloadTooBig, ProtocolError
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from server.transport.framing import plain_payload
from tests.support.frames import client_frame


def parser(max_size: int = 100) -> ServerProtocol:
    return ServerProtocol(state=State.OPEN, max_size=max_size)


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (client_frame(1, b"x" * 101)[:2], PayloadTooBig),
        (client_frame(1, b"x" * 200)[:4], PayloadTooBig),
        (client_frame(1, b"", masked=False), ProtocolError),
        (client_frame(7), ProtocolError),
    ],
)
def test_a_failed_parser_says_why_from_the_head_alone(data: bytes, cause: type[Exception]) -> None:
    protocol = parser()
    protocol.receive_data(data)
    assert isinstance(protocol.parser_exc, cause)


def test_a_parser_made_open_takes_frames_at_once() -> None:
    protocol = parser()
    protocol.receive_data(client_frame(2, b"x"))
    assert protocol.parser_exc is None
    assert protocol.events_received() == [Frame(Opcode.BINARY, b"x")]


def test_the_end_of_the_stream_is_an_empty_write() -> None:
    protocol = parser()
    protocol.receive_data(client_frame(8, b"\x03\xe8"))
    assert protocol.data_to_send() == [b"\x88\x02\x03\xe8", b""]
    assert protocol.state is State.CLOSING


@pytest.mark.parametrize("size", [0, 1, 5, 125, 126, 5000])
def test_masks_are_undone(size: int) -> None:
    payload = bytes(range(250)) * 20
    assert plain_payload(client_frame(2, payload[:size], mask=0xA1B2C3D4)) == payload[:size]
