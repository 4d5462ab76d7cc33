"""`subscribe`, `watchGames` and `resync`: identities, watch sets, and the order of what follows."""

from typing import Any

import pytest

from canvas.bans import Ban
from server.wire.codes import CloseCode
from tests.support.wire import Band
from tests.support.world import GAME, JSON_V1, running

WATCH = [{"game": GAME}]


async def test_a_spectator_is_nobody() -> None:
    async with running() as world:
        reply = await world.join().ask("subscribe")
        assert reply["you"] == {"id": None, "name": None, "roles": [], "anonymous": True}
        assert reply["games"] == []
        assert reply["presence"]["type"] == "snapshot"


async def test_presence_only_when_wanted() -> None:
    async with running() as world:
        assert "presence" not in await world.join().ask("subscribe", wantsPresence=False)


async def test_a_guest_gets_a_token_that_keeps_the_name() -> None:
    async with running() as world:
        first = (await world.join().ask("subscribe", guest=True))["you"]
        assert (first["roles"], first["anonymous"]) == (["player"], False)
        again = (await world.join().ask("subscribe", token=first["token"]))["you"]
        assert (again["id"], again["name"]) == (first["id"], first["name"])
        assert "token" not in again


async def test_guests_are_limited_per_address() -> None:
    async with running(guests_per_address=1) as world:
        first = (await world.join().ask("subscribe", guest=True))["you"]
        error = (await world.join().ask("subscribe", guest=True))["error"]
        assert (error["code"], error["scope"]) == ("rate", "guests-per-address")
        assert error["retryAfterMs"] > 0
        assert (await world.join(remote="192.0.2.9").ask("subscribe", guest=True))["ok"]
        assert (await world.join().ask("subscribe", token=first["token"]))["ok"]
        assert (await world.join().ask("subscribe", token=world.token("ann")))["ok"]


async def test_guests_can_be_switched_off() -> None:
    async with running(guests=False) as world:
        assert (await world.join().ask("subscribe", guest=True))["error"]["code"] == "forbidden"


async def test_guests_of_before_are_not_let_in_where_guests_are_switched_off() -> None:
    async with running(guests=False) as world:
        _, token = world.services.authenticator.mint_guest()
        client = world.join()
        error = (await client.ask("subscribe", token=token))["error"]
        assert error["code"] == "unauthorized"
        assert client.closed_with is CloseCode.TOKEN
        assert (await world.join().ask("subscribe", token=world.token("ann")))["ok"]


async def test_a_bad_token_is_unauthorized_and_closes() -> None:
    async with running() as world:
        client = world.join()
        assert (await client.ask("subscribe", token="x.y.z"))["error"]["code"] == "unauthorized"
        assert client.closed_with is CloseCode.TOKEN


async def test_an_expired_token_is_unauthorized() -> None:
    async with running() as world:
        token = world.token("ann", ttl_s=60)
        world.clock.advance(60_000)
        client = world.join()
        assert (await client.ask("subscribe", token=token))["error"]["code"] == "unauthorized"
        assert client.closed_with is CloseCode.TOKEN


async def test_a_banned_user_is_told_so_and_closed() -> None:
    async with running() as world:
        world.bans.add_user("ann", Ban("griefing", world.clock.wall_ms() + 60_000))
        client = world.join()
        error = (await client.ask("subscribe", token=world.token("ann")))["error"]
        assert error["code"] == "forbidden"
        assert client.closed_with is CloseCode.BANNED
        assert client.connection.retry_after_ms == 60_000
        assert "griefing" in client.connection.close_reason


