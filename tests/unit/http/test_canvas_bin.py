"""`canvas.bin`: bytes, headers, ETags, parts and compression."""

import asyncio
import zlib

import pytest

from canvas.region import Region
from server.http.boards import canvas_bin, costs
from server.http.bodies import Outbox
from server.http.problems import Problem, unavailable
from tests.support.http import BOARD, Site
from tests.support.world import GAME, running

PATH = f"{BOARD}/canvas.bin"


async def test_the_packed_board_and_what_it_is(site: Site) -> None:
    await site.place((6, 2, 4))
    answer = await site.get(PATH)
    assert answer.body == b"\xff" * 10 + b"\x4f"
    assert {
        name: answer.headers[f"Tesserae-{name}"] for name in ("Epoch", "Seq", "Generation")
    } == {
        "Epoch": "epoch",
        "Seq": "1",
        "Generation": "0",
    }
    assert (answer.headers["Tesserae-Width"], answer.headers["Tesserae-Height"]) == ("7", "3")
    assert answer.headers["Content-Length"] == "11"
    assert "Content-Encoding" not in answer.headers


async def test_head_has_no_body(site: Site) -> None:
    answer = await site.get(PATH, method="HEAD")
    assert (answer.status, answer.headers["Content-Length"], answer.body) == (200, "11", b"")


async def test_gzip_only_when_asked_for(site: Site) -> None:
    plain = await site.get(PATH)
    gzip = await site.get(PATH, Accept_Encoding="br, gzip;q=0.5")
    assert gzip.headers["Content-Encoding"] == "gzip"
    assert zlib.decompress(gzip.body, 31) == plain.body
    assert gzip.headers["ETag"] != plain.headers["ETag"]
    refused = await site.get(PATH, Accept_Encoding="gzip;q=0")
    assert "Content-Encoding" not in refused.headers
    again = await site.get(PATH, Accept_Encoding="gzip")
    assert again.body == gzip.body


async def test_an_etag_holds_until_the_next_pixel(site: Site) -> None:
    etag = (await site.get(PATH)).headers["ETag"]
    answer = await site.get(PATH, If_None_Match=f'"other", W/{etag}')
    assert (answer.status, answer.body, answer.headers["ETag"]) == (304, b"", etag)
    await site.place((0, 0, 1))
    assert (await site.get(PATH, If_None_Match=etag)).status == 200


async def test_c18_a_part_with_an_old_etag_after_an_overwrite(site: Site) -> None:
    part = f"{PATH}?x1=1&y1=0&x2=3&y2=2"
    await site.place((1, 0, 1))
    first = await site.get(part)
    await site.place((1, 0, 2))
    second = await site.get(part, If_None_Match=first.headers["ETag"])
    assert second.status == 200
    assert (first.body[0] >> 4, second.body[0] >> 4) == (1, 2)


async def test_a_part_is_repacked(site: Site) -> None:
    await site.place((2, 1, 3), (3, 2, 5))
    answer = await site.get(f"{PATH}?x1=2&y1=1&x2=4&y2=2")
    assert (answer.headers["Tesserae-Width"], answer.headers["Tesserae-Height"]) == ("3", "2")
    data = bytearray(answer.body)
    assert [byte >> 4 for byte in data] == [3, 15, 5]
    gzip = await site.get(f"{PATH}?x1=2&y1=1&x2=4&y2=2", Accept_Encoding="gzip")
    assert zlib.decompress(gzip.body, 31) == answer.body


@pytest.mark.parametrize(
    "query",
    [
        "x1=0",
        "x1=2&y1=0&x2=1&y2=0",
        "x1=-1&y1=0&x2=1&y2=0",
        "x1=a&y1=0&x2=1&y2=0",
        "x1=0&y1=0&x2=999999&y2=0",
        "x1=%D9%A1&y1=0&x2=1&y2=0",
    ],
)
async def test_wrong_parts_are_bad_requests(site: Site, query: str) -> None:
    answer = await site.get(f"{PATH}?{query}")
    assert answer.status == 400
    assert answer.json()["detail"]


async def test_a_part_beyond_the_board_is_out_of_bounds(site: Site) -> None:
    answer = await site.get(f"{PATH}?x1=0&y1=0&x2=7&y2=0")
    assert (answer.status, answer.json()["code"]) == (422, "out-of-bounds")


