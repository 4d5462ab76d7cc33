"""A store that is away is waited for, and told of; not for ever, nor where it may do harm."""

import pytest

from persistence.errors import PermanentFault, TransientFault
from persistence.faulty import Faults, faulty
from persistence.patient import PAUSES, patient
from persistence.ports import Put, Store
from persistence.tables import BANS
from tests.support.memory_store import open_memory
from tests.support.stores import history_item

BAN = {"PK": "BAN#user#a", "SK": "BAN"}


class Waiting:
    """A patient store over a script of faults; what it told and how long it slept."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.told: list[str] = []
        self.slept: list[float] = []
        self.store: Store = patient(
            faulty(open_memory(), self.faults),
            lambda fault: self.told.append(str(fault)),
            self._sleep,
        )

    async def _sleep(self, pause: float) -> None:
        self.slept.append(pause)


async def test_calls_are_repeated_until_the_store_is_back() -> None:
    waiting = Waiting()
    waiting.faults.fail("tables.write", TransientFault("throttled"), times=3)
    await waiting.store.tables.write(Put(BANS, BAN))
    assert waiting.told == ["throttled"] * 3
    assert waiting.slept == list(PAUSES[:3])
    assert (await waiting.store.tables.scan(BANS)).items == [BAN]


async def test_a_store_that_stays_away_is_told_in_the_end() -> None:
    waiting = Waiting()
    waiting.faults.fail("blobs.list", TransientFault("away"))
    with pytest.raises(TransientFault):
        await waiting.store.blobs.list("")
    assert waiting.slept == list(PAUSES)


async def test_what_repeating_does_not_mend_is_raised_at_once() -> None:
    waiting = Waiting()
    waiting.faults.fail("tables.scan", PermanentFault("no access"))
    with pytest.raises(PermanentFault):
        await waiting.store.tables.scan(BANS)
    assert (waiting.told, waiting.slept) == ([], [])


async def test_a_broken_reading_is_not_taken_for_one_that_ended() -> None:
    waiting = Waiting()
    await waiting.store.journal.commit([history_item(seq) for seq in range(1, 9)])
    pages = aiter(waiting.store.journal.read(["HISTORY"], page=3))
    assert len(await anext(pages)) == 3
    waiting.faults.fail("journal.read", TransientFault("away"), times=1)
    with pytest.raises(TransientFault):
        await anext(pages)
    assert waiting.slept == []
