"""`rename`: who may, what stays, and who hears of it."""

from typing import Any

import pytest

from server.access.renames import MOST
from server.commands.rename import COST
from tests.support.world import Client, World, running


async def guest(world: World, **fields: Any) -> tuple[Client, dict[str, Any]]:
    """A guest, and `you` of its subscription."""
    client = world.join()
    return client, (await client.play(**fields))["you"]


async def named(world: World, token: str) -> dict[str, Any]:
    you = (await world.join().ask("subscribe", token=token))["you"]
    assert isinstance(you, dict)
    return you


async def test_the_reply_has_a_token_that_keeps_all_but_the_name() -> None:
    async with running() as world:
        client, was = await guest(world)
        world.clock.advance(60_000)
        reply = await client.ask("rename", name="  Painter Ann ")
        assert reply["ok"]
        assert (reply["id"], reply["name"]) == (was["id"], "Painter Ann")
        assert reply["expiresAt"] == was["expiresAt"], "another name is no longer life"
        old, new = world.auth.verify(was["token"]), world.auth.verify(reply["token"])
        assert (new.token_id, new.roles, new.guest) == (old.token_id, old.roles, True)
        assert await named(world, reply["token"]) == {
            "id": was["id"],
            "name": "Painter Ann",
            "roles": ["player"],
            "anonymous": False,
            "expiresAt": was["expiresAt"],
        }


async def test_everybody_hears_of_it_as_a_join_of_one_who_is_here() -> None:
    async with running() as world:
        other = world.join()
        await other.ask("subscribe")
        client, was = await guest(world)
        await world.services.presence.flush()
        other.heard()
        await client.ask("rename", name="Painter Ann")
        await world.services.presence.flush()
        (delta,) = other.heard()
        assert delta["joins"] == [{"id": was["id"], "name": "Painter Ann"}]
        assert (delta["leaves"], delta["total"], delta["spectators"]) == ([], 1, 1)


async def test_all_connections_of_the_guest_are_renamed_and_told() -> None:
    async with running() as world:
        client, was = await guest(world)
        tab, (stranger, _) = world.join(), await guest(world)
        await tab.ask("subscribe", token=was["token"], wantsPresence=False)
        tab.heard()
        reply = await client.ask("rename", name="Painter Ann")
        (told,) = tab.heard()
        assert told == {"event": "you", **{n: v for n, v in reply.items() if n not in ("re", "ok")}}
        assert stranger.heard() == []
        assert [one for one in client.heard() if "event" in one] == []
        again = await tab.ask("subscribe")
        assert again["you"]["name"] == "Painter Ann"


async def test_a_hidden_guest_stays_hidden() -> None:
    async with running() as world:
        other = world.join()
        client, _ = await guest(world, invisible=True)
        await other.ask("subscribe")
        await world.services.presence.flush()
        other.heard()
        await client.ask("rename", name="Painter Ann")
        await world.services.presence.flush()
        assert other.heard() == []


async def test_only_guests_choose_their_names() -> None:
    async with running() as world:
        issued, spectator = world.join(), world.join()
        await issued.play(guest=False, token=world.token("ann"))
        for client in (issued, spectator):
            error = (await client.ask("rename", name="Painter"))["error"]
            assert error["code"] == "forbidden"


@pytest.mark.parametrize("name", ["", " ", "x" * 33, "An\nn", "\u202eAnn", "Admin", "m0derator"])
async def test_a_name_that_cannot_be_is_told_and_changes_nothing(name: str) -> None:
    async with running() as world:
        client, was = await guest(world)
        for _ in range(MOST + 1):
            error = (await client.ask("rename", name=name))["error"]
            assert (error["code"], error["field"]) == ("bad-request", "name")
        assert (await client.ask("subscribe"))["you"]["name"] == was["name"]
        assert (await client.ask("rename", name="Ann"))["ok"], "what was refused is not counted"


@pytest.mark.parametrize("name", [None, 5, True, ["Ann"]])
async def test_a_name_is_a_text(name: object) -> None:
    async with running() as world:
        client, _ = await guest(world)
        error = (await client.ask("rename", name=name))["error"]
        assert (error["code"], error["field"]) == ("bad-request", "name")


async def test_a_few_an_hour_whichever_connection_asks() -> None:
    async with running() as world:
        client, was = await guest(world)
        tab = world.join()
        await tab.ask("subscribe", token=was["token"])
        for number in range(MOST):
            asks = (client, tab)[number % 2]
            assert (await asks.ask("rename", name=f"Ann {number}"))["ok"]
        error = (await tab.ask("rename", name="Ann"))["error"]
        assert (error["code"], error["scope"]) == ("rate", "renames")
        world.clock.advance(error["retryAfterMs"])
        assert (await tab.ask("rename", name="Ann"))["ok"]


async def test_it_costs_what_it_says() -> None:
    async with running(credits=(1, 100)) as world:
        client, _ = await guest(world)
        before = (await client.ask("limits"))["credits"]["messages"]["left"]
        await client.ask("rename", name="Ann")
        after = (await client.ask("limits"))["credits"]["messages"]["left"]
        assert before - after == COST


async def test_an_older_token_still_names_the_same_guest() -> None:
    """It says its old name, since a token is all that is known of a guest."""
    async with running() as world:
        client, was = await guest(world)
        await client.ask("rename", name="Ann")
        client.hang_up()
        assert (await named(world, was["token"]))["id"] == was["id"]
