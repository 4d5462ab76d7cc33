"""What a lease by time must keep: holders that die, freeze or are cut off, and those who wait.

An adapter's test subclasses this and gives a fixture `race`, a `Race` over its tables.
"""

import asyncio
from dataclasses import dataclass, field

import pytest

from persistence.dynamodb.lease import DynamoLease
from persistence.dynamodb.lease_record import (
    PARTITION,
    LeaseEvents,
    LeaseSettings,
    LeaseTime,
)
from persistence.errors import LeaseLost, StoreDamaged, StoreError, StoreInUse, TransientFault
from persistence.faulty import Faults
from persistence.ports import Delete, Item, Key, Put, Tables
from persistence.tables import MAIN
from persistence.wrapped import WrappedTables
from tests.support.virtual_time import WALL_MS, Machine, VirtualTime

GAME = "place#main"
DURATION = 15.0
KEY = Key(PARTITION, GAME)
AWAY = TransientFault("away", "wait")
HOUR_MS = 3_600_000


@dataclass
class Runner:
    """A process that wants the lease, and its machine."""

    lease: DynamoLease
    machine: Machine
    faults: Faults
    waited_for: list[str] = field(default_factory=list)
    troubles: list[StoreError] = field(default_factory=list)

    async def release(self) -> None:
        self.faults.mend()
        self.machine.thaw()
        await self.lease.release()


class Race:
    """Processes over the same tables, each on a machine of its own."""

    def __init__(self, tables: Tables) -> None:
        self.time = VirtualTime()
        self.tables = tables
        self.runners: list[Runner] = []

    def runner(
        self,
        name: str,
        *,
        waits: bool = False,
        game: str = GAME,
        skew_ms: int = 0,
        stopped_wall: bool = False,
        duration: float = DURATION,
    ) -> Runner:
        machine, faults = Machine(self.time, skew_ms), Faults()
        waited_for: list[str] = []
        troubles: list[StoreError] = []
        wall_ms = (lambda: WALL_MS) if stopped_wall else machine.wall_ms
        lease = DynamoLease(
            WrappedTables(WrappedTables(self.tables, faults.around), machine.around),
            LeaseSettings(game, name, duration, waits=waits),
            LeaseTime(machine.monotonic, wall_ms, machine.sleep),
            LeaseEvents(lambda holder, _: waited_for.append(holder), troubles.append),
        )
        runner = Runner(lease, machine, faults, waited_for, troubles)
        self.runners.append(runner)
        return runner

    async def acquire(self, runner: Runner, above: int = 0) -> int:
        """Let time pass until it has it, or is refused."""
        return await self.time.during(runner.lease.acquire(above=above))

    async def at_once(self, *runners: Runner) -> list[int | BaseException]:
        """Let all want it in one moment."""
        together = asyncio.gather(
            *(runner.lease.acquire() for runner in runners), return_exceptions=True
        )

        async def all_of_them() -> list[int | BaseException]:
            return await together

        return await self.time.during(all_of_them())

    async def item(self) -> Item | None:
        return await self.tables.get(MAIN, KEY)

    async def end(self) -> None:
        for runner in self.runners:
            await runner.release()


