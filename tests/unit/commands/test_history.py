"""`history`: who placed what where and when, over both ways."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from persistence.ports import Item
from persistence.tables import HISTORY
from server.commands import history_search
from server.commands.history import HistoryAsked, HistoryReply
from server.game.writers import Writers
from tests.support.foreign import place_frame
from tests.support.world import COMMIT, GAME, Client, World, running


class Painter:
    """Places pixels one after the other, a second apart, and knows what it did."""

    def __init__(self, world: World, user: str) -> None:
        self.world = world
        self.client = world.join()
        self.user = user

    async def place(self, *cells: tuple[int, int, int]) -> None:
        if self.client.session.user_id is None:
            await self.client.play(guest=False, token=self.world.token(self.user))
        for x, y, color in cells:
            await self.client.ask("place", game=GAME, x=x, y=y, color=color)
            self.world.clock.advance(1000)


async def pages(client: Client, **query: Any) -> list[dict[str, Any]]:
    found = [await client.ask("history", game=GAME, **query)]
    while (cursor := found[-1].get("cursor")) is not None and len(found) < 100:
        found.append(await client.ask("history", game=GAME, **query, cursor=cursor))
    assert all(page["ok"] for page in found)
    return found


async def seqs(client: Client, **query: Any) -> list[int]:
    return [entry["seq"] for page in await pages(client, **query) for entry in page["entries"]]


async def refusal(client: Client, **query: Any) -> dict[str, Any]:
    error: dict[str, Any] = (await client.ask("history", game=GAME, **query))["error"]
    return error


async def painted(world: World) -> Client:
    ann, bob = Painter(world, "ann"), Painter(world, "bob")
    await ann.place((1, 1, 2), (2, 1, 3))
    await bob.place((1, 1, 4), (19, 9, 5))
    await ann.place((1, 1, 6))
    return world.join()


async def test_all_of_it_is_told_newest_first() -> None:
    async with running() as world:
        began_ms = world.clock.wall_ms()
        client = await painted(world)
        reply = await client.ask("history", game=GAME)
        assert (reply["game"], reply["seq"], "cursor" in reply) == (GAME, 5, False)
        assert [entry["seq"] for entry in reply["entries"]] == [5, 4, 3, 2, 1]
        assert reply["entries"][0] == {
            "seq": 5,
            "at": began_ms + 4000,
            "x": 1,
            "y": 1,
            "original": [1, 1],
            "color": 6,
            "previous": 4,
            "by": "ann",
        }


async def test_a_game_without_a_placement_has_no_entries() -> None:
    async with running() as world:
        reply = await world.join().ask("history", game=GAME)
        assert (reply["seq"], reply["entries"], "cursor" in reply) == (0, [], False)


CELL = {"x1": 1, "y1": 1, "x2": 1, "y2": 1}
ROWS = {"x1": 0, "y1": 0, "x2": 18, "y2": 8}
BOARD = {"x1": 0, "y1": 0, "x2": 19, "y2": 9}


@pytest.mark.parametrize("limit", [1, 2, 1000])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (CELL, [5, 3, 1]),
        (ROWS, [5, 3, 2, 1]),
        (BOARD, [5, 4, 3, 2, 1]),
        ({"user": "bob"}, [4, 3]),
        ({"user": "bob", **CELL}, [3]),
        ({"user": "ann", **BOARD}, [5, 2, 1]),
        ({"user": "nobody"}, []),
        ({"user": "ann", "x1": 19, "y1": 9, "x2": 19, "y2": 9}, []),
    ],
)
async def test_it_is_asked_by_area_and_user(
    query: dict[str, Any], expected: Sequence[int], limit: int
) -> None:
    async with running() as world:
        client = await painted(world)
        assert await seqs(client, **query, limit=limit) == expected


async def test_times_are_included_at_both_ends_and_are_ms_or_text() -> None:
    async with running() as world:
        began_ms = world.clock.wall_ms()
        client = await painted(world)
        for query in ({}, BOARD, ROWS | {"x2": 19, "y2": 9}):
            assert await seqs(client, since=began_ms + 1000, until=began_ms + 3000, **query) == [
                4,
                3,
                2,
            ]
        text = datetime.fromtimestamp((began_ms + 3000) / 1000, UTC).isoformat()
        assert await seqs(client, since=text) == [5, 4]
        assert await seqs(client, since=text, user="ann") == [5]
        assert await seqs(client, until=text.replace("+00:00", ""), **CELL) == [3, 1]
        assert await seqs(client, until="2001-01-01") == []
        assert await seqs(client, since="2100-01-01T00:00:00Z") == []


async def test_a_cell_keeps_its_history_when_the_board_grows() -> None:
    """C14: area and entries are in today's coordinates; `original` never changes."""
    async with running() as world:
        client = await painted(world)
        world.game.resize("left", 100)
        world.game.resize("up", 7)
        await world.quiet()
        assert await seqs(client, **CELL) == []
        page = await client.ask("history", game=GAME, x1=101, y1=8, x2=101, y2=8)
        assert [entry["seq"] for entry in page["entries"]] == [5, 3, 1]
        entry = page["entries"][0]
        assert (entry["x"], entry["y"], entry["original"]) == (101, 8, [1, 1])


