"""TLS at the door: on both loops the same as without, and bounded while it is not there yet."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from server.config.certificate import read_certificate
from server.transport.settings import TransportSettings
from server.wire.codes import CloseCode
from tests.support.back_pressure import answer_much, send_and_do_not_read
from tests.support.certificates import Pair, make_pair
from tests.support.connections import FakePeer, echo
from tests.support.sockets import WAIT_S, Listening, listening, until, upgrade_request

pytestmark = pytest.mark.integration
BOTH_LOOPS = True

GET = b"GET /a?b=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return make_pair(tmp_path)


@pytest.fixture
def served(pair: Pair) -> ssl.SSLContext:
    return read_certificate(*pair).context


@pytest.fixture
async def room(served: ssl.SSLContext) -> AsyncIterator[Listening]:
    async with listening(make_peer=lambda: FakePeer(echo), tls=lambda: served) as room:
        yield room


def url(room: Listening) -> str:
    return f"wss://127.0.0.1:{room.port}/ws"


async def dial(
    room: Listening, context: ssl.SSLContext
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", room.port, ssl=context)
    room.writers.append(writer)
    return reader, writer


async def ask(room: Listening, context: ssl.SSLContext, request: bytes) -> bytes:
    reader, writer = await dial(room, context)
    writer.write(request)
    async with asyncio.timeout(WAIT_S):
        return await reader.read()


async def test_a_message_goes_there_and_back(room: Listening, pair: Pair) -> None:
    async with connect(url(room), ssl=pair.trusting()) as client:
        await client.send("hello")
        assert await client.recv() == "hello"
        (connection,) = room.listener.live
        transport = connection._transport
        assert transport.get_extra_info("ssl_object").version() in {"TLSv1.2", "TLSv1.3"}
        sent = transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        assert sent == 2 * TransportSettings().send_buffer_bytes, "Linux doubles what is asked for"
    await until(lambda: room.peers[0].told[-1] == ("closed", None))
    assert room.faults == []


async def test_a_page_comes_over_tls_and_http_1_1_is_agreed(room: Listening, pair: Pair) -> None:
    context = pair.trusting()
    context.set_alpn_protocols(["h2", "http/1.1"])
    reader, writer = await dial(room, context)
    assert writer.get_extra_info("ssl_object").selected_alpn_protocol() == "http/1.1"
    writer.write(GET)
    answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"GET /a?b=1 0")
    large = b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + b"a" * 100_000
    assert (await ask(room, context, large)).endswith(b"POST /x 100000")


async def test_who_is_refused_reads_why(room: Listening, pair: Pair) -> None:
    evil = upgrade_request("Origin: http://evil.example")
    assert (await ask(room, pair.trusting(), evil)).startswith(b"HTTP/1.1 403 ")
    long = b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000
    assert (await ask(room, pair.trusting(), long)).startswith(b"HTTP/1.1 431 ")


async def test_closing_is_told_before_the_close_frame(room: Listening, pair: Pair) -> None:
    async with connect(url(room), ssl=pair.trusting()) as client:
        await until(lambda: len(room.listener.live) == 1)
        await room.listener.close_all(CloseCode.RESTART, "going down", lambda: 900)
        assert '"code":1012' in str(await client.recv())
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
    await until(lambda: not room.listener.live)


async def test_who_does_not_read_is_not_read(served: ssl.SSLContext, pair: Pair) -> None:
    async with listening(make_peer=lambda: FakePeer(answer_much), tls=lambda: served) as room:
        reader, writer = await dial(room, pair.trusting())
        writer.write(upgrade_request())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101 ")
        await send_and_do_not_read(room, reader, writer)


async def test_a_renewed_certificate_is_for_those_who_come_and_cuts_nobody(tmp_path: Path) -> None:
    old, new = make_pair(tmp_path, "old"), make_pair(tmp_path, "new")
    contexts = [read_certificate(*old).context]
    async with (
        listening(make_peer=lambda: FakePeer(echo), tls=lambda: contexts[-1]) as room,
        connect(url(room), ssl=old.trusting()) as before,
    ):
        contexts.append(read_certificate(*new).context)
        async with connect(url(room), ssl=new.trusting()) as after:
            for client in (before, after):
                await client.send("hello")
                assert await client.recv() == "hello"
        with pytest.raises(ssl.SSLCertVerificationError):
            await connect(url(room), ssl=old.trusting()).__aenter__()


async def test_plain_http_is_sent_on_to_https(room: Listening) -> None:
    answer = await room.ask(GET)
    assert answer.startswith(b"HTTP/1.1 307 ")
    assert b"location: https://localhost/a?b=1\r\n" in answer
    assert b"This port speaks TLS" in answer


@pytest.mark.parametrize(
    "request_bytes",
    [
        upgrade_request(),
        b"POST /a HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /a HTTP/1.1\r\n\r\n",
        b"GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n",
        b"GET http://elsewhere/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\x00\x01\r\n\r\n",
    ],
)
async def test_other_plain_words_are_told_why(room: Listening, request_bytes: bytes) -> None:
    answer = await room.ask(request_bytes)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"location" not in answer
    assert room.peers == []


async def test_a_plain_socket_is_told_to_speak_tls(room: Listening) -> None:
    assert b"wss:// for a WebSocket" in await room.ask(upgrade_request())


async def test_an_old_tls_and_a_scanner_are_turned_away_in_silence(
    room: Listening, pair: Pair
) -> None:
    old = pair.trusting()
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)):
        await dial(room, old)
    for bytes_sent in (b"\x16\x03\x01\x00\x05nonsense", b"\x16", b""):
        _, writer = await room.dial()
        writer.write(bytes_sent)
        writer.close()
    await until(lambda: len(room.listener._lobby) == 0)
    assert await ask(room, pair.trusting(), GET)


@pytest.mark.parametrize("begun", [b"", b"\x16\x03\x01\x02\x00"])
async def test_a_slow_handshake_ends_with_its_time(begun: bytes, served: ssl.SSLContext) -> None:
    slow = TransportSettings(head_timeout_ms=20, ping_ms=50)
    async with listening(settings=slow, tls=lambda: served) as room:
        reader, writer = await room.dial()
        writer.write(begun)
        async with asyncio.timeout(WAIT_S):
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
        await until(lambda: len(room.listener._lobby) == 0)


@pytest.mark.parametrize("begun", [b"", b"\x16\x03\x01\x02\x00"])
async def test_a_full_door_lets_the_longest_waiting_go(
    begun: bytes, served: ssl.SSLContext, pair: Pair
) -> None:
    async with listening(settings=TransportSettings(max_waiting=3), tls=lambda: served) as room:
        silent = [await room.dial() for _ in range(5)]
        for _, writer in silent:
            writer.write(begun)
        async with asyncio.timeout(WAIT_S):
            with suppress(ConnectionResetError):
                assert await silent[0][0].read() == b""
        assert (await ask(room, pair.trusting(), GET)).startswith(b"HTTP/1.1 200 ")
        assert len(room.listener._lobby) <= 3


async def test_it_gives_the_port_back(served: ssl.SSLContext) -> None:
    async with listening(tls=lambda: served) as room:
        port = room.port
        room.listener.stop_accepting()
        await until_refused(port)


async def until_refused(port: int) -> None:
    """Connect until nobody listens."""
    async with asyncio.timeout(WAIT_S):
        with suppress(ConnectionError):
            while True:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                await writer.wait_closed()
