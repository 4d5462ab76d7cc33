"""The committer keeps the order, groups what waits, and never drops what is pending."""

import asyncio
from collections.abc import Sequence

import pytest

from canvas.events import Event, PixelPlaced, SettingsChanged
from persistence.errors import ConditionFailed, PermanentFault, StoreError, TransientFault
from server.game.committer import Committer, CommitterEvents, Decided
from server.game.partitions import Partitions
from tests.support.games import GatedJournal


class Told:
    """Writes down what a committer tells."""

    def __init__(self) -> None:
        self.spares: list[float] = []
        self.took: list[float] = []
        self.committed: list[int] = []
        self.delays: list[TransientFault] = []
        self.recoveries = 0
        self.failures: list[StoreError] = []

    def events(self) -> CommitterEvents:
        return CommitterEvents(
            self._on_committed,
            self._spare,
            self.delays.append,
            self._on_recovered,
            self.failures.append,
        )

    def _spare(self, took: float) -> float:
        self.took.append(took)
        return self.spares.pop(0) if self.spares else 0.0

    def _on_committed(self, batch: Sequence[Decided]) -> None:
        self.committed += [decided.event.seq for decided in batch]

    def _on_recovered(self) -> None:
        self.recoveries += 1


def pixel(seq: int) -> PixelPlaced:
    return PixelPlaced(seq, 1_700_000_000_000, 0, 0, 1, 0, 0, 0, 15, "u", "", None, 0, 0)


def control(seq: int) -> SettingsChanged:
    return SettingsChanged(seq, 1_700_000_000_000, {"locked": True})


@pytest.fixture
def journal() -> GatedJournal:
    return GatedJournal()


@pytest.fixture
def told() -> Told:
    return Told()


async def commit_all(journal: GatedJournal, told: Told, events: Sequence[Event]) -> None:
    committer = Committer(journal, Partitions.of("place#main", 1), 1, told.events())  # type: ignore[arg-type]  # commit alone is used
    for event in events:
        committer.add(Decided(event))
    committer.stop()
    await committer.run()


async def test_everything_is_committed_once_in_order(journal: GatedJournal, told: Told) -> None:
    await commit_all(journal, told, [pixel(seq) for seq in range(1, 5001)])
    assert told.committed == list(range(1, 5001))
    assert [item["seq"] for item in journal.items] == told.committed


async def test_control_events_are_committed_alone(journal: GatedJournal, told: Told) -> None:
    groups: list[list[int]] = []
    told._on_committed = lambda batch: groups.append([d.event.seq for d in batch])  # type: ignore[method-assign]
    await commit_all(journal, told, [pixel(1), pixel(2), control(3), control(4), pixel(5)])
    assert groups == [[1, 2], [3], [4], [5]]


async def test_a_transient_fault_is_retried_and_told_once(
    journal: GatedJournal, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.game.committer.FIRST_RETRY", 0.0)
    journal.faults = [TransientFault("full"), TransientFault("full")]
    await commit_all(journal, told, [pixel(1)])
    assert told.committed == [1]
    assert len(told.delays) == 1
    assert told.recoveries == 1


@pytest.mark.parametrize("fault", [PermanentFault("gone"), ConditionFailed("not ours")])
async def test_nothing_is_committed_after_a_fault_for_good(
    journal: GatedJournal, told: Told, fault: StoreError
) -> None:
    journal.faults = [fault]
    await commit_all(journal, told, [pixel(1), control(2)])
    assert told.committed == []
    assert told.failures == [fault]
    assert journal.items == []


@pytest.mark.parametrize("where", ["asked how long it can wait", "told what is committed"])
async def test_what_nobody_foresaw_ends_the_game_and_not_only_the_task(
    journal: GatedJournal, told: Told, where: str
) -> None:
    def broken(_: object) -> float:
        raise ZeroDivisionError

    if where == "asked how long it can wait":
        told._spare = broken  # type: ignore[assignment,method-assign]
    else:
        told._on_committed = broken  # type: ignore[assignment,method-assign]
    committer = Committer(journal, Partitions.of("place#main", 1), 1, told.events())  # type: ignore[arg-type]  # commit alone is used
    committer.add(Decided(pixel(1)))
    with pytest.raises(ZeroDivisionError):
        await committer.run()
    (fault,) = told.failures
    assert isinstance(fault, PermanentFault)
    assert "ZeroDivisionError" in str(fault)
    assert "restart the server" in fault.hint


async def test_what_waits_behind_a_slow_commit_goes_in_one_group(
    journal: GatedJournal, told: Told
) -> None:
    groups: list[int] = []
    told._on_committed = lambda batch: groups.append(len(batch))  # type: ignore[method-assign]
    committer = Committer(journal, Partitions.of("place#main", 1), 1, told.events())  # type: ignore[arg-type]  # commit alone is used
    journal.gate.clear()
    running = asyncio.create_task(committer.run())
    committer.add(Decided(pixel(1)))
    await asyncio.sleep(0)
    for seq in range(2, 50):
        committer.add(Decided(pixel(seq)))
    journal.gate.set()
    await committer.drained()
    committer.stop()
    await running
    assert groups == [1, 48]


async def test_a_dear_store_is_given_more_at_once_and_a_lone_placement_never_waits(
    journal: GatedJournal, told: Told
) -> None:
    partitions = Partitions.of("place#main", 1)
    committer = Committer(journal, partitions, 1, told.events(), interval=3600)  # type: ignore[arg-type]  # commit alone is used
    running = asyncio.create_task(committer.run())
    committer.add(Decided(pixel(1)))
    await committer.drained()
    assert told.committed == [1]
    committer.add(Decided(pixel(2)))
    for _ in range(10):
        await asyncio.sleep(0)
    assert told.committed == [1]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_batch_grows_while_nobody_could_see_it(journal: GatedJournal, told: Told) -> None:
    told.spares = [0.001, 0.001]
    committer = Committer(journal, Partitions.of("place#main", 1), 1, told.events())  # type: ignore[arg-type]  # commit alone is used
    running = asyncio.create_task(committer.run())
    committer.add(Decided(pixel(1)))
    await asyncio.sleep(0)
    committer.add(Decided(pixel(2)))
    await committer.drained()
    committer.stop()
    await running
    assert journal.commits == [2]
    assert told.committed == [1, 2]
    assert (told.spares, told.took) == ([], [0.0, 0.0, 0.0])


async def test_a_batch_does_not_grow_for_ever(
    journal: GatedJournal, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.game.committer.MAX_GATHERING", 0.001)
    told.spares = [3600.0] * 9
    committer = Committer(journal, Partitions.of("place#main", 1), 1, told.events())  # type: ignore[arg-type]  # commit alone is used
    running = asyncio.create_task(committer.run())
    committer.add(Decided(pixel(1)))
    await committer.drained()
    committer.stop()
    await running
    assert told.committed == [1]
