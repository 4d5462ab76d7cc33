"""The door on real sockets, on both loops: who is let in, who is told what, who is counted."""

import asyncio
import gc
import socket
import struct
from collections.abc import AsyncIterator, Collection

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.server import ServerProtocol
from websockets.sync.client import connect as connect_sync

from server.transport.errors import ListenError
from server.transport.handshake import Gate
from server.transport.settings import TransportSettings
from server.transport.websocket import WebSocket
from server.wire.codes import CloseCode
from tests.support.back_pressure import answer_much, send_and_do_not_read
from tests.support.clock import FakeClock
from tests.support.connections import FakePeer, echo
from tests.support.frames import client_frame
from tests.support.sockets import (
    OPEN_GATE,
    Listening,
    listening,
    until,
    upgrade_request,
)
from tests.support.wire import split_frames

pytestmark = pytest.mark.integration


BOTH_LOOPS = True


@pytest.fixture
async def room() -> AsyncIterator[Listening]:
    async with listening(make_peer=lambda: FakePeer(echo)) as room:
        yield room


async def test_a_message_goes_there_and_back(room: Listening) -> None:
    async with connect(room.url) as client:
        await client.send("hello")
        assert await client.recv() == "hello"
        await client.send(b"\x10\x00")
        await until(lambda: len(room.peers[0].messages()) == 2)
    assert room.peers[0].messages() == [("text", b"hello"), ("binary", b"\x10\x00")]
    await until(lambda: room.peers[0].told[-1] == ("closed", None))
    assert room.faults == []


async def test_the_synchronous_client_is_served(room: Listening) -> None:
    def talk() -> str | bytes:
        with connect_sync(room.url) as client:
            client.send("hello")
            return client.recv()

    assert await asyncio.to_thread(talk) == "hello"


async def test_c27_compression_is_offered_and_not_negotiated(room: Listening) -> None:
    async with connect(room.url, compression="deflate") as client:
        assert client.response is not None
        assert "Sec-WebSocket-Extensions" not in client.response.headers
        await client.send("hello")
        assert await client.recv() == "hello"


async def test_c27_a_crowd_costs_no_parser_each_and_leaves_nothing(room: Listening) -> None:
    earlier = _alive(ServerProtocol) + _alive(WebSocket)
    offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"
    crowd = [await room.upgraded(offer) for _ in range(100)]
    for _, writer in crowd:
        writer.write(client_frame(1, b"hello") + client_frame(9) + client_frame(10))
    for reader, _ in crowd:
        assert await reader.readexactly(9) == b"\x81\x05hello\x8a\x00"
    assert _alive(ServerProtocol, earlier) == []
    assert len(_alive(WebSocket, earlier)) == len(room.listener.live) == 100
    for _, writer in crowd:
        writer.close()
    await until(lambda: not room.listener.live)
    room.peers.clear()
    await asyncio.sleep(0)
    assert _alive(WebSocket, earlier) == []


def _alive(kind: type, earlier: Collection[object] = ()) -> list[object]:
    """All of a kind but those of `earlier`, which other tests of the process may have kept."""
    gc.collect()
    known = {id(one) for one in earlier}
    return [one for one in gc.get_objects() if issubclass(type(one), kind) and id(one) not in known]


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["tesserae.v1"], "tesserae.v1"),
        (["tesserae.v1.json"], "tesserae.v1.json"),
        (["tesserae.v9", "tesserae.v1"], "tesserae.v1"),
        (["tesserae.v1.json", "tesserae.v1"], "tesserae.v1.json"),
        (None, None),
    ],
)
async def test_the_subprotocol_chooses_the_codec(
    room: Listening, offered: list[str] | None, chosen: str | None
) -> None:
    async with connect(room.url, subprotocols=offered) as client:  # type: ignore[arg-type]
        assert client.subprotocol == chosen
        await until(lambda: len(room.peers) == 1)
        connection = room.peers[0].connection
        assert connection is not None
        assert connection.codec.subprotocol == (chosen or "tesserae.v1.json")


async def test_c67_an_unknown_protocol_version_is_refused_by_name(room: Listening) -> None:
    answer = await room.ask(upgrade_request("Sec-WebSocket-Protocol: tesserae.v2, chat"))
    assert answer.startswith(b"HTTP/1.1 400 ")
    for name in (b"tesserae.v2, chat", b"tesserae.v1, tesserae.v1.json"):
        assert name in answer
    assert room.peers == []


