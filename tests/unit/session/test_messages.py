"""Wrong messages of every kind, floods, and the order of what awaits."""

from typing import Any

import pytest

from persistence.errors import TransientFault
from server.wire.codes import CloseCode
from tests.support.world import GAME, running


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '"text"', "null", '{"do":', '{"x":NaN}'])
async def test_text_that_is_no_object_is_a_bad_frame(text: str) -> None:
    async with running() as world:
        client = world.join()
        client.send(text)
        error = client.heard()[-1]
        assert (error["event"], error["code"]) == ("error", "bad-frame")
        assert client.closed_with is CloseCode.PROTOCOL


@pytest.mark.parametrize("data", [b"", b"\x10", b"\x11" + bytes(15), bytes(16)])
async def test_a_malformed_binary_frame_is_a_bad_frame(data: bytes) -> None:
    async with running() as world:
        client = world.join()
        client.send(data)
        assert client.heard()[-1]["code"] == "bad-frame"
        assert client.closed_with is CloseCode.PROTOCOL


async def test_an_unknown_command_is_told_with_the_known_ones() -> None:
    async with running() as world:
        reply = await world.join().ask("dance")
        assert reply["error"]["code"] == "unknown-command"
        assert "subscribe" in reply["error"]["message"]


@pytest.mark.parametrize("command_id", [None, "1", 1.5, True, -1, 2**53])
async def test_a_wrong_id_is_answered_with_null(command_id: object) -> None:
    async with running() as world:
        client = world.join()
        client.send({"do": "ping", "id": command_id})
        reply = client.heard()[-1]
        assert reply["re"] is None
        assert reply["error"]["code"] == "bad-request"
        assert reply["error"]["field"] == "id"


async def test_a_missing_command_name_is_a_bad_request() -> None:
    async with running() as world:
        client = world.join()
        client.send({"id": 4})
        reply = client.heard()[-1]
        assert (reply["re"], reply["error"]["field"]) == (4, "do")


async def test_unknown_fields_are_ignored() -> None:
    async with running() as world:
        assert (await world.join().ask("ping", colour="mauve"))["ok"] is True


async def test_later_messages_wait_for_a_command_that_awaits() -> None:
    async with running() as world:
        client = world.join()
        client.send({"do": "subscribe", "id": 1, "games": [{"game": GAME}]})
        client.send({"do": "ping", "id": 2})
        assert [one.get("re") for one in client.heard()] == [None]
        await world.quiet()
        replies = [one["re"] for one in client.heard() if isinstance(one, dict) and "re" in one]
        assert replies == [1, 2]


@pytest.mark.parametrize(
    "command",
    [
        {"do": "subscribe", "guest": True, "games": [{"game": GAME}]},
        {"do": "watchGames", "games": [{"game": GAME, "since": {"epoch": "no", "seq": 1}}]},
        {"do": "resync", "game": GAME},
    ],
)
async def test_a_client_that_leaves_while_it_awaits_is_forgotten(command: dict[str, Any]) -> None:
    async with running() as world:
        client = world.join()
        await client.ask("subscribe", games=[{"game": GAME}])
        client.send({"id": 9, **command})
        client.hang_up()
        await world.quiet()
        assert world.hub.watchers(GAME) == 0
        assert world.services.presence.snapshot()["total"] == 0


async def test_a_fault_of_ours_is_told_as_internal_and_logged_once() -> None:
    async with running() as world:
        client = world.join()
        world.script.fail("journal.within", TransientFault("away"), times=1)
        reply = await client.ask("pixel", game=GAME, x=1, y=1)
        assert reply["error"]["code"] == "internal"
        assert [doing for doing, _ in world.faults] == ["the command pixel"]
        world.faults.clear()
        assert (await client.ask("ping"))["ok"] is True


async def test_rate_names_the_bucket_and_the_wait() -> None:
    async with running(credits=(10, 3)) as world:
        client = world.join()
        for _ in range(3):
            assert (await client.ask("ping"))["ok"]
        error = (await client.ask("ping"))["error"]
        assert (error["code"], error["scope"], error["retryAfterMs"]) == ("rate", "messages", 100)
        world.clock.advance(100)
        assert (await client.ask("ping"))["ok"]


async def test_c65_asking_for_limits_costs_no_other_credit() -> None:
    async with running(credits=(10, 3)) as world:
        client = world.join()
        for _ in range(3):
            await client.ask("ping")
        left = (await client.ask("limits"))["credits"]
        assert left["messages"] == {"left": 0, "burst": 3, "perSecond": 10, "fullInMs": 300}
        assert left["limits"]["left"] == 2


async def test_a_flood_in_spite_of_refusals_is_closed() -> None:
    async with running(credits=(1, 2)) as world:
        client = world.join()
        for number in range(11):
            client.send({"do": "ping", "id": number})
        assert client.closed_with is None
        client.send({"do": "ping", "id": 11})
        assert client.closed_with is CloseCode.RATE


async def test_refusals_spread_over_time_are_no_flood() -> None:
    async with running(credits=(1, 2)) as world:
        client = world.join()
        for number in range(40):
            client.send({"do": "ping", "id": number})
            world.clock.advance(900)
        assert client.closed_with is None


async def test_no_credit_limit_when_either_setting_is_zero() -> None:
    async with running(credits=(0, 5)) as world:
        client = world.join()
        for number in range(100):
            client.send({"do": "ping", "id": number})
        assert all(one.get("ok", True) for one in client.heard())
        assert (await client.ask("limits"))["credits"] == {}


async def test_streams_stand_still_while_writing_is_paused() -> None:
    async with running() as world:
        slow, player = world.join(), world.join()
        await slow.play()
        await player.play()
        slow.heard()
        slow.connection.writable = False
        slow.session.writing_paused()
        await player.ask("place", game=GAME, x=1, y=1, color=2)
        assert slow.heard() == []
        slow.connection.writable = True
        slow.session.writing_resumed()
        (frame,) = slow.heard()
        assert (frame.first, frame.last) == (1, 1)


async def test_a_held_stream_goes_on_only_after_as_many_releases() -> None:
    async with running() as world:
        client, player = world.join(), world.join()
        await client.play()
        await player.play()
        client.heard()
        client.session.pause_streams()
        client.session.writing_paused()
        client.session.writing_resumed()
        await player.ask("place", game=GAME, x=1, y=1, color=2)
        assert client.heard() == []
        client.session.resume_streams()
        assert client.heard()[0].last == 1
