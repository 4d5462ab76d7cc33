"""Many games: founded, entered, ended, opened again, put away; idle ones rest and come back."""

from collections.abc import Mapping
from typing import Any

import pytest

from persistence.errors import TransientFault
from persistence.ports import Key
from persistence.tables import CONFIG, MAIN
from tests.support.wire import Ack, Pixels
from tests.support.world import COMMIT, GAME, Client, World, running

GARDEN = "place#garden"


async def admin(world: World) -> Client:
    client = world.join()
    assert (await client.ask("subscribe", token=world.token("operator")))["ok"]
    return client


async def founded(world: World, name: str = GARDEN, **fields: Any) -> Client:
    client = await admin(world)
    fields = {"width": 8, "height": 6, "cooldown": {"ms": 0}, **fields}
    reply = await client.ask("createGame", game=name, **fields)
    assert reply["ok"], reply
    return client


async def row(world: World, name: str, *, completed: bool = False) -> Mapping[str, Any] | None:
    meta, _, game_id = name.partition("#")
    return await world.store.tables.get(MAIN, Key("GAME", f"{meta}#{int(completed)}#{game_id}"))


async def visitor(world: World, *games: str) -> Client:
    client = world.join()
    await client.ask("subscribe", guest=True, games=[{"game": game} for game in games])
    client.heard()
    return client


async def placed(world: World, client: Client, game: str, **cell: int) -> dict[str, Any]:
    """Place in JSON; the answer comes once it is published."""
    client.send({"do": "place", "id": 99, "game": game, "x": 1, "y": 1, "color": 3, **cell})
    for _ in range(50):
        await world.quiet()
        for heard in client.heard():
            if isinstance(heard, dict) and heard.get("re") == 99:
                return heard
    raise AssertionError("no answer")


async def test_a_founded_game_has_its_row_and_runs_at_once() -> None:
    async with running() as world:
        operator = await founded(world, title="The garden", width=8, height=6)
        state = await operator.ask("game", game=GARDEN)
        assert (state["width"], state["height"], state["channel"]) == (8, 6, 2)
        assert await row(world, GARDEN) == {
            "pk": "GAME",
            "sk": "place#0#garden",
            "title": "The garden",
            "createdAt": world.clock.wall_ms(),
            "createdBy": "operator",
            "endedAt": None,
            "archived": False,
        }
        config = await world.store.tables.get(CONFIG, Key("CONFIG", f"GAME#{GARDEN}"))
        assert config is not None
        assert config["channel"] == 2
        player = await visitor(world, GARDEN)
        assert (await placed(world, player, GARDEN))["seq"] == 1


async def test_the_default_game_has_a_row_too() -> None:
    async with running() as world:
        assert (await row(world, GAME)) is not None
        listed = (await world.join().ask("games"))["all"]
        assert [game["game"] for game in listed] == [GAME]


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"game": "place#a b"}, "game"),
        ({"game": "garden"}, "game"),
        ({"game": "chess#garden"}, "game"),
        ({"width": 0}, "width"),
        ({"height": 8001}, "height"),
        ({"palette": [{"rgb": "red"}]}, "palette"),
        ({"palette": []}, "palette"),
        ({"palette": [None]}, "palette"),
        ({"empty": 99}, "palette"),
        ({"cooldown": {"ms": -1}}, "cooldown.ms"),
        ({"startsAt": 5, "endsAt": 5}, "endsAt"),
    ],
)
async def test_a_wish_that_cannot_be_is_refused_by_its_field(
    wish: dict[str, Any], field: str
) -> None:
    async with running() as world:
        client = await admin(world)
        asked = {"game": GARDEN, "width": 8, "height": 6, **wish}
        error = (await client.ask("createGame", **asked))["error"]
        assert (error["code"], error["field"]) == ("bad-request", field)
        assert len(world.host.directory) == 1


async def test_a_name_and_its_second_part_are_given_once() -> None:
    async with running() as world:
        client = await founded(world)
        for name in (GARDEN, GAME):
            error = (await client.ask("createGame", game=name, width=8, height=6))["error"]
            assert error["code"] == "conflict"
            assert name in error["message"]


@pytest.mark.parametrize("command", ["createGame", "endGame", "reopenGame", "archiveGame"])
async def test_only_operators_take_these_steps(command: str) -> None:
    async with running() as world:
        client = await visitor(world, GAME)
        reply = await client.ask(command, game=GAME, width=1, height=1)
        assert reply["error"]["code"] == "forbidden"


async def test_a_game_ends_and_its_row_moves_with_it() -> None:
    async with running() as world:
        operator, player = await founded(world), await visitor(world, GARDEN)
        world.clock.advance(1000)
        ended = await operator.ask("endGame", game=GARDEN)
        assert ended["endedAt"] == world.clock.wall_ms()
        assert await row(world, GARDEN) is None
        assert (await row(world, GARDEN, completed=True)) is not None
        assert (await placed(world, player, GARDEN))["error"]["code"] == "ended"
        again = await operator.ask("endGame", game=GARDEN)
        assert again["error"]["code"] == "conflict"
        reopened = await operator.ask("reopenGame", game=GARDEN)
        assert "endedAt" not in reopened
        assert await row(world, GARDEN, completed=True) is None
        assert (await placed(world, player, GARDEN))["ok"]


