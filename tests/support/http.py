"""A world as a browser sees it over HTTP."""

from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
import orjson
from aiohttp import ClientSession
from multidict import CIMultiDictProxy
from PIL import Image
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

    async def send(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, **headers: str
    ) -> Answer:
        """Send JSON, as whoever a token names."""
        bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self._session.request(
            method,
            URL(path, encoded=True),
            json={} if body is None else body,
            headers=sent | bearer,
        ) as response:
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
    """Decode a 4-bit palette PNG and check the sums of its chunks."""
    assert data[24:26] == b"\x04\x03"
    with Image.open(BytesIO(data), formats=["PNG"]) as image:
        image.verify()
    with Image.open(BytesIO(data), formats=["PNG"]) as image:
        table = bytes(image.getpalette() or [])
        palette = [table[start : start + 3] for start in range(0, len(table), 3)]
        return Picture(image.width, image.height, palette, np.asarray(image).tolist())
