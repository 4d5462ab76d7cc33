"""`canvas.png`: pictures that a plain reader of PNG agrees with."""

import pytest

from canvas.region import Region
from server.http.boards import canvas_png
from server.http.problems import Problem
from tests.support.http import BOARD, Site, read_png

PATH = f"{BOARD}/canvas.png"


async def test_the_board_as_a_picture(site: Site) -> None:
    await site.place((6, 2, 4))
    answer = await site.get(PATH)
    assert answer.headers["Content-Type"] == "image/png"
    picture = read_png(answer.body)
    assert (picture.width, picture.height, len(picture.palette)) == (7, 3, 16)
    assert picture.pixels[2] == [15, 15, 15, 15, 15, 15, 4]
    assert picture.palette[4] == bytes.fromhex("7EED56")


async def test_a_part_at_a_scale(site: Site) -> None:
    await site.place((6, 2, 4))
    picture = read_png((await site.get(f"{PATH}?x1=5&y1=2&x2=6&y2=2&scale=3")).body)
    assert picture.pixels == [[15, 15, 15, 4, 4, 4]] * 3


@pytest.mark.parametrize("query", ["scale=0", "scale=33", "scale=x", "scale=", "x1=3"])
async def test_wrong_queries_are_bad_requests(site: Site, query: str) -> None:
    assert (await site.get(f"{PATH}?{query}")).status == 400


async def test_an_unchanged_board_is_drawn_once(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await site.get(PATH)
    monkeypatch.setattr(canvas_png, "draw", None)
    assert (await site.get(PATH)).body == first.body
    assert (await site.get(PATH, If_None_Match=first.headers["ETag"])).status == 304


async def test_only_the_newest_pictures_are_kept(site: Site) -> None:
    gallery = canvas_png.Gallery()
    region = Region(0, 0, 1, 1)
    for scale in range(1, 15):
        await gallery.picture(site.world.game, region, scale)
    assert len(gallery._kept) == canvas_png.KEPT


async def test_too_many_pictures_at_once_are_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canvas_png, "MAX_WAITING", 0)
    gallery = canvas_png.Gallery()
    with pytest.raises(Problem, match="too many pictures"):
        await gallery.picture(site.world.game, Region(0, 0, 1, 1), 1)
