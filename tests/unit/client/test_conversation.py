"""The client in conversation with a scripted server: joining, placing, asking."""

import asyncio

import pytest
from tesserae_client import (
    CommandFailed,
    Lost,
    Placed,
    RateLimited,
    Refused,
    Stopped,
    Told,
    TooMuchPending,
)

from tests.support.fake_server import GUEST_TOKEN, soon
from tests.support.playing import table


@pytest.fixture(params=["binary", "json"])
def codec(request):
    return request.param


async def test_a_board_is_joined_followed_and_verified(codec):
    async with table(codec=codec, joined=False) as seat:
        seat.game.place(6, 2, 3)
        peer = await seat.server.line()
        subscribe = await peer.join()
        assert subscribe["guest"] is True
        assert subscribe["games"] == [{"game": "place#main", "snapshot": "inline"}]
        await soon(seat.client.ready())
        assert (seat.client.epoch, seat.client.seq) == ("e1", 1)
        assert seat.client.board[6, 2] == 3
        await peer.place(0, 0, 9)
        assert await seat.in_step(peer)
        assert seat.client.board[0, 0] == 9


async def test_a_wrong_board_does_not_verify():
    async with table() as seat:
        seat.client.board.colors[0, 0] = 4
        assert not await seat.in_step(seat.peer)


async def test_an_accepted_placement(codec):
    async with table(codec=codec) as seat:
        placing = asyncio.create_task(seat.client.place(1, 2, 3))
        asked = await seat.peer.receive()
        seq = await seat.peer.place(1, 2, 3)
        await seat.peer.ack(asked, seq, (1, 2, 3), left_ms=500)
        placed = await soon(placing)
        assert placed == Placed(1, 1, 2, 3, 500, 0, asked["request"])
        assert seat.client.board[1, 2] == 3


async def test_many_placements_are_answered_one_by_one():
    async with table() as seat:
        placing = asyncio.create_task(seat.client.place_many([(0, 0, 1), (1, 0, 2)]))
        asked = await seat.peer.receive()
        assert asked["cells"] == [(0, 0, 1), (1, 0, 2)]
        await seat.peer.ack(asked, 0, (1, 0, 15), status=1, index=1, left_ms=900)
        await seat.peer.ack(asked, 1, (0, 0, 1))
        first, second = await soon(placing)
        assert isinstance(first, Placed)
        assert isinstance(second, Refused)
        assert (second.code, second.left_ms, second.index) == ("cooldown", 900, 1)


async def test_c17_a_refusal_brings_the_true_colour_at_a_seq():
    async with table() as seat:
        placing = asyncio.create_task(seat.client.place(1, 1, 3))
        asked = await seat.peer.receive()
        await seat.peer.ack(asked, 8, (1, 1, 5), status=4)
        refused = await soon(placing)
        assert isinstance(refused, Refused)
        assert (refused.code, refused.true_color, refused.seq) == ("locked", 5, 8)
        assert (refused.x, refused.y, refused.color) == (1, 1, 3)


async def test_c17_a_refusal_in_json():
    async with table(codec="json") as seat:
        placing = asyncio.create_task(seat.client.place(1, 1, 3))
        asked = await seat.peer.expect("place")
        await seat.peer.refuse(asked, "cooldown", seq=8, color=5, leftMs=70, scope="user")
        refused = await soon(placing)
        assert isinstance(refused, Refused)
        assert (refused.code, refused.true_color, refused.seq) == ("cooldown", 5, 8)
        assert (refused.left_ms, refused.scope) == (70, "user")


async def test_a_refusal_where_there_is_no_cell_has_no_true_colour():
    async with table() as seat:
        placing = asyncio.create_task(seat.client.place(500, 1, 3))
        await seat.peer.ack(await seat.peer.receive(), 8, (500, 1, 3), status=2)
        refused = await soon(placing)
        assert isinstance(refused, Refused)
        assert (refused.code, refused.true_color) == ("out-of-bounds", None)


async def test_a_json_placement_that_fails_as_a_command_raises():
    async with table(codec="json") as seat:
        placing = asyncio.create_task(seat.client.place(1, 1, 3))
        await seat.peer.refuse(await seat.peer.expect("place"), "internal")
        with pytest.raises(CommandFailed, match="internal"):
            await soon(placing)


async def test_c16_a_late_ack_takes_nothing_back():
    """The broadcast comes first, others draw over it, and the ack comes long after."""
    async with table() as seat:
        placing = asyncio.create_task(seat.client.place(1, 1, 3))
        asked = await seat.peer.receive()
        seq = await seat.peer.place(1, 1, 3)
        await seat.peer.place(2, 1, 4)
        assert await seat.in_step(seat.peer)
        assert not placing.done()
        assert seat.client.board[1, 1] == 3
        await seat.peer.place(1, 1, 6)
        await seat.peer.ack(asked, seq, (1, 1, 3))
        placed = await soon(placing)
        assert isinstance(placed, Placed)
        assert placed.seq == seq
        assert await seat.in_step(seat.peer)
        assert seat.client.board[1, 1] == 6


