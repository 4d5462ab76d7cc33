"""The HTTP side as the door uses it: a protocol for each connection."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientResponse, ClientSession, ServerDisconnectedError, web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from server.access.limits import ConnectionLimits
from server.config import Settings
from server.http import app, crowd
from server.http.app import HttpSide
from server.http.boards import canvas_bin
from tests.support.http import BOARD, Site
from tests.support.world import running

Ask = Callable[[str, str], Awaitable[ClientResponse]]
"""Ask from an address for a path."""
Release = Callable[[], Awaitable[None]]


async def raw(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    try:
        return await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def listening(settings: Settings | None = None) -> AsyncIterator[int]:
    """The HTTP side on a port, without the door before it."""
    async with running() as world:
        side = HttpSide(app.application(world.services, settings or Settings()))
        await side.start()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(side.make_protocol, "127.0.0.1", 0)
        yield server.sockets[0].getsockname()[1]
        await side.stop()
        server.close()
        await server.wait_closed()
        assert world.faults == []


@asynccontextmanager
async def limited(
    limits: ConnectionLimits,
) -> AsyncIterator[tuple[Release, Ask]]:
    """A crowd in which 127.0.0.1 waits for one answer, until it is released."""
    held, waits = asyncio.Event(), asyncio.Event()

    async def hold(_request: web.Request) -> web.Response:
        waits.set()
        await held.wait()
        return web.Response()

    async def answer(_request: web.Request) -> web.Response:
        return web.Response()

    application = web.Application(
        middlewares=[crowd.middleware(limits, lambda _, told: told or "", app.UNCOUNTED)]
    )
    application.add_routes([web.get("/hold", hold), web.get("/{other}", answer)])
    async with TestServer(application) as server, ClientSession(server.make_url("/")) as session:

        async def ask(address: str, path: str) -> ClientResponse:
            response = await session.get(path, headers={"X-Forwarded-For": address})
            await response.read()
            return response

        first = asyncio.create_task(ask("127.0.0.1", "/hold"))

        async def release() -> None:
            held.set()
            await first

        await waits.wait()
        yield release, ask
        await release()


async def test_a_connection_is_closed_after_one_response() -> None:
    async with listening() as port:
        two = b"GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n" * 2
        answer = await raw(port, two)
        assert answer.count(b"HTTP/1.1 200") == 1
        assert b"Server: tesserae\r\n" in answer
        old = await raw(port, b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        assert b"Connection: close\r\n" in old


@pytest.mark.parametrize(
    "request_text",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET http://[/ HTTP/1.1\r\nHost: h\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"GET / HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    ],
)
async def test_who_breaks_http_is_told_and_fills_no_log(
    request_text: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with listening() as port:
        assert await raw(port, request_text)
    assert [line for line in caplog.records if line.levelname == "ERROR"] == []


async def test_who_hangs_up_fills_no_log(caplog: pytest.LogCaptureFixture) -> None:
    head = b"POST /api/session HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
    async with listening() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head + b"Content-Length: 9\r\n\r\n{")
        await writer.drain()
        assert b" 200 " in await raw(port, b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
        writer.close()
        assert await reader.read() == b""
        assert b" 200 " in await raw(port, b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
    assert [line for line in caplog.records if line.levelname == "ERROR"] == []


async def test_a_metrics_token_may_be_of_any_bytes() -> None:
    async with listening(Settings(metrics_token=SecretStr("a-long-metrics-token"))) as port:
        request = b"GET /metrics HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \xff\r\n\r\n"
        assert (await raw(port, request)).startswith(b"HTTP/1.1 401 ")


async def test_a_response_that_takes_for_ever_is_cut(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(app, "LONGEST_RESPONSE", 0.0)
    monkeypatch.setattr(canvas_bin, "send", never)
    with pytest.raises(ServerDisconnectedError):
        await site.get(f"{BOARD}/canvas.bin")
    assert site.world.faults == []


async def test_a_crowd_of_requests_is_bounded() -> None:
    async with limited(ConnectionLimits(total=1, per_address=0)) as (release, ask):
        answer = await ask("127.0.0.2", "/other")
        assert (answer.status, answer.headers["Retry-After"]) == (503, "2")
        assert (await ask("127.0.0.2", "/healthz")).status == 200
        await release()
        assert (await ask("127.0.0.2", "/other")).status == 200


async def test_one_address_does_not_take_every_place() -> None:
    async with limited(ConnectionLimits(total=0, per_address=1)) as (release, ask):
        answer = await ask("127.0.0.1", "/other")
        assert (answer.status, answer.headers["Retry-After"]) == (429, "2")
        assert '"scope":"requests-at-once"' in await answer.text()
        assert (await ask("127.0.0.2", "/other")).status == 200
        await release()
        assert (await ask("127.0.0.1", "/other")).status == 200