async def test_neither_the_row_nor_the_settings_change_while_the_store_is_away() -> None:
    async with running() as world:
        operator = await founded(world)
        world.script.fail(COMMIT, TransientFault("away"), times=1)
        operator.send({"do": "endGame", "id": 50, "game": GARDEN})
        for _ in range(5):
            await world._turns()
        assert (await row(world, GARDEN)) is not None
        assert world.games.get(GARDEN).replica.settings.ends_at_ms is None  # type: ignore[union-attr]


async def test_an_archived_game_is_there_for_operators_alone_until_it_is_reopened() -> None:
    async with running() as world:
        operator, guest = await founded(world), await visitor(world, GAME)
        assert (await operator.ask("archiveGame", game=GARDEN))["error"]["code"] == "conflict"
        await operator.ask("endGame", game=GARDEN)
        assert (await operator.ask("archiveGame", game=GARDEN))["archived"]
        await rested(world)
        (entry,) = (await guest.ask("watchGames", games=[{"game": GARDEN}]))["games"]
        assert entry["error"]["code"] == "unknown-game"
        assert [one["game"] for one in (await guest.ask("games"))["all"]] == [GAME]
        assert GARDEN in [one["game"] for one in (await operator.ask("games"))["all"]]
        assert (await operator.ask("reopenGame", game=GARDEN))["archived"] is False
        (entry,) = (await guest.ask("watchGames", games=[{"game": GARDEN}]))["games"]
        assert entry["width"] == 8


async def test_a_game_that_is_not_there_is_said_so() -> None:
    async with running() as world:
        operator = await admin(world)
        for command in ("endGame", "reopenGame", "archiveGame"):
            error = (await operator.ask(command, game="place#nowhere"))["error"]
            assert error["code"] == "unknown-game"


async def rested(world: World) -> None:
    """Let as much time pass as idle games are given."""
    await world.host.rest_idle()
    world.clock.advance(60_000)
    await world.host.rest_idle()
    await world.quiet()


async def test_an_idle_game_rests_and_comes_back_as_it_was() -> None:
    async with running() as world:
        await founded(world, cooldown={"ms": 100_000})
        player = await visitor(world, GARDEN)
        first = await placed(world, player, GARDEN, request=7)
        await rested(world)
        assert world.games.get(GARDEN) is not None, "somebody watches"
        await player.ask("watchGames", games=[])
        await rested(world)
        assert world.games.get(GARDEN) is None
        (state,) = (await player.ask("watchGames", games=[{"game": GARDEN}]))["games"]
        assert (state["seq"], state["channel"]) == (1, 2)
        assert state["cooldown"]["ms"] == 100_000
        again = await placed(world, player, GARDEN, request=7)
        assert again["seq"] == first["seq"], "its request is remembered"
        pixel = await player.ask("pixel", game=GARDEN, x=1, y=1)
        assert pixel["color"] == 3


async def test_a_placement_that_meets_a_resting_game_is_told_to_come_again() -> None:
    async with running() as world:
        await founded(world)
        player = await visitor(world)
        await rested(world)
        assert world.games.get(GARDEN) is None
        refused = await placed(world, player, GARDEN)
        assert refused["error"]["code"] == "busy"
        assert (await placed(world, player, GARDEN))["seq"] == 1


async def test_what_nobody_uses_makes_room_and_what_is_used_does_not() -> None:
    async with running(max_open_games=2) as world:
        operator = await founded(world, "place#one")
        await founded(world, "place#two")
        reply = await operator.ask("createGame", game="place#three", width=8, height=6)
        assert reply["error"]["code"] == "busy"
        await visitor(world, "place#two")
        await rested(world)
        assert (await operator.ask("game", game="place#three"))["ok"]
        assert world.games.get("place#one") is None
        assert world.games.get("place#two") is not None


async def test_games_do_not_hear_of_each_other() -> None:
    async with running(size=(20, 10)) as world:
        await founded(world)
        here, there, both = [
            await visitor(world, *games) for games in ((GAME,), (GARDEN,), (GAME, GARDEN))
        ]
        await placed(world, here, GAME, x=19, y=9, color=5)
        here.heard()
        there.heard()
        both.heard()
        assert (await placed(world, there, GARDEN, x=2, y=2, color=6))["seq"] == 1
        await world.quiet()
        assert [one for one in here.heard() if isinstance(one, Pixels | Ack)] == []
        (frame,) = [one for one in both.heard() if isinstance(one, Pixels)]
        assert (frame.channel, frame.first, frame.last) == (2, 1, 1)