async def test_what_fits_no_record_is_not_sent():
    async with table() as seat:
        with pytest.raises(ValueError, match="fits no record"):
            await seat.client.place(9000, 0, 1)
        with pytest.raises(ValueError, match="1 to 64"):
            await seat.client.place_many([])


async def test_unanswered_placements_are_bounded():
    async with table() as seat:
        crowd = [asyncio.create_task(seat.client.place_many([(0, 0, 1)] * 64)) for _ in range(16)]
        for _ in range(64):
            await seat.peer.receive()
        with pytest.raises(TooMuchPending):
            await seat.client.place(0, 0, 1)
        for task in crowd:
            task.cancel()
        await asyncio.wait(crowd)


async def test_limits_and_pixel_are_asked_for():
    async with table() as seat:
        limits = asyncio.create_task(seat.client.limits())
        await seat.peer.reply(await seat.peer.expect("limits"), cooldown={"leftMs": 5})
        assert (await soon(limits))["cooldown"] == {"leftMs": 5}
        pixel = asyncio.create_task(seat.client.pixel(3, 1))
        asked = await seat.peer.expect("pixel")
        assert (asked["x"], asked["y"]) == (3, 1)
        await seat.peer.reply(asked, seq=4, color=2, by="u", at=99, original=[-1, 1])
        assert (await soon(pixel)).original == (-1, 1)


async def test_a_command_without_credits_names_the_delay():
    async with table() as seat:
        limits = asyncio.create_task(seat.client.limits())
        asked = await seat.peer.expect("limits")
        await seat.peer.refuse(asked, "rate", retryAfterMs=250, scope="connection")
        with pytest.raises(RateLimited) as limited:
            await soon(limits)
        assert (limited.value.retry_after_ms, limited.value.scope) == (250, "connection")


async def test_a_guest_keeps_its_token_and_knows_itself():
    async with table() as seat:
        assert seat.client.token == GUEST_TOKEN
        assert seat.client.you is not None
        assert seat.client.you.id == "g_1"
        assert seat.client.connected


async def test_a_spectator_asks_for_no_identity():
    async with table(guest=False, joined=False) as seat:
        subscribe = await (await seat.server.line()).join()
        assert "guest" not in subscribe
        assert "token" not in subscribe


async def test_without_a_board_only_the_numbers_are_followed():
    async with table(track_board=False) as seat:
        await seat.peer.place(1, 1, 3)
        limits = asyncio.create_task(seat.client.limits())
        await seat.peer.reply(await seat.peer.expect("limits"))
        await soon(limits)
        assert seat.client.seq == 1
        with pytest.raises(RuntimeError, match="track_board"):
            seat.client.board  # noqa: B018 - reading is what raises


async def test_who_only_places_leaves_the_watch_set_and_places_as_of_its_joining():
    async with table(watch=False, track_board=False) as seat:
        watch_games = await seat.peer.expect("watchGames")
        assert watch_games["games"] == []
        await seat.peer.reply(watch_games, games=[])
        seat.game.grow_left(2)  # it is not told, so it goes on placing in the older generation
        placing = asyncio.create_task(seat.client.place(1, 1, 3))
        frame = await seat.peer.expect("place frame")
        assert frame["generation"] == 0
        await seat.peer.ack(frame, 2, (3, 1, 3))
        assert (await soon(placing)).x == 3
        assert seat.client.in_step
        seat.peer.cut()
        await (await seat.server.line()).join("current")
        await soon(seat.client.ready())
        assert seat.client.generation == 1


async def test_coordinates_may_be_those_of_another_generation():
    async with table() as seat:
        placing = asyncio.create_task(seat.client.place_many([(1, 1, 3)], generation=4))
        frame = await seat.peer.expect("place frame")
        assert frame["generation"] == 4
        await seat.peer.ack(frame, 1, (1, 1, 3))
        await soon(placing)


async def test_who_may_not_leave_the_watch_set_yet_goes_on():
    async with table(watch=False, track_board=False) as seat:
        command = await seat.peer.expect("watchGames")
        await seat.peer.refuse(command, "rate", retryAfterMs=1000)
        placing = asyncio.create_task(seat.client.place(1, 1, 3))
        frame = await seat.peer.expect("place frame")
        await seat.peer.ack(frame, 1, (1, 1, 3))
        await soon(placing)


