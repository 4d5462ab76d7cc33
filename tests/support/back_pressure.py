"""A client that sends much and reads nothing, on any kind of line, and then all of it."""

from asyncio import StreamReader, StreamWriter

from tests.support.connections import FakePeer
from tests.support.frames import client_frame
from tests.support.sockets import Listening, until

BLOCK = b"\x82\x7f" + (65_536).to_bytes(8, "big") + bytes(65_536)
COUNT = 200


def answer_much(peer: FakePeer, what: str, detail: object) -> None:
    """Answer each frame by one that fills a socket's buffers soon."""
    if what == "binary" and peer.connection is not None:
        peer.connection.write(BLOCK)


async def send_and_do_not_read(room: Listening, reader: StreamReader, writer: StreamWriter) -> None:
    """Who does not read is not read: nothing lost, nothing out of order, all bounded."""
    for number in range(COUNT):
        writer.write(client_frame(2, number.to_bytes(2, "big")))
    peer = room.peers[0]
    await until(lambda: ("paused", None) in peer.told)
    (connection,) = room.listener.live
    assert connection.buffered_bytes() <= 65_536 + 2 * len(BLOCK)
    assert len(peer.messages()) < COUNT
    for _ in range(COUNT):
        assert await reader.readexactly(len(BLOCK)) == BLOCK
    expected = [("binary", number.to_bytes(2, "big")) for number in range(COUNT)]
    assert peer.messages() == expected
    assert peer.told.count(("resumed", None)) == peer.told.count(("paused", None))