def first_row(world: World) -> Item:
    rows = (row for (table, _), row in world.rows.items() if table == HISTORY.name)
    item: Item = orjson.loads(next(rows))
    return item


async def test_an_area_stays_the_one_of_its_first_page() -> None:
    async with running() as world:
        client = await painted(world)
        first = await client.ask("history", game=GAME, **CELL, limit=1)
        world.game.resize("left", 3)
        await world.quiet()
        await Painter(world, "ann").place((4, 1, 9), (1, 1, 9))
        second = await client.ask("history", game=GAME, **CELL, limit=1000, cursor=first["cursor"])
        assert [entry["seq"] for entry in second["entries"]] == [3, 1]
        assert {entry["x"] for entry in second["entries"]} == {4}


async def test_only_what_is_published_is_told() -> None:
    async with running() as world:
        client = await painted(world)
        item = first_row(world)
        early = {**item, "seq": 9, "SK": item["SK"].replace("#0000", "#9000")}
        await world.store.journal.commit([early])
        for query in ({}, CELL, {"user": "ann"}, {"user": "ann", **CELL}):
            assert 9 not in await seqs(client, **query, limit=1)
        cursor = (await client.ask("history", game=GAME, limit=1))["cursor"]
        forged = repacked(cursor, 0, None, 100)
        reply = await client.ask("history", game=GAME, cursor=forged)
        assert [entry["seq"] for entry in reply["entries"]] == [5, 4, 3, 2, 1]
        world.script.hold(COMMIT)
        player = world.join()
        await player.play()
        player.send(place_frame((3, 3, 3)))
        await world.quiet()
        assert await seqs(client) == [5, 4, 3, 2, 1]


async def test_what_a_superseded_writer_left_behind_is_not_told() -> None:
    async with running() as world:
        client = await painted(world)
        item = first_row(world)
        await world.store.journal.commit([{**item, "seq": 4, "SK": item["SK"] + "0", "fence": 0}])
        assert sorted(await seqs(client)) == [1, 2, 3, 4, 4, 5]
        world.game.writers = Writers({0: 3})
        assert await seqs(client) == [5, 4, 3, 2, 1]


async def test_control_events_are_passed_over() -> None:
    async with running() as world:
        client = await painted(world)
        world.game.change({"locked": True})
        await world.quiet()
        assert await seqs(client, limit=1) == [5, 4, 3, 2, 1]


