"""A world as a browser sees it over HTTP."""

import struct
import zlib
from typing import Any, NamedTuple

import orjson
from aiohttp import ClientSession
from multidict import CIMultiDictProxy
from yarl import URL

from tests.support.world import GAME, Client, World

BOARD = "api/games/place%23main"


class Answer(NamedTuple):
    status: int
    headers: CIMultiDictProxy[str]
    body: bytes

    def json(self) -> Any:
        return orjson.loads(self.body)


class Site:
    """Sends plain requests to the HTTP side of a world."""

    def __init__(self, world: World, session: ClientSession) -> None:
        self.world = world
        self._session = session

    async def get(self, path: str, *, method: str = "GET", **headers: str) -> Answer:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent.setdefault("Accept-Encoding", "identity")
        url = URL(path, encoded=True)
        async with self._session.request(method, url, headers=sent) as response:
            return Answer(response.status, response.headers, await response.read())

    async def place(self, *cells: tuple[int, int, int]) -> Client:
        player = self.world.join()
        await player.play()
        for x, y, color in cells:
            reply = await player.ask("place", game=GAME, x=x, y=y, color=color)
            assert reply["ok"]
        return player


class Picture(NamedTuple):
    width: int
    height: int
    palette: list[bytes]
    pixels: list[list[int]]


def read_png(data: bytes) -> Picture:
    """Decode a 4-bit palette PNG whose rows are not filtered; checks every chunk's sum."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        (sum_given,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        assert sum_given == zlib.crc32(name + body)
        chunks[name] = body
        at += 12 + size
    width, height, bits, kind, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (bits, kind, rest) == (4, 3, [0, 0, 0])
    row_bytes = 1 + (width + 1) // 2
    raw = zlib.decompress(chunks[b"IDAT"])
    assert len(raw) == row_bytes * height
    rows = [raw[row * row_bytes : (row + 1) * row_bytes] for row in range(height)]
    assert all(row[0] == 0 for row in rows)
    nibbles = [[half for byte in row[1:] for half in (byte >> 4, byte & 15)] for row in rows]
    table = chunks[b"PLTE"]
    palette = [table[start : start + 3] for start in range(0, len(table), 3)]
    return Picture(width, height, palette, [row[:width] for row in nibbles])
