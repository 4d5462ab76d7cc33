"""C64: a growth, the size in the config and what it was due to are written together, once.

On every store, by an event that the test numbers, with a milestone in its transaction.
"""

import asyncio

import pytest

from persistence.errors import ConditionFailed, StoreError, TransientFault
from persistence.faulty import Faults, faulty
from persistence.ports import Condition, Item, Key, Put, Store, Update
from persistence.tables import CONFIG, MILESTONES
from server.game.committer import Decided
from server.game.config import control_update
from server.game.game import Game, GameListener
from tests.support.games import NAME, placement
from tests.support.homes import Home
from tests.support.runs import Ear, Lives, Run, same_board
from tests.support.sockets import WAIT_S

AWAY = TransientFault("the store is away", "wait")
MILESTONE = Key("MILESTONE", "01JZ0000000000000000000000")
CONFIG_KEY = Key("CONFIG", "SINGLETON")
GROWN_PX = 5


async def planned(store: Store) -> None:
    """Put a milestone that is due."""
    item = {"triggerAt": 1, "direction": "left", "amount": GROWN_PX, "label": "", "fired": False}
    partition, sort = MILESTONE
    await store.tables.write(Put(MILESTONES, {"PK": partition, "SK": sort, **item}))


def fire(game: Game) -> None:
    """Grow, and note with it that it was done."""
    head = game.head
    event = head.resize("left", GROWN_PX, None, 0)
    config = control_update(NAME, event.seq, head.settings, head.lineage, fence=game.fence)
    unfired = Condition(equals={"fired": False})
    fired = Update(MILESTONES, MILESTONE, set={"fired": True}, condition=unfired)
    game.committer.add(Decided(event, writes=(config, fired)))


class Heard:
    """What the store said to a game."""

    def __init__(self, game: Game) -> None:
        self._said = asyncio.Event()
        game.listen(GameListener(_ignore, lambda *_: 0.0, self._hear, _ignore, self._hear))

    def _hear(self, _game: Game, _fault: StoreError) -> None:
        self._said.set()

    async def fault(self) -> None:
        async with asyncio.timeout(WAIT_S):
            await self._said.wait()


def _ignore(*_: object) -> None:
    """Hear nothing of it."""


async def rows(store: Store) -> list[Item]:
    return [item async for page in store.journal.read(["HISTORY"]) for item in page]


async def is_grown(store: Store) -> bool:
    """Whether it has grown; fails when the three places tell different stories."""
    milestone = await store.tables.get(MILESTONES, MILESTONE)
    config = await store.tables.get(CONFIG, CONFIG_KEY)
    assert milestone is not None
    assert config is not None
    growths = [item for item in await rows(store) if item.get("kind") == "resize"]
    told = {milestone["fired"], config["width"] == 20 + GROWN_PX, len(growths) == 1}
    assert len(told) == 1, (milestone, config, growths)
    return told == {True}


@pytest.mark.parametrize("answer_lost", [False, True], ids=["before", "after"])
async def test_c64_killed_at_a_growth_all_of_it_is_there_or_nothing(
    home: Home, *, answer_lost: bool
) -> None:
    async with home.opened() as store:
        faults = Faults()
        lives = Lives(faulty(store, faults))
        run = await lives.start()
        await planned(store)
        await run.place(1, 1, 3)
        heard = Heard(run.game)
        faults.fail("journal.commit", AWAY, answer_lost=answer_lost)
        fire(run.game)
        await heard.fault()
        await run.die()
        faults.mend()
        assert await is_grown(store) is answer_lost
        again = await lives.start()
        assert again.game.replica.seq == 1 + answer_lost
        if not answer_lost:
            fire(again.game)
            await again.publish()
        assert await is_grown(store)
        assert again.game.replica.lineage.geometry.offset_x == GROWN_PX
        assert again.game.replica.board.get(1 + GROWN_PX, 1) == 3
        await stays(lives, again)


async def test_c64_what_has_fired_changes_nothing_when_it_is_fired_again(home: Home) -> None:
    async with home.opened() as store:
        lives = Lives(store)
        run = await lives.start()
        await planned(store)
        fire(run.game)
        await run.publish()
        before = await store.tables.get(CONFIG, CONFIG_KEY), await rows(store)
        heard = Heard(run.game)
        fire(run.game)
        await heard.fault()
        assert isinstance(run.game.fault, ConditionFailed)
        assert (await store.tables.get(CONFIG, CONFIG_KEY), await rows(store)) == before
        await stays(lives, run)


async def test_c64_nothing_that_comes_after_a_growth_is_stored_before_it(home: Home) -> None:
    async with home.opened() as store:
        faults = Faults()
        lives = Lives(faulty(store, faults))
        run = await lives.start()
        heard = Heard(run.game)
        run.game.submit(placement(1, 1, 3), Ear())
        run.game.resize("up", 2)
        run.game.submit(placement(0, 0, 4), Ear())
        await run.publish()
        faults.fail("journal.commit", AWAY, times=3)
        run.game.resize("left", GROWN_PX)
        run.game.submit(placement(0, 0, 5), Ear())
        await heard.fault()
        assert [item["seq"] for item in await rows(store)] == [1, 2, 3]
        await run.publish()
        assert [item.get("kind") for item in await rows(store)] == [
            None,
            "resize",
            None,
            "resize",
            None,
        ]
        last = (await rows(store))[-1]
        assert (last["x_original"], last["offset_x"], last["offset_y"]) == (-GROWN_PX, GROWN_PX, 2)
        await stays(lives, run)


async def stays(lives: Lives, run: Run) -> None:
    """Kill it, and find the same board."""
    await run.die()
    again = await lives.start()
    same_board(run, again)
    await again.die()
