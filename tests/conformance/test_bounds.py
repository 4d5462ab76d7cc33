"""C50, C51: every cell there is, and everything that is no cell, in both forms."""

import itertools
import struct

import pytest

from tests.support.foreign import BINARY, GAME, JSON, place_frame
from tests.support.naive import NaiveBoard
from tests.support.serving import serving

WIDTH, HEIGHT = 20, 10


@pytest.mark.parametrize("size", [(7, 3), (3, 7), (1, 1), (1, 9)])
@pytest.mark.parametrize("codec", [BINARY, JSON])
async def test_c50_every_cell_takes_every_colour(size: tuple[int, int], codec: str) -> None:
    width, height = size
    naive = NaiveBoard(width, height)
    async with serving(size=size) as room, room.dial() as player, room.dial(codec) as watcher:
        await player.play()
        await watcher.play()
        for color in range(16):
            cells = [(x, y, color) for y in range(height) for x in range(width)]
            assert all(ack.status == 0 for ack in await player.put(*cells))
            for cell in cells:
                naive.place(*cell)
        await watcher.hear_until(lambda _: watcher.follower.seq == 16 * width * height)
        assert watcher.follower.board is not None
        assert watcher.follower.board.to_bytes() == await room.canvas() == naive.packed()


@pytest.mark.parametrize("size", [(WIDTH, HEIGHT), (8000, 1), (1, 8000), (4095, 3)])
async def test_c50_corners_and_edges(size: tuple[int, int]) -> None:
    width, height = size
    xs, ys = {0, width // 2, width - 1}, {0, height // 2, height - 1}
    async with serving(size=size) as room, room.dial() as player:
        await player.play()
        for color, (x, y) in enumerate(sorted(itertools.product(xs, ys))):
            (ack,) = await player.put((x, y, color))
            assert (ack.status, ack.record) == (0, x | y << 13 | color << 26)
            pixel = await player.ask("pixel", game=GAME, x=x, y=y)
            assert pixel["color"] == color
        assert await player.in_step_by_checksum()


OUTSIDE = [-1, 65_536, 2**31, -(2**31), 2**53]
WRONG_TYPES = ["1.5", "1.0", '"1"', "null", "true", "[1]", "{}", "1e300"]
UNREADABLE = ["NaN", "Infinity", "-", "01", "0x1"]


@pytest.mark.parametrize("codec", [BINARY, JSON])
async def test_c51_whole_numbers_outside_are_refused_and_the_last_cell_is_not(codec: str) -> None:
    async with serving(size=(WIDTH, HEIGHT)) as room, room.dial(codec) as client:
        await client.play()
        for x, y in [
            (WIDTH, 0),
            (0, HEIGHT),
            *[(n, 0) for n in OUTSIDE],
            *[(0, n) for n in OUTSIDE],
        ]:
            reply = await client.place(x, y, 1)
            assert reply["error"]["code"] == "out-of-bounds", (x, y)
            assert reply["error"]["color"] == 1
        for color in [16, *OUTSIDE]:
            assert (await client.place(0, 0, color))["error"]["code"] == "bad-color"
        assert (await client.place(WIDTH - 1, HEIGHT - 1, 1))["seq"] == 1


@pytest.mark.parametrize("field", ["x", "y", "color"])
async def test_c51_wrong_types_are_bad_requests_that_name_the_field(field: str) -> None:
    async with serving() as room, room.dial() as client:
        await client.play()
        for command_id, text in enumerate(WRONG_TYPES, start=100):
            cell = {"x": "1", "y": "1", "color": "1", field: text}
            fields = ",".join(f'"{name}":{value}' for name, value in cell.items())
            await client.socket.send(f'{{"do":"place","id":{command_id},"game":"{GAME}",{fields}}}')
            error = (await client.reply(command_id))["error"]
            assert (error["code"], error["field"]) == ("bad-request", field), text
        assert (await client.ask("place", game=GAME, x=1, y=1))["error"]["field"] == "color"
        assert room.game.replica.seq == 0


@pytest.mark.parametrize("text", UNREADABLE)
async def test_c51_what_is_no_json_ends_the_connection(text: str) -> None:
    async with serving() as room, room.dial() as client:
        await client.play()
        await client.socket.send(f'{{"do":"place","id":1,"game":"{GAME}","x":{text}}}')
        assert (await client.event("error"))["code"] == "bad-frame"
        assert (await client.end())[1] == 4404
        assert room.game.replica.seq == 0


async def test_c51_binary_coordinates_outside_are_refused() -> None:
    """All that 13 bits can say, and the colours that 6 bits can."""
    async with serving(size=(WIDTH, HEIGHT)) as room, room.dial() as client:
        await client.play()
        cells = [(WIDTH, 0, 1), (0, HEIGHT, 1), (8191, 0, 1), (0, 8191, 1), (8191, 8191, 63)]
        assert [ack.status for ack in await client.put(*cells)] == [2] * 5
        assert [ack.status for ack in await client.put((0, 0, 16), (0, 0, 63))] == [3, 3]
        assert [ack.status for ack in await client.put((WIDTH - 1, HEIGHT - 1, 15))] == [0]


@pytest.mark.parametrize(
    "frame",
    [
        place_frame(),
        place_frame(*[(0, 0, 1)] * 65),
        place_frame((0, 0, 1))[:-1],
        place_frame((0, 0, 1)) + b"\0",
        place_frame((0, 0, 1), op=0x11),
        struct.pack("<BBHIII", 0x10, 1, 1, 7, 0, 0),
        b"\x10",
    ],
)
async def test_c51_a_malformed_frame_ends_the_connection(frame: bytes) -> None:
    async with serving() as room, room.dial() as client:
        await client.play()
        await client.socket.send(frame)
        assert (await client.event("error"))["code"] == "bad-frame"
        assert (await client.end())[1] == 4404
        assert room.game.replica.seq == 0