@pytest.mark.parametrize(
    ("gate", "headers", "status"),
    [
        ({}, [], 101),
        ({}, ["Origin: http://127.0.0.1"], 101),
        ({}, ["Origin: http://127.0.0.1:80"], 101),
        ({}, ["Origin: https://127.0.0.1"], 101),
        ({}, ["Origin: http://127.0.0.1:81"], 403),
        ({}, ["Origin: http://evil.example"], 403),
        ({}, ["Origin: null"], 403),
        ({}, ["Origin: http://127.0.0.1", "Origin: http://127.0.0.1"], 403),
        ({"origins": frozenset({"https://ok.example"})}, ["Origin: https://OK.example"], 101),
        ({"origins": frozenset({"https://ok.example"})}, ["Origin: http://ok.example"], 403),
        ({"origin_required": True}, [], 403),
        ({"origin_required": True}, ["Origin: http://127.0.0.1"], 101),
    ],
)
async def test_c32_origins(gate: dict[str, object], headers: list[str], status: int) -> None:
    opened = Gate(OPEN_GATE.admit, OPEN_GATE.address_of, **gate)  # type: ignore[arg-type]
    async with listening(gate=opened) as room:
        reader, writer = await room.dial()
        writer.write(upgrade_request(*headers))
        assert (
            await reader.readline()
            == {
                101: b"HTTP/1.1 101 Switching Protocols\r\n",
                403: b"HTTP/1.1 403 Forbidden\r\n",
            }[status]
        )
        assert len(room.listener.live) == (status == 101)


async def test_too_many_handshakes_are_told_when_to_come_back() -> None:
    gate = Gate(admit=lambda: 7, address_of=OPEN_GATE.address_of)
    async with listening(gate=gate) as room:
        with pytest.raises(InvalidStatus) as refused:
            await connect(room.url).__aenter__()
        assert refused.value.response.status_code == 429
        assert refused.value.response.headers["Retry-After"] == "7"


async def test_c68_the_address_is_the_gates_to_tell() -> None:
    gate = Gate(admit=lambda: None, address_of=lambda peer, forwarded: f"{peer} for {forwarded}")
    async with listening(gate=gate) as room:
        await room.upgraded("X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 2.2.2.2, 3.3.3.3")
        connection = room.peers[0].connection
        assert connection is not None
        assert connection.remote == "127.0.0.1 for 1.1.1.1, 2.2.2.2, 3.3.3.3"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /ws HTTP/1.1\r\nHost: x\r\n\r\n", b"426"),
        (upgrade_request().replace(b"GET", b"POST"), b"405"),
        (upgrade_request().replace(b"HTTP/1.1", b"HTTP/1.0"), b"505"),
        (upgrade_request().replace(b"Version: 13", b"Version: 12"), b"400"),
        (upgrade_request("Sec-WebSocket-Key: again"), b"400"),
        (upgrade_request("Content-Length: 4") + b"body", b"400"),
        (upgrade_request("Folded: a\r\n b"), b"400"),
        (upgrade_request("Name : value"), b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000, b"431"),
        (upgrade_request(*["X: y"] * 200), b"431"),
    ],
)
async def test_bad_requests_are_told_why(
    room: Listening, request_bytes: bytes, status: bytes
) -> None:
    answer = await room.ask(request_bytes)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert room.peers == []


async def test_everything_else_is_http_one_request_a_connection(room: Listening) -> None:
    two = b"GET /a?b=1 HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n" * 2
    answer = await room.ask(two)
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"GET /a?b=1 0")
    assert answer.count(b"HTTP/1.1") == 1
    assert b"Connection: close" in answer


async def test_no_upgrade_is_smuggled_past_the_door(room: Listening) -> None:
    answer = await room.ask(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n" + upgrade_request())
    assert b"101" not in answer
    answer = await room.ask(upgrade_request(path="/elsewhere"))
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert room.peers == []


async def test_a_body_reaches_http_whole(room: Listening) -> None:
    reader, writer = await room.dial()
    writer.write(b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + b"a" * 40_000)
    await asyncio.sleep(0)
    writer.write(b"a" * 60_000)
    assert (await reader.read()).endswith(b"POST /x 100000")


async def test_a_request_may_come_byte_by_byte_with_messages_behind_it(room: Listening) -> None:
    reader, writer = await room.dial()
    for byte in b"\r\n" + upgrade_request():
        writer.write(bytes([byte]))
        await writer.drain()
    writer.write(client_frame(1, b"early"))
    await reader.readuntil(b"\r\n\r\n")
    assert await reader.readexactly(7) == b"\x81\x05early"


async def test_messages_may_come_with_the_request(room: Listening) -> None:
    reader, writer = await room.dial()
    writer.write(upgrade_request() + client_frame(1, b"a") + client_frame(1, b"b")[:3])
    await reader.readuntil(b"\r\n\r\n")
    assert await reader.readexactly(3) == b"\x81\x01a"
    writer.write(client_frame(1, b"b")[3:])
    assert await reader.readexactly(3) == b"\x81\x01b"


async def test_a_slow_request_ends_with_its_time() -> None:
    async with listening(settings=TransportSettings(head_timeout_ms=20, ping_ms=50)) as room:
        assert (await room.ask(b"GET /ws HT")).startswith(b"HTTP/1.1 408 ")
        assert await room.ask(b"") == b""


async def test_a_full_door_lets_the_longest_waiting_go() -> None:
    async with listening(settings=TransportSettings(max_waiting=2)) as room:
        silent = [await room.dial() for _ in range(3)]
        assert await silent[0][0].read() == b""
        await room.upgraded()
        assert len(room.listener.live) == 1


async def test_closing_is_told_before_the_close_frame(room: Listening) -> None:
    async with connect(room.url) as client:
        await until(lambda: len(room.listener.live) == 1)
        await room.listener.close_all(CloseCode.RESTART, "going down", lambda: 900)
        assert await client.recv() == (
            '{"event":"closing","code":1012,"reason":"going down","retryAfterMs":900}'
        )
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1012, "going down")
    await until(lambda: not room.listener.live)


