"""An import without a server: given up when broken off, and of the board that was looked at."""

import asyncio

import numpy as np
import pytest

from canvas.address import AddressPolicy
from canvas.cooldown import CooldownRule
from canvas.events import BaseImported
from canvas.palette import DEFAULT
from canvas.settings import Settings
from persistence.errors import TransientFault
from persistence.faulty import Faults, faulty
from persistence.ports import Store
from server.care.solitary import Surroundings
from server.cli.importing.offline import import_offline
from server.game.base_blob import BasePicture
from server.game.base_import import Import, ImportRefused, Place
from server.game.config import found
from server.recovery.present import read_present
from server.recovery.reader import RecoveryEvents
from tests.support.clock import FakeClock
from tests.support.memory_store import open_memory
from tests.support.unexpected import unexpected

NOTHING_DAMAGED = RecoveryEvents(lambda *_: None, unexpected)


@pytest.fixture
def store() -> Store:
    return open_memory()


async def laid(
    store: Store, color: int = 3, epoch: str = "e1", *, away: asyncio.Event | None = None
) -> BaseImported:
    """Lay a picture of one colour over all of a board of 4 x 2."""
    settings = Settings(DEFAULT, CooldownRule(1000, 1))
    founding = found("place#main", width=4, height=2, settings=settings, epoch=epoch, channel=1)
    picture = BasePicture.of(np.full((2, 4), color, np.uint8))
    wanted = Import(picture, Place(0, 0, founding.lineage.geometry.generation), "operator")
    clock, told = FakeClock(), away or asyncio.Event()
    around = Surroundings(store, clock, AddressPolicy(), NOTHING_DAMAGED, lambda _: told.set())
    return await import_offline(around, founding, wanted)


async def colors(store: Store) -> set[int]:
    present = await read_present(store, "place#main", NOTHING_DAMAGED)
    assert present is not None
    return set(present.outcome.replica.board.colors().ravel().tolist())


async def test_what_waits_for_the_store_is_given_up_when_it_is_broken_off(store: Store) -> None:
    assert (await laid(store)).seq == 1
    faults, away = Faults(), asyncio.Event()
    faults.fail("journal.commit", TransientFault("disk full"))
    importing = asyncio.create_task(laid(faulty(store, faults), 4, away=away))
    await away.wait()
    importing.cancel()
    done, _ = await asyncio.wait([importing], timeout=10)
    assert done, "it waits for the store for ever"
    assert importing.cancelled()
    assert await colors(store) == {3}
    assert (await laid(store, 5)).seq == 2
    assert await colors(store) == {5}


async def test_a_board_that_is_another_one_by_now_is_left_alone(store: Store) -> None:
    await laid(store, epoch="somebody else's")
    with pytest.raises(ImportRefused, match="another board since it was looked at"):
        await laid(store, 4, epoch="e1")
    assert await colors(store) == {3}