async def test_a_spectator_may_become_somebody_but_nobody_else_after_that() -> None:
    async with running() as world:
        client = world.join()
        await client.ask("subscribe")
        assert (await client.ask("subscribe", token=world.token("ann")))["you"]["id"] == "ann"
        assert (await client.ask("subscribe"))["you"]["id"] == "ann"
        assert (await client.ask("subscribe", guest=True))["you"]["id"] == "ann"
        assert (await client.ask("subscribe", token=world.token("ann")))["ok"]
        error = (await client.ask("subscribe", token=world.token("bob")))["error"]
        assert (error["code"], error["field"]) == ("bad-request", "token")
        assert client.closed_with is None


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"token": 5}, "token"),
        ({"guest": 1}, "guest"),
        ({"token": "t", "guest": True}, "guest"),
        ({"minIntervalMs": -1}, "minIntervalMs"),
        ({"minIntervalMs": 60_001}, "minIntervalMs"),
        ({"minIntervalMs": True}, "minIntervalMs"),
        ({"watchVersion": -1}, "watchVersion"),
        ({"games": "place#main"}, "games"),
        ({"games": [{}]}, "games.0.game"),
        ({"games": [{"game": GAME, "snapshot": "fax"}]}, "games.0.snapshot"),
        ({"games": [{"game": GAME, "since": {"epoch": "e", "seq": "1"}}]}, "games.0.since.seq"),
        ({"games": [{"game": GAME}, {"game": GAME}]}, "games"),
        ({"games": [{"game": f"place#{n}"} for n in range(65)]}, "games"),
    ],
)
async def test_a_wrong_field_is_named(fields: dict[str, Any], field: str) -> None:
    async with running() as world:
        error = (await world.join().ask("subscribe", **fields))["error"]
        assert (error["code"], error["field"]) == ("bad-request", field)


async def test_c38_the_state_states_the_cooldown_also_when_it_is_0() -> None:
    async with running() as world:
        (state,) = (await world.join().ask("subscribe", games=WATCH))["games"]
        assert state["cooldown"]["ms"] == state["cooldown"]["leftMs"] == 0
        assert {key: state[key] for key in ("game", "channel", "epoch", "seq", "resume")} == {
            "game": GAME,
            "channel": 1,
            "epoch": "epoch",
            "seq": 0,
            "resume": "snapshot",
        }
        assert (state["width"], state["height"], state["empty"]) == (20, 10, 15)
        assert len(state["palette"]) == 16
        assert (state["locked"], state["milestones"]) == (False, [])


async def test_c39_reconnecting_in_a_cooldown_gives_the_rest() -> None:
    async with running(cooldown_ms=60_000) as world:
        client = world.join()
        await client.play()
        await client.ask("place", game=GAME, x=1, y=1, color=2)
        world.clock.advance(10_000)
        (state,) = (await world.join().ask("subscribe", token=client.token, games=WATCH))["games"]
        assert state["cooldown"]["leftMs"] == 50_000


async def test_an_unknown_game_is_told_beside_the_others() -> None:
    async with running() as world:
        reply = await world.join().ask("subscribe", games=[{"game": "place#no"}, *WATCH])
        unknown, known = reply["games"]
        assert (unknown["game"], unknown["error"]["code"]) == ("place#no", "unknown-game")
        assert known["game"] == GAME


async def test_the_reply_then_the_snapshot_then_the_stream() -> None:
    async with running() as world:
        client = world.join()
        reply, snapshot, *bands = await client.trace("subscribe", guest=True, games=WATCH)
        assert reply["games"][0]["resume"] == "snapshot"
        assert (snapshot["event"], snapshot["bands"]) == ("snapshot", len(bands))
        assert all(isinstance(band, Band) for band in bands)
        first, ack = await client.trace("place", game=GAME, x=1, y=1, color=2)
        assert (first.first, ack["seq"]) == (1, 1)


async def test_json_clients_get_json_bands() -> None:
    async with running() as world:
        heard = await world.join(JSON_V1).trace("subscribe", games=WATCH)
        assert [one.get("event") for one in heard] == [None, "snapshot", "band"]


async def test_a_resume_in_step_is_current_and_a_resume_behind_gets_events() -> None:
    async with running() as world:
        player = world.join()
        await player.play()
        await player.ask("place", game=GAME, x=1, y=1, color=2)
        here = {"epoch": "epoch", "seq": 1}
        (reply,) = await world.join().trace("subscribe", games=[{"game": GAME, "since": here}])
        assert reply["games"][0]["resume"] == "current"
        behind = {"epoch": "epoch", "seq": 0}
        reply, frame = await world.join().trace(
            "subscribe", games=[{"game": GAME, "since": behind}]
        )
        assert (reply["games"][0]["resume"], reply["games"][0]["seq"]) == ("events", 1)
        assert (frame.first, frame.last) == (1, 1)