async def test_too_big_a_message_is_1009(room: Listening) -> None:
    async with connect(room.url) as client:
        await client.send("x" * 16_385)
        assert '"code":1009' in str(await client.recv())
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
    assert room.peers[0].messages() == []


async def test_a_fragmented_message_arrives_whole(room: Listening) -> None:
    async with connect(room.url) as client:
        await client.send(["fr", "ag", "ments"])
        assert await client.recv() == "fragments"


async def test_c29_the_count_equals_the_live_set(room: Listening) -> None:
    """Refused, aborted in the handshake, half open, reset, closed: only the open ones count."""
    live = room.listener.live
    await room.ask(upgrade_request("Origin: http://evil.example"))
    _, writer = await room.dial()
    writer.write(upgrade_request()[:40])
    writer.transport.abort()
    stays = [await room.upgraded() for _ in range(3)]
    _, reset = await room.upgraded()
    raw_socket = reset.get_extra_info("socket")
    raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    reset.transport.abort()
    half_open, writer = await room.upgraded()
    writer.write_eof()
    await half_open.read()
    reader, writer = await room.upgraded()
    writer.write(client_frame(8, b"\x03\xe8"))
    assert await reader.read() == b"\x88\x02\x03\xe8"
    writer.close()
    await until(lambda: len(live) == 3)
    for _, writer in stays:
        writer.close()
    await until(lambda: not live)
    assert sum(peer.told.count(("closed", None)) for peer in room.peers) == len(room.peers) == 6


async def test_c4_who_neither_sends_nor_reads_is_ended() -> None:
    async with listening(settings=TransportSettings(ping_ms=60)) as room:
        reader, _ = await room.upgraded()
        received = split_frames(await reader.read())
        assert [frame.opcode for frame in received] == [9, 1, 8]
        assert b'"code":4102' in received[1].payload
        assert received[2].payload[:2] == (4102).to_bytes(2, "big")
        await until(lambda: not room.listener.live)


async def test_c22_who_answers_pings_stays() -> None:
    clock = FakeClock()
    async with (
        listening(settings=TransportSettings(ping_ms=50), clock=clock) as room,
        connect(room.url, ping_interval=None),
    ):
        await until(lambda: len(room.listener.live) == 1)
        (connection,) = room.listener.live
        for _ in range(10):
            clock.advance(50)
            await until(lambda: connection.pulse.alive_ms == clock.monotonic_ms())
        assert not connection.closing


async def test_a_failing_peer_ends_its_connection_only() -> None:
    def fail(peer: FakePeer, what: str, detail: object) -> None:
        if what == "text":
            raise RuntimeError("a bug")

    async with (
        listening(make_peer=lambda: FakePeer(fail)) as room,
        connect(room.url) as other,
        connect(room.url) as client,
    ):
        await client.send("boom")
        assert '"code":"internal"' in str(await client.recv())
        assert '"code":1012' in str(await client.recv())
        await until(lambda: len(room.listener.live) == 1)
        await (await other.ping())
    assert [str(fault) for fault in room.faults] == ["a bug"]


async def test_who_does_not_read_is_not_read() -> None:
    async with listening(make_peer=lambda: FakePeer(answer_much)) as room:
        reader, writer = await room.upgraded()
        await send_and_do_not_read(room, reader, writer)


async def test_a_port_in_use_is_told_with_its_remedy(room: Listening) -> None:
    with pytest.raises(ListenError, match=f"port {room.port}") as refused:
        await room.listener.start("127.0.0.1", room.port)
    assert "--port" in refused.value.hint
