"""The order in which refusals are tested: everything is wrong at once, and mended one by one."""

import numpy as np

from canvas.bans import Ban
from canvas.mask import Mask
from canvas.refusals import Refused
from tests.support.world import GAME, Client, World, running


def test_the_order_is_the_protocols() -> None:
    order = (
        "rate unknown-game spectator stale-generation out-of-bounds bad-color ended banned locked"
        " masked cooldown address-cooldown busy"
    )
    assert [refused.code for refused in Refused] == order.split()


async def test_the_sessions_come_first_and_in_their_order() -> None:
    async with running(credits=(1, 8)) as world:
        world.game.change({"locked": True})
        client = world.join()
        client.send({"do": "ping", "id": 1})
        while client.session.charge(1) is None:
            pass
        wrong = {"game": "place#none", "x": 99, "y": 99, "color": 99, "generation": 9}
        assert await code(client, **wrong) == "rate"
        world.clock.advance(60_000)
        assert await code(client, **wrong) == "unknown-game"
        assert await code(client, **{**wrong, "game": GAME}) == "spectator"
        await client.play()
        world.clock.advance(60_000)
        assert await code(client, **{**wrong, "game": GAME}) == "stale-generation"


async def code(client: Client, **fields: object) -> str | None:
    reply = await client.ask("place", **fields)
    found = reply.get("error", {}).get("code")
    assert found is None or isinstance(found, str)
    return found


async def test_the_games_follow_in_their_order() -> None:
    async with running(cooldown_ms=1000, address_budget=1) as world:
        client = world.join()
        reply = await client.play()
        user = reply["you"]["id"]
        everything_is_wrong(world, user)
        wrong = {"game": GAME, "x": 99, "y": 4, "color": 16, "generation": 9}
        assert await code(client, **wrong) == "stale-generation"
        wrong["generation"] = 0
        assert await code(client, **wrong) == "out-of-bounds"
        wrong["x"] = 3
        assert await code(client, **wrong) == "bad-color"
        wrong["color"] = 5
        assert await code(client, **wrong) == "ended"
        world.game.change({"endsAt": None})
        assert await code(client, **wrong) == "banned"
        world.bans.remove_user(user)
        assert await code(client, **wrong) == "locked"
        world.game.change({"locked": False})
        assert await code(client, **wrong) == "masked"
        wrong["x"] = 4
        assert await code(client, **wrong) == "cooldown"
        world.game.head.cooldowns.restore(user, 0, world.clock.monotonic_ms())
        assert await code(client, **wrong) == "address-cooldown"
        world.clock.advance(5000)
        assert await code(client, **wrong) == "busy"
        world.game.head.max_pending = 100
        assert await code(client, **wrong) is None


def everything_is_wrong(world: World, user: str) -> None:
    head, clock = world.game.head, world.clock
    allowed = np.ones((10, 20), dtype=np.uint8)
    allowed[4, 3] = 0
    head.mask = Mask.of(allowed)
    world.game.change({"locked": True, "endsAt": clock.wall_ms()})
    world.bans.add_user(user, Ban("scribbling"))
    now_ms = clock.monotonic_ms()
    head.cooldowns.restore(user, 1000, now_ms)
    address_key = world.services.address_key("192.0.2.1")
    head.budgets.start(address_key, "another", now_ms, now_ms + 5000)
    head.max_pending = 0


async def test_a_request_that_was_accepted_is_answered_before_anything_is_tested() -> None:
    async with running(cooldown_ms=1000) as world:
        client = world.join()
        reply = await client.play()
        asked = {"game": GAME, "x": 3, "y": 4, "color": 5, "request": 7}
        first = await client.ask("place", **asked)
        everything_is_wrong(world, reply["you"]["id"])
        again = await client.ask("place", **{**asked, "x": 99, "color": 16, "generation": 9})
        assert {**again, "re": 0} == {**first, "re": 0}
