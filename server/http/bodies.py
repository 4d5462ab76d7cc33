"""Sending large bodies: in chunks, from one shared copy, with a bound on what is on its way.

Owns the count of bytes that slow clients keep alive, the choice of gzip and the tests of ETags.
Knows no game. Called by the routes of canvas.bin, canvas.png and the commands.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus

from aiohttp import hdrs, web

from server.deflate import GZIP, deflate
from server.http.problems import unavailable

CHUNK_BYTES = 256 * 1024
MAX_BYTES_ON_THE_WAY = 256 * 1024 * 1024
RETRY_MS = 2_000
Body = bytes | memoryview


class Outbox:
    """The large bodies that are being made and sent."""

    def __init__(self, max_bytes: int = MAX_BYTES_ON_THE_WAY) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0

    @contextmanager
    def room(self, size_bytes: int) -> Iterator[None]:
        """Make room for a body before it is copied; one body always has it.

        Raises Problem (503) when too much is on its way.
        """
        if self._bytes and self._bytes + size_bytes > self._max_bytes:
            raise unavailable("too many downloads at once; try again in a moment", RETRY_MS)
        self._bytes += size_bytes
        try:
            yield
        finally:
            self._bytes -= size_bytes


async def send(
    request: web.Request,
    body: Body,
    headers: Mapping[str, str],
    status: HTTPStatus = HTTPStatus.OK,
) -> web.StreamResponse:
    """Send a body in chunks; a slow client keeps no copy of its own, and counts while it reads."""
    response = web.StreamResponse(status=status, headers=headers)
    response.content_length = len(body)
    await response.prepare(request)
    if request.method != hdrs.METH_HEAD:
        view = memoryview(body)
        for start in range(0, len(body), CHUNK_BYTES):
            await response.write(view[start : start + CHUNK_BYTES])
    await response.write_eof()
    return response


def wants_gzip(request: web.Request) -> bool:
    """Whether the client asked for gzip, and not with a weight of 0."""
    for entry in request.headers.get(hdrs.ACCEPT_ENCODING, "").split(","):
        coding, _, weight = entry.partition(";")
        if coding.strip().lower() == "gzip":
            return weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


async def gzipped(body: Body) -> bytes:
    """Deflate in a thread."""
    return await asyncio.to_thread(deflate, body, GZIP)


def is_known(request: web.Request, *etags: str) -> bool:
    """Whether If-None-Match names one of the ETags, or anything at all."""
    asked = request.headers.get(hdrs.IF_NONE_MATCH, "")
    known = {tag.strip().removeprefix("W/") for tag in asked.split(",")}
    return "*" in known or not known.isdisjoint(etags)