async def test_parameters_that_are_none_are_named(site: Site) -> None:
    for query, field in (("scale=2", "scale"), ("x1=0&x1=0&y1=0&x2=1&y2=0", "x1")):
        answer = await site.get(f"{PATH}?{query}")
        assert (answer.status, answer.json()["field"]) == (400, field)


async def test_a_board_is_paid_for_by_its_size(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "BYTES_PER_CREDIT", 1)
    whole = await site.get(PATH)
    assert whole.headers["RateLimit"].startswith('"requests";r=238;')  # 1 for asking, 11 bytes
    known = await site.get(PATH, If_None_Match=whole.headers["ETag"])
    assert (known.status, known.headers["RateLimit"][:18]) == (304, '"requests";r=237;t')


async def test_what_there_is_no_room_for_is_not_paid_for(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Outbox, size_bytes: int) -> None:
        raise unavailable("too many downloads at once", 1000)

    monkeypatch.setattr(costs, "BYTES_PER_CREDIT", 1)
    monkeypatch.setattr(Outbox, "room", full)
    answer = await site.get(PATH)
    assert (answer.status, answer.headers["RateLimit"][:18]) == (503, '"requests";r=249;t')


async def test_it_is_never_older_than_the_last_ack(site: Site) -> None:
    player = await site.place()
    for color in range(8):
        reply = await player.ask("place", game="place#main", x=0, y=0, color=color)
        answer = await site.get(PATH, Accept_Encoding="gzip")
        assert int(answer.headers["Tesserae-Seq"]) >= reply["seq"]
        assert zlib.decompress(answer.body, 31)[0] >> 4 == color


def test_too_much_on_the_way_is_told_to_come_back() -> None:
    outbox = Outbox(max_bytes=10)
    with outbox.room(20), pytest.raises(Problem) as refused, outbox.room(1):
        pass
    assert refused.value.headers == {"Retry-After": "2"}
    with outbox.room(5), outbox.room(5):
        assert outbox._bytes == 10
    assert outbox._bytes == 0


class SlowGzip:
    """Stands in for `gzipped`: everything waits until it is released."""

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.two = asyncio.Event()
        self.begun = 0
        self.now = 0
        self.most = 0

    async def __call__(self, body: bytes | memoryview) -> bytes:
        self.begun += 1
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now == canvas_bin.MAX_LARGE_AT_ONCE:
            self.two.set()
        await self.release.wait()
        self.now -= 1
        return zlib.compress(body)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_busy_board_is_compressed_once_for_all_who_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(canvas_bin, "gzipped", gzip := SlowGzip())
    async with running(size=(7, 3)) as world:
        compressed = canvas_bin.Compressed()
        asked = [asyncio.create_task(compressed.of(world.game))]
        player = world.join()
        await player.play()
        for color in range(5):
            await settle()
            asked += [asyncio.create_task(compressed.of(world.game)) for _ in range(3)]
            await player.ask("place", game=GAME, x=0, y=0, color=color)
        await settle()
        assert gzip.begun == 1
        gzip.release.set()
        made = await asyncio.gather(*asked)
        assert (gzip.begun, gzip.most) == (2, 1)
        assert [sheet.seq for sheet, _ in made] == [0, *[5] * 15]
        assert await compressed.of(world.game) == made[-1]
        assert gzip.begun == 2


async def test_few_large_parts_are_cut_out_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas_bin, "SMALL_BYTES", 7)
    monkeypatch.setattr(canvas_bin, "gzipped", gzip := SlowGzip())
    async with running(size=(7, 3)) as world:
        press = canvas_bin.Press()
        large = Region(0, 0, 6, 2)
        asked = [asyncio.create_task(press.body(world.game, large, gzip=True)) for _ in range(5)]
        small = await press.body(world.game, Region(0, 0, 1, 0), gzip=False)
        assert small[1] == b"\xff"
        async with asyncio.timeout(10):
            await gzip.two.wait()
        await settle()
        gzip.release.set()
        made = await asyncio.gather(*asked)
        assert (gzip.begun, gzip.most) == (5, canvas_bin.MAX_LARGE_AT_ONCE)
        assert {zlib.decompress(body) for _, body in made} == {b"\xff" * 11}
