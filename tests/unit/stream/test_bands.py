"""Bands: those that nobody has drawn upon since are not deflated again."""

import asyncio
import random
import threading
import zlib
from collections.abc import Callable

import numpy as np
import pytest

from canvas.events import PixelPlaced, Resized, SettingsChanged
from server.replica import bands, snapshots
from server.replica.replica import Replica
from server.replica.snapshots import Snapshot, Snapshots
from server.telemetry.traffic import Traffic
from tests.support.games import make_replica

ROWS = 8


@pytest.fixture(autouse=True)
def deflated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """First rows of the bands that were deflated; eight rows of 64 cells make a band."""
    rows: list[int] = []

    def noting(band: bands.RawBand, board_bytes: int) -> bands.Band:
        rows.append(band.first_row)
        return bands.deflate(band, board_bytes)

    monkeypatch.setattr(bands, "BAND_BYTES", ROWS * 32)
    monkeypatch.setattr(snapshots, "deflate", noting)
    monkeypatch.setattr(snapshots, "REUSE_EVENTS", 0)
    return rows


def pixel(replica: Replica, x: int, y: int, color: int = 3) -> None:
    where = (x, y, color, replica.generation, 0, 0, 15)
    replica.apply([PixelPlaced(replica.seq + 1, 0, *where, "u1", "", None, 0, 0)])


def board_of(snapshot: Snapshot) -> bytes:
    return b"".join(
        zlib.decompress(band.payload, -15) if band.deflated else band.payload
        for band in snapshot.bands
    )


async def test_only_what_was_drawn_upon_is_deflated_again(deflated: list[int]) -> None:
    replica = make_replica(64, 64)
    made = Snapshots(replica, Traffic())
    first = await made.current()
    assert deflated == list(range(0, 64, ROWS))
    deflated.clear()
    pixel(replica, 5, 17)
    pixel(replica, 5, 63)
    second = await made.current()
    assert deflated == [16, 56]
    assert second.bands[0] is first.bands[0]
    assert board_of(second) == replica.board.to_bytes()


async def test_any_placements_lead_to_the_true_board() -> None:
    chance = random.Random(3)
    replica = make_replica(63, 61)
    made = Snapshots(replica, Traffic())
    for _ in range(40):
        for _ in range(chance.randrange(4)):
            pixel(replica, chance.randrange(63), chance.randrange(61), chance.randrange(16))
        snapshot = await made.current()
        assert (snapshot.seq, board_of(snapshot)) == (replica.seq, replica.board.to_bytes())


async def test_a_change_of_settings_leaves_all_bands(deflated: list[int]) -> None:
    replica = make_replica(64, 64)
    made = Snapshots(replica, Traffic())
    await made.current()
    deflated.clear()
    replica.apply([SettingsChanged(1, 0, {"locked": True})])
    assert (await made.current()).seq == 1
    assert deflated == []


def grow(replica: Replica) -> None:
    replica.apply([Resized(1, 0, 1, 80, 64, 8, 0, 8, 0)])


def move_the_ring_on(replica: Replica) -> None:
    for _ in range(3 * 4096):
        pixel(replica, 0, 0)


def begin_an_epoch(replica: Replica) -> None:
    replica.epoch = "another"


@pytest.mark.parametrize("change", [grow, move_the_ring_on, begin_an_epoch])
async def test_what_cannot_be_followed_is_deflated_as_a_whole(
    deflated: list[int], change: Callable[[Replica], None]
) -> None:
    replica = make_replica(64, 64, ring_events=100)
    made = Snapshots(replica, Traffic())
    await made.current()
    deflated.clear()
    change(replica)
    snapshot = await made.current()
    assert len(deflated) == len(snapshot.bands)
    assert board_of(snapshot) == replica.board.to_bytes()


async def test_what_is_drawn_while_bands_are_deflated_is_of_the_next_snapshot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """C10: the loop goes on meanwhile, or it would wait for ever here."""
    replica = make_replica(64, 64)
    drawn = threading.Event()

    def late(band: bands.RawBand, board_bytes: int) -> bands.Band:
        assert drawn.wait(30), "the loop stood still while a band was deflated"
        return bands.deflate(band, board_bytes)

    monkeypatch.setattr(snapshots, "deflate", late)
    made = Snapshots(replica, Traffic())
    before = replica.board.to_bytes()
    joining = asyncio.create_task(made.current())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    pixel(replica, 9, 9)
    drawn.set()
    monkeypatch.setattr(snapshots, "REUSE_EVENTS", 1)
    snapshot = await joining
    assert (snapshot.seq, board_of(snapshot)) == (0, before)


def test_rows_of_a_band_start_on_whole_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bands, "BAND_BYTES", 100)
    for width in (1, 2, 63, 64, 8000):
        for height in (1, 2, 7, 8000):
            rows = bands.rows_per_band(width, height)
            assert rows >= 1
            assert rows >= height or rows * width % 2 == 0


def test_noise_is_told_raw() -> None:
    packed = np.random.default_rng(1).integers(0, 256, 4096, dtype=np.uint8).tobytes()
    band = bands.deflate(bands.RawBand(0, 2, packed), 6)
    assert (band.deflated, band.payload) == (False, packed)
