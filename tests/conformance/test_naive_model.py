"""100,000 random placements over several sockets, against a list of lists.

What the server shows in every form (frames, bands, canvas.bin, checksum, history) is compared with
a model that only knows the acks.
"""

import asyncio
import random
from collections.abc import Iterable
from pathlib import Path

from persistence.embedded.store import open_embedded
from server.clock import SystemClock
from server.game.history import at_ms_of_key
from tests.support.foreign import BINARY, GAME, JSON, Cell, Foreign, place_frame
from tests.support.naive import NaiveBoard
from tests.support.serving import Serving, serving

WIDTH, HEIGHT = 960, 540
PLACEMENTS = 100_000
FRAME = 64
WINDOW = 8
"""Frames that a player leaves unanswered."""
BY_COMMAND = 1000


async def test_the_board_equals_a_naive_model(tmp_path: Path) -> None:
    clock = SystemClock()
    async with (
        open_embedded(tmp_path, wall_ms=clock.wall_ms) as store,
        serving(store=store, size=(WIDTH, HEIGHT), clock=clock) as room,
        room.dial() as one,
        room.dial() as two,
        room.dial() as three,
        room.dial(JSON) as four,
        room.dial(JSON) as watcher,
    ):
        for client in (one, two, three, four, watcher):
            await client.play(wantsPresence=False)
        by_frames = (PLACEMENTS - BY_COMMAND) // 3
        outcomes = await asyncio.gather(
            *[place_by_frames(client, by_frames) for client in (one, two, three)],
            place_by_commands(four, BY_COMMAND),
        )
        placed = {seq: cell for outcome in outcomes for seq, cell in outcome}
        assert sorted(placed) == list(range(1, PLACEMENTS + 1)), "numbers without a hole"
        naive = NaiveBoard(WIDTH, HEIGHT)
        for seq in range(1, PLACEMENTS + 1):
            naive.place(*placed[seq])
        await compare(room, naive, [one, two, three, four, watcher])
        await compare_history(room, placed)


async def place_by_frames(client: Foreign, count: int) -> list[tuple[int, Cell]]:
    """Place so many at random, several frames ahead of the answers; (seq, cell) of each."""
    chance = random.Random(client.socket.id.int)
    sent = [random_cell(chance) for _ in range(count)]
    frames = [sent[start : start + FRAME] for start in range(0, count, FRAME)]
    outcome: list[tuple[int, Cell]] = []
    for number, cells in enumerate(frames):
        await client.socket.send(place_frame(*cells, request=number))
        if number >= WINDOW:
            outcome += await answers(client, frames, number - WINDOW)
    for number in range(max(0, len(frames) - WINDOW), len(frames)):
        outcome += await answers(client, frames, number)
    return outcome


async def answers(
    client: Foreign, frames: list[list[Cell]], number: int
) -> Iterable[tuple[int, Cell]]:
    cells = frames[number]
    acks = await client.acks(len(cells))
    for ack, cell in zip(acks, cells, strict=True):
        x, y, color = cell
        assert (ack.status, ack.request) == (0, number)
        assert ack.record == x | y << 13 | color << 26
    client.heard.clear()
    return [(ack.seq, cell) for ack, cell in zip(acks, cells, strict=True)]


async def place_by_commands(client: Foreign, count: int) -> list[tuple[int, Cell]]:
    """The same by commands, so many of them at once; they are answered in their order."""
    chance = random.Random(client.socket.id.int)
    outcome: list[tuple[int, Cell]] = []
    for _ in range(count // FRAME + 1):
        cells = [random_cell(chance) for _ in range(min(FRAME, count - len(outcome)))]
        ids = [await client.say("place", game=GAME, x=x, y=y, color=color) for x, y, color in cells]
        for command_id, cell in zip(ids, cells, strict=True):
            outcome.append(((await client.reply(command_id))["seq"], cell))
        client.heard.clear()
    return outcome


def random_cell(chance: random.Random) -> Cell:
    return chance.randrange(WIDTH), chance.randrange(HEIGHT), chance.randrange(16)


async def compare(room: Serving, naive: NaiveBoard, clients: list[Foreign]) -> None:
    packed = naive.packed()
    assert await room.canvas() == packed
    for client in clients:
        reply = await client.ask("checksum", game=GAME)
        assert (reply["seq"], reply["crc32"]) == (PLACEMENTS, naive.crc32())
        assert client.follower.seq == PLACEMENTS
        assert client.follower.board is not None
        assert client.follower.board.to_bytes() == packed
    for codec in (BINARY, JSON):
        async with room.dial(codec) as joiner:
            await joiner.play()
            assert joiner.follower.board is not None
            assert joiner.follower.board.to_bytes() == packed


async def compare_history(room: Serving, placed: dict[int, Cell]) -> None:
    """Every row is the placement of its number, in the order of time."""
    rows = [item async for page in room.history() for item in page]
    found = {row["seq"]: (row["x_original"], row["y_original"], row["colorIndex"]) for row in rows}
    assert len(rows) == PLACEMENTS
    assert found == placed
    times = [at_ms_of_key(row["SK"]) for row in rows]
    assert times == sorted(times)
