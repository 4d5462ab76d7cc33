"""Link previews: what is shown of which board, and how often one is drawn."""

import struct
from collections.abc import AsyncIterator

import numpy as np
import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer
from hypothesis import given, settings
from hypothesis import strategies as st

from canvas.region import Region
from server.config import Settings
from server.http.app import application
from server.http.boards import preview
from tests.support.http import BOARD, Site, read_png
from tests.support.world import running

PATH = f"{BOARD}/preview.png"


def records(*cells: tuple[int, int]) -> bytes:
    return struct.pack(f"<{len(cells)}I", *(x | y << 13 for x, y in cells))


async def test_a_small_board_stands_whole_in_the_middle(site: Site) -> None:
    await site.place((6, 2, 4), (0, 0, 5))
    answer = await site.get(PATH)
    assert (answer.status, answer.headers["Cache-Control"]) == (200, "public, max-age=60")
    picture = read_png(answer.body)
    assert (picture.width, picture.height) == (1200, 630)
    pixels = np.array(picture.pixels)
    scale, left, top = 171, (1200 - 7 * 171) // 2, (630 - 3 * 171) // 2
    assert pixels[top, left] == 5
    assert pixels[top + 3 * scale - 1, left + 7 * scale - 1] == 4
    assert pixels[top - 1, left] == pixels[top, left - 1] == 15


async def test_one_is_drawn_a_minute(site: Site) -> None:
    first = await site.get(PATH)
    await site.place((0, 0, 5))
    assert (await site.get(PATH)).body == first.body
    known = await site.get(PATH, If_None_Match=first.headers["ETag"])
    assert (known.status, known.body) == (304, b"")
    site.world.clock.advance(60_000)
    assert (await site.get(PATH, If_None_Match=first.headers["ETag"])).status == 200


async def test_a_failed_drawing_is_not_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "_drawn", None)
    assert (await site.get(PATH)).status == 500
    site.world.faults.clear()
    monkeypatch.undo()
    assert (await site.get(PATH)).status == 200


@pytest.fixture
async def large() -> AsyncIterator[Site]:
    async with running(size=(2000, 1500)) as world:
        server = TestServer(application(world.services, Settings()))
        async with server, ClientSession(server.make_url("/")) as session:
            yield Site(world, session)


async def test_of_a_large_board_the_lively_part_is_shown(large: Site) -> None:
    await large.place((1900, 1400, 4), (1901, 1400, 4), (5, 5, 3))
    pixels = np.array(read_png((await large.get(PATH)).body).pixels)
    assert pixels.shape == (630, 1200)
    assert (pixels == 4).sum() == 2 * preview.PART_SCALE**2
    assert not (pixels == 3).any()


def test_without_any_placement_it_is_the_middle() -> None:
    assert preview.liveliest(b"", 2000, 1500, (600, 315)) == Region(700, 592, 1299, 906)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 8000),
    st.integers(1, 8000),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))),
)
def test_the_part_is_always_of_the_board_and_of_its_size(
    width: int, height: int, where: list[tuple[float, float]]
) -> None:
    cells = [(int(x * width), int(y * height)) for x, y in where]
    view = (min(width, 600), min(height, 315))
    part = preview.liveliest(records(*cells), width, height, view)
    assert (part.width, part.height) == view
    assert part.x2 < width
    assert part.y2 < height
