"""What a server may say that no server should: the client drops the line and comes back."""

import asyncio
from typing import Any

import numpy as np
import pytest
from tesserae_client import BoardReplaced, Connected, Lost, Told
from tesserae_client.backoff import LONGEST_S, asked_s
from tesserae_client.board import Board
from tesserae_client.errors import BadFrame
from tesserae_client.snapshot import SnapshotHead

from tests.support.fake_server import Peer, soon
from tests.support.playing import Table, table


async def comes_back(seat: Table) -> Peer:
    """The line was dropped, and a new one is good."""
    peer = await seat.server.line()
    await peer.join()
    await soon(seat.client.ready())
    return peer


@pytest.mark.parametrize(
    "event",
    [
        {"event": "closing", "code": "soon", "reason": "x"},
        {"event": "closing", "code": 4101, "reason": "x", "retryAfterMs": "later"},
        {"event": "resize", "seq": 1, "generation": 1, "width": 2**40, "height": 3},
        {"event": "fill", "seq": 1, "x1": 0, "y1": 0, "x2": 1, "y2": 1, "color": 2**63},
        {"event": "fill", "seq": 1, "x1": 0, "y1": 0, "x2": 7, "y2": 1, "color": 1},
        {"event": "hello", "pingMs": 10**400},
    ],
)
async def test_an_event_that_makes_no_sense_costs_the_line(event):
    async with table() as seat:
        await seat.peer.send(**{"game": "place#main", "shiftX": 0, "shiftY": 0, **event})
        assert await seat.in_step(await comes_back(seat))


@pytest.mark.parametrize("reply", [{}, {"ok": False}, {"ok": False, "error": "no"}])
async def test_a_reply_that_makes_no_sense_costs_the_line(reply):
    async with table() as seat:
        await seat.peer.frame(7, 7, [(0, 0, 1)])
        resync = await seat.peer.expect("resync")
        await seat.peer.send("watchers", re=resync["id"], **reply)
        assert await seat.in_step(await comes_back(seat))


@pytest.mark.parametrize("size", [(0, 3), (-1, 3), (2**40, 3), (8193, 1)])
def test_a_board_of_no_possible_size_takes_no_memory(size):
    fields = {"epoch": "e", "seq": 1, "generation": 0, "width": size[0], "height": size[1]}
    with pytest.raises(BadFrame, match="1 to 8192"):
        SnapshotHead.from_json(fields)


@pytest.mark.parametrize("corners", [(0, 0, 3, 0), (-1, 0, 1, 0), (1, 0, 0, 0), (0, 0, 0, 2)])
def test_a_fill_outside_the_board_is_refused(corners: tuple[int, int, int, int]):
    board = Board(3, 2)
    with pytest.raises(ValueError, match="outside 3 x 2"):
        board.fill(*corners, 1)


@pytest.mark.parametrize(
    ("asked_ms", "waited_s"), [(-5, 0), (250, 0.25), (10**400, LONGEST_S), (2**63, LONGEST_S)]
)
def test_a_delay_is_kept_within_reason(asked_ms, waited_s):
    assert asked_s(asked_ms) == waited_s


@pytest.mark.parametrize("retry_after", ["²", "9" * 5000, "-1", "tomorrow"])
async def test_a_retry_after_that_is_no_number_is_left_alone(retry_after):
    async with table(joined=False) as seat:
        seat.server.refusals.append((503, {"Retry-After": retry_after}))
        await comes_back(seat)


def raising(kind):
    def listen(event):
        if isinstance(event, kind):
            raise KeyError("a mistake of the listener's")

    return listen


async def ended(client):
    """Listen to the end."""
    async for _ in client.events():
        pass


async def expect_stop(seat):
    """Whoever waits hears of the mistake; the end of the table raises it once more."""
    with pytest.raises(KeyError, match="a mistake"):
        await soon(ended(seat.client))
    with pytest.raises(KeyError, match="a mistake"):
        await soon(seat.client.ready())


async def joining(kind):
    async with table(joined=False, on_event=raising(kind)) as seat:
        peer = await seat.server.line()
        await peer.join()
        await peer.send("notice", text="hello", level="info")
        await expect_stop(seat)


async def cutting(kind):
    async with table(on_event=raising(kind)) as seat:
        seat.peer.cut()
        await expect_stop(seat)


async def fetching(kind):
    async def fetch(_url):
        return SnapshotHead("e1", 0, 0, 7, 3, 0, None), Board(7, 3).packed()

    async with table(joined=False, snapshot="http", fetch=fetch, on_event=raising(kind)) as seat:
        peer = await seat.server.line()
        await peer.hello()
        subscribe = await peer.expect("subscribe")
        you = {"id": "g_1", "name": "Guest", "roles": [], "anonymous": False}
        await peer.reply(subscribe, you=you, games=[seat.game.state("snapshot")])
        await peer.snapshot_head(url="/canvas.bin")
        await expect_stop(seat)


@pytest.mark.parametrize(
    ("scene", "kind"),
    [(joining, Connected), (joining, Told), (cutting, Lost), (fetching, BoardReplaced)],
)
async def test_what_a_listener_raises_stops_the_client(scene, kind):
    with pytest.raises(KeyError, match="a mistake"):
        await scene(kind)


@pytest.mark.parametrize("codec", ["binary", "json"])
async def test_a_colour_read_off_a_board_can_be_placed(codec):
    async with table(codec=codec) as seat:
        cell: Any = (np.int64(2), np.uint8(1), np.uint8(3))  # to a type checker they are no ints
        placing = asyncio.create_task(seat.client.place(*cell))
        asked = await seat.peer.receive()
        where = asked["cells"][0] if codec == "binary" else (asked["x"], asked["y"], asked["color"])
        assert tuple(where) == (2, 1, 3)
        await seat.peer.ack(asked, 1, (2, 1, 3))
        await soon(placing)


@pytest.mark.parametrize("generation", [-1, 2**32])
async def test_a_generation_that_fits_no_frame_is_refused_before_anything_is_kept(generation):
    async with table() as seat:
        with pytest.raises(ValueError, match="generation"):
            await seat.client.place_many([(0, 0, 1)], generation=generation)
        with pytest.raises(TypeError):
            await seat.client.place(0.5, 0, 1)  # type: ignore[arg-type]  # which is the test
        assert await seat.in_step(seat.peer)
