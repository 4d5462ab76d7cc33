"""`GET /api/games/{game}/history`: the command `history` as pages of JSON."""

from urllib.parse import quote, urlencode

import pytest

from tests.support.http import BOARD, Site

HISTORY = f"{BOARD}/history"


async def test_pages_are_followed_by_their_cursors(site: Site) -> None:
    await site.place(*[(n % 7, 1, n) for n in range(7)])
    query = {"x1": 0, "y1": 0, "x2": 5, "y2": 2, "limit": 4}
    first = (await site.get(f"{HISTORY}?{urlencode(query)}")).json()
    query["cursor"] = first["cursor"]
    second = (await site.get(f"{HISTORY}?{urlencode(query)}")).json()
    entries = first["entries"] + second["entries"]
    assert [entry["seq"] for entry in entries] == [6, 5, 4, 3, 2, 1]
    assert first["seq"] == 7
    assert "cursor" not in second


async def test_times_are_texts_or_numbers(site: Site) -> None:
    await site.place((1, 1, 1))
    at_ms = site.world.clock.wall_ms()
    for since, expected in ((at_ms, 1), (at_ms + 1, 0), ("2001-01-01", 1), ("2200-01-01", 0)):
        page = (await site.get(f"{HISTORY}?since={since}")).json()
        assert len(page["entries"]) == expected


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ("x1=1", 400, "y1"),
        ("x1=0&y1=0&x2=7&y2=2", 422, "x2"),
        ("since=2026-11-30T00:00:00+01:00", 400, "since"),
        ("limit=many", 400, "limit"),
        ("cursor=zzz", 400, "cursor"),
        ("order=asc", 400, "order"),
        ("limit=1&limit=2", 400, "limit"),
    ],
)
async def test_what_is_wrong_is_a_problem(
    site: Site, query: str, status: int, field: str | None
) -> None:
    answer = await site.get(f"{HISTORY}?{query}")
    assert (answer.status, answer.json().get("field")) == (status, field)


async def test_an_offset_of_time_is_taken_when_its_plus_is_escaped(site: Site) -> None:
    await site.place((1, 1, 1))
    moment = quote("2001-01-01T00:00:00+01:00", safe="")
    assert len((await site.get(f"{HISTORY}?since={moment}")).json()["entries"]) == 1
