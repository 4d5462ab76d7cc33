"""Fetching a key set over a real loopback socket: bounded in size and time, and no way round."""

import asyncio
import gzip

import pytest
from aiohttp import web

from server.access.auth_keys import MAX_DOCUMENT_BYTES, KeysUnreadable, read_keys
from server.http.key_fetch import key_fetch
from tests.support.issuer import answering, key_set, public_jwk

DOCUMENT = key_set(public_jwk("RS256"))

pytestmark = pytest.mark.integration


async def document(_request: web.Request) -> web.Response:
    return web.Response(body=DOCUMENT, content_type="application/json")


async def test_a_document_is_fetched_whole() -> None:
    async with answering(document) as url:
        assert await key_fetch(url)() == DOCUMENT


async def test_of_a_huge_one_no_more_is_read_than_shows_that_it_is_huge() -> None:
    sent = 0

    async def huge(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(10_000):
            await response.write(b" " * 65_536)
            sent += 65_536
        return response

    async with answering(huge) as url:
        body = await key_fetch(url)()
    assert len(body) == MAX_DOCUMENT_BYTES + 1
    assert sent < 64 * MAX_DOCUMENT_BYTES
    with pytest.raises(KeysUnreadable, match="bytes"):
        read_keys(body)


async def test_one_that_drips_is_given_up() -> None:
    async def drip(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"{")
        await asyncio.Event().wait()
        return response

    async with answering(drip) as url:
        with pytest.raises(KeysUnreadable, match="within"):
            await key_fetch(url, total=0.2)()


async def test_a_redirect_is_not_followed() -> None:
    asked: list[str] = []

    async def elsewhere(request: web.Request) -> web.Response:
        asked.append(request.path)
        raise web.HTTPFound("/other")

    async with answering(elsewhere) as url:
        with pytest.raises(KeysUnreadable, match="status 302"):
            await key_fetch(url)()
    assert asked == ["/keys"]


@pytest.mark.parametrize("status", [204, 404, 500, 503])
async def test_other_statuses_are_told(status: int) -> None:
    async def refuse(_request: web.Request) -> web.Response:
        return web.Response(status=status)

    async with answering(refuse) as url:
        with pytest.raises(KeysUnreadable, match=f"status {status}"):
            await key_fetch(url)()


async def test_what_comes_compressed_unasked_is_not_inflated() -> None:
    async def bomb(_request: web.Request) -> web.Response:
        body = gzip.compress(b" " * 50_000_000)
        return web.Response(body=body, headers={"Content-Encoding": "gzip"})

    async with answering(bomb) as url:
        body = await key_fetch(url)()
    assert len(body) < MAX_DOCUMENT_BYTES
    with pytest.raises(KeysUnreadable, match="no JSON"):
        read_keys(body)


async def test_nobody_there_is_told() -> None:
    async with answering(document) as url:
        gone = url
    with pytest.raises(KeysUnreadable, match="Cannot connect"):
        await key_fetch(gone)()