class LeaseRaces:
    async def test_the_item_is_to_the_letter_and_stays(self, race: Race) -> None:
        holder = race.runner("a")
        assert await race.acquire(holder) == 1
        until_ms = WALL_MS + round(DURATION * 1000)
        item = {"pk": "LEASE", "sk": GAME, "owner": "a", "fence": 1, "leaseUntil": until_ms}
        item |= {"leaseMs": round(DURATION * 1000), "sinceMs": WALL_MS}
        assert await race.item() == item
        await race.time.advance(DURATION)
        assert await race.item() == item | {"leaseUntil": until_ms + round(DURATION * 1000)}
        await holder.lease.tell("http://10.0.0.1:8080")
        await race.time.advance(DURATION)
        renewed = await race.item()
        assert renewed is not None
        assert renewed["url"] == "http://10.0.0.1:8080"
        await holder.lease.release()
        assert await race.item() == {"pk": "LEASE", "sk": GAME, "fence": 1, "leaseUntil": 0}

    async def test_it_is_valid_for_as_long_as_it_is_renewed(self, race: Race) -> None:
        holder = race.runner("a")
        await race.acquire(holder)
        for _ in range(30):
            await race.time.advance(1)
            assert holder.lease.valid()

    async def test_games_have_leases_of_their_own(self, race: Race) -> None:
        assert await race.acquire(race.runner("a")) == 1
        assert await race.acquire(race.runner("b", game="place#other")) == 1

    async def test_of_many_at_once_one_has_it(self, race: Race) -> None:
        runners = [race.runner(name) for name in "abcde"]
        outcomes = await race.at_once(*runners)
        assert [outcome for outcome in outcomes if isinstance(outcome, int)] == [1]
        refused = [outcome for outcome in outcomes if isinstance(outcome, StoreInUse)]
        assert len(refused) == 4
        assert [runner.lease.valid() for runner in runners].count(True) == 1
        holder = runners[outcomes.index(1)]
        assert all(f"held by {'abcde'[runners.index(holder)]}" in str(each) for each in refused)

    async def test_of_two_at_a_dead_holders_one_has_it(self, race: Race) -> None:
        dead = race.runner("dead")
        await race.acquire(dead)
        dead.machine.freeze()
        rivals = [race.runner("b"), race.runner("c")]
        outcomes = await race.at_once(*rivals)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["StoreInUse", "int"]
        assert 2 in outcomes
        assert not dead.lease.valid()

    async def test_who_waits_has_it_when_it_is_given_back(self, race: Race) -> None:
        holder, standby = race.runner("a"), race.runner("b", waits=True)
        await race.acquire(holder)
        taking = asyncio.create_task(standby.lease.acquire())
        await race.time.advance(10 * DURATION)
        assert not taking.done()
        assert set(standby.waited_for) == {"a since 2025-10-09 08:53:20 UTC"}
        await holder.lease.release()
        await race.time.advance(DURATION / 10)
        assert taking.done()
        assert await taking == 2
        assert standby.lease.valid()

    @pytest.mark.parametrize("dies_after", [0.0, 1.0, 4.9, 5.1, 12.0])
    async def test_two_never_have_it_in_one_moment(self, race: Race, dies_after: float) -> None:
        holder, standby = race.runner("a"), race.runner("b", waits=True)
        await race.acquire(holder)
        taking = asyncio.create_task(standby.lease.acquire())
        await race.time.advance(dies_after)
        holder.machine.freeze()
        for _ in range(200):
            await race.time.advance(0.1)
            assert not (holder.lease.valid() and standby.lease.valid())
        assert taking.done()
        assert await taking == 2
        assert standby.lease.valid()

    @pytest.mark.parametrize("durations", [(15.0, 3.0), (3.0, 15.0)])
    async def test_who_is_set_otherwise_watches_for_the_longer_lease(
        self, race: Race, durations: tuple[float, float]
    ) -> None:
        holder = race.runner("a", duration=durations[0])
        await race.acquire(holder)
        standby = race.runner("b", waits=True, duration=durations[1])
        taking = asyncio.create_task(standby.lease.acquire())
        await race.time.advance(40)
        assert not taking.done()
        holder.machine.freeze()
        for _ in range(200):
            await race.time.advance(0.1)
            assert not (holder.lease.valid() and standby.lease.valid())
        assert await taking == 2

    async def test_a_writer_that_was_frozen_learns_that_it_lost(self, race: Race) -> None:
        frozen, taker = race.runner("a"), race.runner("b")
        await race.acquire(frozen)
        losing = asyncio.create_task(frozen.lease.lost())
        frozen.machine.freeze()
        assert await race.acquire(taker) == 2
        assert not losing.done()
        frozen.machine.thaw()
        assert not frozen.lease.valid()
        await race.time.advance(DURATION)
        assert losing.done()
        lost = await losing
        assert isinstance(lost, LeaseLost)
        assert "b, fence 2" in str(lost)
        assert lost.hint
        assert not frozen.lease.valid()
        assert taker.lease.valid()
        await frozen.lease.release()
        item = await race.item()
        assert item is not None
        assert item["owner"] == "b"

    async def test_a_writer_frozen_in_its_renewal_counts_from_before_it(self, race: Race) -> None:
        frozen = race.runner("a")
        await race.acquire(frozen)
        frozen.machine.freeze_in("tables.write")
        await race.time.advance(2 * DURATION)
        frozen.machine.thaw()
        await asyncio.sleep(0)
        assert not frozen.lease.valid()

    async def test_a_taker_frozen_in_its_taking_counts_from_before_it(self, race: Race) -> None:
        frozen = race.runner("a")
        frozen.machine.freeze_in("tables.write")
        taking = asyncio.create_task(frozen.lease.acquire())
        await race.time.advance(2 * DURATION)
        frozen.machine.thaw()
        assert await taking == 1
        assert not frozen.lease.valid()

    async def test_a_writer_that_was_frozen_alone_goes_on_after_its_renewal(
        self, race: Race
    ) -> None:
        frozen = race.runner("a")
        await race.acquire(frozen)
        frozen.machine.freeze()
        await race.time.advance(10 * DURATION)
        frozen.machine.thaw()
        assert not frozen.lease.valid()
        await race.time.advance(0)
        assert frozen.lease.valid()
        item = await race.item()
        assert item is not None
        assert item["fence"] == 1

    async def test_who_cannot_renew_stops_in_time_and_goes_on_when_it_can(self, race: Race) -> None:
        holder = race.runner("a")
        await race.acquire(holder)
        holder.faults.fail("tables.write", AWAY)
        await race.time.advance(DURATION)
        assert not holder.lease.valid()
        assert len(holder.troubles) > 1
        await race.time.advance(60)
        holder.faults.mend()
        await race.time.advance(DURATION / 10)
        assert holder.lease.valid()

    async def test_a_taken_lease_whose_answer_was_lost_is_taken_again(self, race: Race) -> None:
        unlucky = race.runner("a", waits=True)
        unlucky.faults.fail("tables.write", AWAY, times=1, answer_lost=True)
        assert await race.acquire(unlucky) == 2
        assert unlucky.lease.valid()
        item = await race.item()
        assert item is not None
        assert (item["owner"], item["fence"]) == ("a", 2)

    async def test_who_does_not_wait_is_told_what_failed(self, race: Race) -> None:
        unlucky = race.runner("a")
        for operation in ("tables.get", "tables.write"):
            unlucky.faults.fail(operation, AWAY, times=1)
            with pytest.raises(TransientFault):
                await race.acquire(unlucky)
        assert await race.acquire(unlucky) == 1

    async def test_who_waits_outlasts_a_store_that_is_away(self, race: Race) -> None:
        standby = race.runner("a", waits=True)
        standby.faults.fail("tables.get", AWAY, times=20)
        assert await race.acquire(standby) == 1
        assert len(standby.troubles) == 20

    async def test_giving_it_back_never_fails(self, race: Race) -> None:
        holder = race.runner("a")
        await race.acquire(holder)
        holder.faults.fail("tables.write", AWAY, times=1)
        await holder.lease.tell("http://10.0.0.1:8080")
        holder.faults.fail("tables.write", AWAY, times=1)
        await holder.lease.release()
        assert [str(trouble) for trouble in holder.troubles] == ["away", "away"]
        assert not holder.lease.valid()
        assert await race.acquire(race.runner("b")) == 2

    async def test_wall_clocks_decide_nothing(self, race: Race) -> None:
        holder, ahead = race.runner("a"), race.runner("b", skew_ms=24 * HOUR_MS)
        await race.acquire(holder)
        holder.machine.skew_ms = -HOUR_MS
        with pytest.raises(StoreInUse):
            await race.acquire(ahead)
        holder.machine.freeze()
        behind = race.runner("c", skew_ms=-24 * HOUR_MS)
        assert await race.acquire(behind) == 2

    async def test_a_wall_clock_that_stands_still_hides_no_renewal(self, race: Race) -> None:
        holder = race.runner("a", stopped_wall=True)
        await race.acquire(holder)
        with pytest.raises(StoreInUse):
            await race.acquire(race.runner("b"))

    async def test_a_lease_whose_item_was_removed_is_lost(self, race: Race) -> None:
        holder = race.runner("a")
        await race.acquire(holder)
        losing = asyncio.create_task(holder.lease.lost())
        await race.tables.write(Delete(MAIN, KEY))
        await race.time.advance(DURATION)
        assert losing.done()
        assert "somebody unknown" in str(await losing)
        assert not holder.lease.valid()

    @pytest.mark.parametrize(
        "attributes",
        [
            {},
            {"fence": "1"},
            {"fence": 0},
            {"fence": 1, "leaseUntil": "soon"},
            {"fence": 1, "leaseMs": 10**12},
            {"fence": 1, "leaseMs": -1},
            {"fence": 1, "owner": 7},
            {"fence": 1, "url": ["http://127.0.0.1"]},
        ],
    )
    async def test_what_is_no_lease_is_told_and_left(self, race: Race, attributes: Item) -> None:
        item = {"pk": KEY.partition, "sk": KEY.sort, "owner": "x", **attributes}
        await race.tables.write(Put(MAIN, item))
        with pytest.raises(StoreDamaged) as damaged:
            await race.acquire(race.runner("a"))
        assert GAME in str(damaged.value)
        assert damaged.value.hint
        assert await race.item() == item