@pytest.mark.parametrize("limit", [1, 3])
async def test_filtering_ends_after_a_while_and_goes_on_with_the_cursor(
    monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(history_search, "FILTERED_PAGE", 3)
    monkeypatch.setattr(history_search, "MAX_PAGES", 2)
    async with running() as world:
        ann = Painter(world, "ann")
        await ann.place(*[(1, 1, n) for n in range(4)], *[(5, 5, n % 16) for n in range(16)])
        client = world.join()
        found = await pages(client, user="ann", **CELL, limit=limit)
        assert found[0]["entries"] == []
        assert [entry["seq"] for page in found for entry in page["entries"]] == [4, 3, 2, 1]


async def test_a_cursor_is_of_its_query() -> None:
    async with running() as world:
        client = await painted(world)
        cursor = (await client.ask("history", game=GAME, user="ann", limit=1))["cursor"]
        for other in ({}, {"user": "bob"}, {"user": "ann", "since": 1}, {"user": "ann", **CELL}):
            error = await refusal(client, **other, cursor=cursor)
            assert (error["code"], error["field"]) == ("bad-request", "cursor")
            assert "another query" in error["message"]


def repacked(cursor: str, *changed: Any) -> str:
    digest = orjson.loads(urlsafe_b64decode(cursor))[0]
    return urlsafe_b64encode(orjson.dumps([digest, *changed])).decode()


@pytest.mark.parametrize(
    "parts",
    [
        (0, "nowhere", None),
        (0, '["a"]', None),
        (0, 7, None),
        (-1, None, None),
        (0, None, "x"),
        (0, None),
        (True, None, None),
    ],
)
async def test_a_forged_cursor_is_refused(parts: Sequence[Any]) -> None:
    async with running() as world:
        client = await painted(world)
        cursor = (await client.ask("history", game=GAME, limit=1))["cursor"]
        error = await refusal(client, cursor=repacked(cursor, *parts))
        assert (error["code"], error["field"]) == ("bad-request", "cursor")
        for text in ("", "x", "ä", cursor[:-8], "AAAA", "bnVsbA=="):
            error = await refusal(client, cursor=text)
            assert (error["code"], error["field"]) == ("bad-request", "cursor")


@pytest.mark.parametrize(
    ("query", "code", "field", "says"),
    [
        ({"x1": 1, "y1": 1}, "bad-request", "x2", "needs all of"),
        ({**CELL, "x2": 0}, "bad-request", "x1", "is no region"),
        ({**CELL, "x1": -1}, "bad-request", "x1", "is no region"),
        ({**CELL, "x2": 20}, "out-of-bounds", "x2", "20 is not on the board of 20 x 10; give 0-19"),
        ({**CELL, "y2": 10**18}, "out-of-bounds", "y2", "give 0-9"),
        ({"since": 2, "until": 1}, "bad-request", "since", "lies after"),
        ({"since": "yesterday"}, "bad-request", "since", "ISO 8601"),
        ({"since": "2026-11-30T00:00:00 02:00"}, "bad-request", "since", "%2B"),
        ({"until": 10**13}, "bad-request", "until", "2286"),
        ({"until": -1}, "bad-request", "until", "1970"),
        ({"until": True}, "bad-request", "until", "ISO 8601"),
        ({"until": 1.5}, "bad-request", "until", "ISO 8601"),
        ({"until": "9999-12-31"}, "bad-request", "until", "2286"),
        ({"since": "0001-01-01T00:00:00+23:59"}, "bad-request", "since", "19|time"),
        ({"since": "1" * 50}, "bad-request", "since", "ISO 8601"),
        ({"limit": 0}, "bad-request", "limit", "greater"),
        ({"limit": 1001}, "bad-request", "limit", "less"),
        ({"user": ""}, "bad-request", "user", "at least 1"),
        ({"user": "u" * 129}, "bad-request", "user", "at most"),
        ({"cursor": "c" * 2000}, "bad-request", "cursor", "at most"),
    ],
)
async def test_what_is_wrong_is_named(
    query: dict[str, Any], code: str, field: str | None, says: str
) -> None:
    async with running() as world:
        client = await painted(world)
        error = await refusal(client, **query)
        assert (error["code"], error.get("field")) == (code, field)
        assert any(word in error["message"] for word in says.split("|"))


async def test_an_unknown_game_is_said_to_be() -> None:
    async with running() as world:
        reply = await world.join().ask("history", game="no#no")
        assert reply["error"]["code"] == "unknown-game"


async def test_a_dearer_page_costs_more(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as world:
        client = await painted(world)
        taken: list[int] = []
        charge = client.session.charge

        def counted(_session: object, cost: int, *more: Any) -> Any:
            taken.append(cost)
            return charge(cost, *more)

        monkeypatch.setattr(type(client.session), "charge", counted)
        await client.ask("history", game=GAME)
        await client.ask("history", game=GAME, limit=1000)
        await client.ask("history", game=GAME, user="ann", **CELL)
        assert taken == [4, 0, 4, 5, 4, 20]


def test_the_shapes_have_their_names_on_the_wire() -> None:
    fields = set(HistoryAsked.model_json_schema()["properties"])
    assert {"since", "until", "x1", "limit", "cursor"} <= fields
    assert set(HistoryReply.model_json_schema()["properties"]) == {
        "game",
        "seq",
        "entries",
        "cursor",
    }
