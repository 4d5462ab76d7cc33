"""A start that is throttled in the middle goes on there; it neither fails nor begins anew."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from persistence.errors import TransientFault
from persistence.faulty import Faults, faulty
from persistence.patient import PAUSES, patient
from persistence.ports import Item, Store
from tests.support.runs import Lives, same_board

THROTTLED = TransientFault("the table is throttled", "it is tried again by itself")


async def test_a_throttled_start_comes_to_the_same_board(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    for seq in range(1, 41):
        await run.place(seq % 20, seq % 10, seq % 16)
        lives.clock.advance(10)
        if seq == 10:
            await run.snapshot()
    await run.die()
    faults, told = Faults(), list[str]()

    async def sleep(pause: float) -> None:
        assert pause in PAUSES

    for operation in ("tables.get", "blobs.list", "blobs.get", "journal.count"):
        faults.fail(operation, THROTTLED, times=2)
    throttled = faulty(store, faults)
    calls = 0
    whole_read = store.journal.read

    async def some_read(partitions: Sequence[str], **how: Any) -> AsyncIterator[list[Item]]:
        nonlocal calls
        calls += 1
        async for page in whole_read(partitions, **how):
            yield page
            if calls < 4:
                raise THROTTLED

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.journal, "read", some_read)
        reading = patient(throttled, lambda fault: told.append(str(fault)), sleep)
        again = await lives.start(reading=reading)
    same_board(run, again)
    assert calls == 4
    assert told == [str(THROTTLED)] * (2 * 4 + 3)
    done = [each for each, _ in lives.progress]
    assert done == sorted(done)
    await again.die()
