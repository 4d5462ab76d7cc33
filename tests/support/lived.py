"""A game that has lived: painted, grown, given a picture, changed, killed and started again."""

import asyncio

import numpy as np

from canvas.packing import Cells
from persistence.ports import Store
from server.game.base_blob import BasePicture
from server.game.base_import import Import, Place, import_base
from tests.support.runs import Lives, Run

ROWS = 64
"""Of its history; snapshots are at 20 and 44, the growth is 21, the picture 22."""


async def lived(store: Store) -> Run:
    """Let it live on a store; it runs still."""
    lives = Lives(store)
    run = await lives.start()
    await paint(run, 20)
    await run.snapshot()
    run.game.resize("left", 4)
    await run.publish()
    await lay(run, np.array([[1, 2], [3, 255]], np.uint8))
    await paint(run, 20)
    await run.die()
    run = await lives.start()
    run.game.change({"locked": False, "cooldown": {"ms": 5, "maxStack": 1}})
    run.game.change({"cooldown": {"ms": 0}})
    await run.publish()
    await run.snapshot()
    await paint(run, 20)
    assert run.game.replica.seq == ROWS
    return run


async def paint(run: Run, count: int) -> None:
    for _ in range(count):
        seq = run.game.replica.seq
        placed = await run.place(seq % 20, seq % 10, seq % 15, user=f"u{seq}")
        assert isinstance(placed, tuple), placed
        run.clock.advance(10)


async def lay(run: Run, cells: Cells) -> None:
    place = Place(1, 1, run.game.head.geometry.generation)
    wanted = Import(BasePicture.of(cells), place, "op")
    laying = asyncio.create_task(import_base(run.game, run.store.blobs, wanted))
    while not laying.done():
        await asyncio.wait([laying], timeout=0.001)
        run.game.publish()
    await laying
