"""The HTTP side as the door uses it: a protocol for each connection."""

import asyncio
from typing import Any

import pytest
from aiohttp import ServerDisconnectedError

from server.config import Settings
from server.http import app, canvas_bin
from server.http.app import HttpSide
from tests.support.http import BOARD, Site
from tests.support.world import running


async def raw(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    try:
        return await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()
        await writer.wait_closed()


async def test_a_connection_is_closed_after_one_response() -> None:
    async with running() as world:
        side = HttpSide(world.services, Settings())
        await side.start()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(side.make_protocol, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        two = b"GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n" * 2
        answer = await raw(port, two)
        assert answer.count(b"HTTP/1.1 200") == 1
        assert b"Server: tesserae\r\n" in answer
        old = await raw(port, b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        assert b"Connection: close\r\n" in old
        await side.stop()
        server.close()
        await server.wait_closed()


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


async def test_a_crowd_of_requests_is_bounded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MAX_REQUESTS_AT_ONCE", 0)
    answer = await site.get("api/games")
    assert (answer.status, answer.headers["Retry-After"]) == (503, "2")