async def test_a_server_without_watch_games_breaks_the_protocol():
    async with table(watch=False, track_board=False) as seat:
        command = await seat.peer.expect("watchGames")
        await seat.peer.refuse(command, "unknown-command")
        await seat.server.line()
        assert any("watchGames" in event.reason for event in seat.heard if isinstance(event, Lost))


async def test_settings_and_watchers_keep_the_state_up_to_date():
    async with table() as seat:
        seat.game.history.append((0, 0, 0))
        seat.game.seq = 1
        cooldown = {"rule": "each", "ms": 9000, "maxStack": 1}
        await seat.peer.send("settings", game="place#main", seq=1, locked=True, cooldown=cooldown)
        await seat.peer.send("watchers", game="place#main", watchers=12)
        assert await seat.in_step(seat.peer)
        state = seat.client.game_state
        assert state is not None
        assert (state.locked, state.cooldown.ms, state.watchers) == (True, 9000, 12)
        assert state.colors == [0]


async def test_presence_is_kept_and_mended_when_a_delta_is_missing():
    async with table() as seat:
        await seat.peer.send(
            "presence", type="snapshot", seq=4, total=1, spectators=0, visible=[], more=0
        )
        join = {"type": "delta", "leaves": [], "total": 2, "spectators": 1}
        await seat.peer.send("presence", seq=5, joins=[{"id": "u", "name": "Uma"}], **join)
        await seat.peer.send("presence", seq=7, joins=[], **join)
        asked = await seat.peer.expect("syncPresence")
        presence = seat.client.presence
        assert (presence.seq, presence.visible, presence.spectators) == (5, {"u": "Uma"}, 1)
        visible = [{"id": "v", "name": "Val"}]
        fresh = {"type": "snapshot", "seq": 7, "total": 1, "spectators": 0, "more": 3}
        await seat.peer.reply(asked, presence={**fresh, "visible": visible})
        assert await seat.in_step(seat.peer)
        assert (presence.visible, presence.more) == ({"v": "Val"}, 3)


async def test_a_listener_that_raises_stops_the_client():
    def listener(_event):
        raise ZeroDivisionError

    async def play():
        async with table(on_event=listener, joined=False) as seat:
            await (await seat.server.line()).join()
            await soon(seat.client.ready())

    with pytest.raises(ZeroDivisionError):
        await play()


async def test_after_close_everything_says_so():
    async with table() as seat:
        placing = asyncio.create_task(seat.client.place(0, 0, 1))
        await seat.peer.receive()
        await seat.client.close()
        assert type(await soon(placing)).__name__ == "Unknown"
        with pytest.raises(Stopped, match="closed"):
            await seat.client.place(0, 0, 1)


NEW_NAME = {
    "id": "g_1",
    "name": "Ann",
    "roles": ["player"],
    "anonymous": False,
    "expiresAt": 1_702_592_000_000,
    "token": "renamed",
}


async def test_a_rename_changes_who_we_are_and_our_token():
    async with table() as seat:
        renaming = asyncio.create_task(seat.client.rename("Ann"))
        command = await seat.peer.expect("rename")
        assert command["name"] == "Ann"
        await seat.peer.reply(command, **NEW_NAME)
        you = await soon(renaming)
        assert seat.client.you == you
        assert (you.name, you.expires_at, seat.client.token) == (
            "Ann",
            1_702_592_000_000,
            "renamed",
        )


async def test_a_refused_rename_changes_nothing():
    async with table() as seat:
        before = seat.client.you, seat.client.token
        renaming = asyncio.create_task(seat.client.rename("Admin"))
        await seat.peer.refuse(await seat.peer.expect("rename"), "bad-request", field="name")
        with pytest.raises(CommandFailed):
            await soon(renaming)
        assert (seat.client.you, seat.client.token) == before


async def test_a_rename_on_another_line_is_taken_over_and_comes_back_with_the_new_token():
    async with table() as seat:
        await seat.peer.send("you", **NEW_NAME)
        seat.peer.cut()
        peer = await seat.server.line()
        await peer.hello()
        assert (await peer.expect("subscribe"))["token"] == "renamed"
        assert seat.client.you is not None
        assert seat.client.you.name == "Ann"
        assert any(isinstance(event, Told) and event.event == "you" for event in seat.heard)


async def test_a_join_of_one_who_is_here_is_another_name():
    async with table() as seat:
        ann, crowd = {"id": "g_1", "name": "Ann"}, {"total": 1, "spectators": 0}
        await seat.peer.send("presence", type="snapshot", seq=4, visible=[ann], more=0, **crowd)
        joins = [{**ann, "name": "Anna"}]
        await seat.peer.send("presence", type="delta", seq=5, joins=joins, leaves=[], **crowd)
        assert await seat.in_step(seat.peer)
        assert seat.client.presence.visible == {"g_1": "Anna"}