@pytest.mark.parametrize("since", [{"epoch": "other", "seq": 0}, {"epoch": "epoch", "seq": 99}])
async def test_an_unknown_position_gets_a_snapshot(since: dict[str, Any]) -> None:
    async with running() as world:
        reply = await world.join().ask("subscribe", games=[{"game": GAME, "since": since}])
        assert reply["games"][0]["resume"] == "snapshot"


async def test_last_accepted_settles_what_was_unknown() -> None:
    async with running() as world:
        client = world.join()
        await client.play()
        await client.ask("place", game=GAME, x=1, y=1, color=2, request=77)
        you = (await world.join().ask("subscribe", token=client.token, games=WATCH))["you"]
        assert you["lastAccepted"] == {"request": 77, "game": GAME, "seq": 1}
        unwatching = (await world.join().ask("subscribe", token=client.token))["you"]
        assert unwatching["lastAccepted"] == you["lastAccepted"]


async def test_watch_games_goes_on_untouched_and_an_empty_list_watches_nothing() -> None:
    async with running() as world:
        client = world.join()
        await client.play()
        (reply,) = await client.trace("watchGames", games=WATCH)
        assert reply["games"][0]["resume"] == "current"
        assert (await client.ask("watchGames", games=[]))["games"] == []
        assert world.hub.watching(client.connection) == set()


async def test_a_new_interval_holds_for_what_is_watched_already() -> None:
    async with running() as world:
        client, player = world.join(), world.join()
        await client.play()
        await player.play()
        await client.ask("subscribe", games=WATCH, minIntervalMs=60_000)
        client.heard()
        await player.ask("place", game=GAME, x=1, y=1, color=2)
        assert client.heard() == []


async def test_legacy_clients_get_hints_for_every_game_and_no_pixels() -> None:
    async with running() as world:
        legacy, player = world.join(), world.join()
        reply = await legacy.ask("subscribe", watchVersion=0, games=WATCH)
        assert reply["games"][0]["resume"] == "current"
        await player.play()
        legacy.heard()
        await player.ask("place", game=GAME, x=1, y=1, color=2)
        assert legacy.heard() == [{"event": "game", "game": GAME, "seq": 1}]


async def test_legacy_clients_stay_so_when_they_replace_what_they_watch() -> None:
    async with running() as world:
        legacy, player = world.join(), world.join()
        await legacy.ask("subscribe", watchVersion=0)
        reply = await legacy.ask("watchGames", games=WATCH)
        assert reply["games"][0]["resume"] == "current"
        await player.play()
        legacy.heard()
        await player.ask("place", game=GAME, x=1, y=1, color=2)
        assert legacy.heard() == [{"event": "game", "game": GAME, "seq": 1}]
        await legacy.ask("subscribe", games=WATCH)
        await player.ask("place", game=GAME, x=1, y=1, color=3)
        (pixels,) = legacy.heard()
        assert (pixels.first, pixels.last) == (2, 2)


async def test_resync_gives_a_snapshot_or_events() -> None:
    async with running() as world:
        client = world.join()
        await client.play()
        await client.ask("place", game=GAME, x=1, y=1, color=2)
        reply, snapshot, _band, since = await client.trace("resync", game=GAME)
        assert (reply["resume"], reply["seq"]) == ("snapshot", 1)
        assert (snapshot["seq"], since.first, since.last) == (0, 1, 1)
        reply, frame = await client.trace("resync", game=GAME, since={"epoch": "epoch", "seq": 0})
        assert (reply["resume"], frame.first) == ("events", 1)


async def test_resync_of_what_is_not_watched() -> None:
    async with running() as world:
        client = world.join()
        assert (await client.ask("resync", game=GAME))["error"]["code"] == "conflict"
        assert (await client.ask("resync", game="no#no"))["error"]["code"] == "unknown-game"
