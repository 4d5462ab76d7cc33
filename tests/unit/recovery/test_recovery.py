"""Recovery brings back exactly what was published, and refuses what does not hold together."""

from dataclasses import replace

import pytest

from canvas.events import PixelPlaced
from canvas.refusals import Refusal, Refused
from persistence.ports import Blob, Key, Store
from persistence.tables import CONFIG
from tests.support.clock import FakeClock
from tests.support.memory_store import MemoryBlobs
from tests.support.runs import Lives, same_board

CONFIG_KEY = Key("CONFIG", "SINGLETON")
HOUR_MS = 3_600_000


def blobs_of(store: Store) -> dict[str, Blob]:
    assert isinstance(store.blobs, MemoryBlobs)
    return store.blobs.blobs


async def test_a_new_game_is_founded_with_what_the_seed_names(store: Store) -> None:
    await Lives(store).start(size=(960, 540), cooldown_ms=300_000)
    item = await store.tables.get(CONFIG, CONFIG_KEY)
    assert item is not None
    seed = {"width": 960, "height": 540, "cooldownMs": 300_000, "locked": False}
    assert {name: item[name] for name in seed} == seed


@pytest.mark.parametrize("snapshots", [(), (10,), (10, 25), (30,)])
async def test_a_board_comes_back_from_snapshot_and_history(
    store: Store, snapshots: tuple[int, ...]
) -> None:
    lives = Lives(store)
    run = await lives.start()
    for seq in range(1, 31):
        await run.place(seq % 20, seq % 10, seq % 16)
        lives.clock.advance(10)
        if seq in snapshots:
            await run.snapshot()
    await run.die()
    again = await lives.start()
    same_board(run, again)
    assert again.game.head.seq == 30
    placed = await again.place(0, 0, 1)
    assert isinstance(placed, PixelPlaced)
    assert placed.seq == 31
    await again.die()


async def test_growth_and_settings_come_back(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.place(0, 0, 3)
    run.game.resize("left", 5)
    run.game.change({"locked": True, "lockReason": "pause"})
    await run.publish()
    await run.snapshot()
    run.game.resize("up", 3)
    run.game.change({"locked": False, "cooldown": {"ms": 500}})
    await run.publish()
    await run.place(0, 0, 4)
    await run.die()
    again = await lives.start()
    same_board(run, again)
    assert again.game.replica.board.get(5, 3) == 3
    assert again.game.head.settings.cooldown.ms == 500
    await again.die()


async def test_everything_comes_back_with_every_snapshot_gone(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    for seq in range(20):
        await run.place(seq, 0, 2)
    run.game.resize("expand", 4)
    await run.publish()
    await run.snapshot()
    await run.place(1, 1, 1)
    await run.die()
    blobs_of(store).clear()
    again = await lives.start()
    same_board(run, again)
    await again.die()


async def test_a_damaged_snapshot_is_passed_over_for_the_one_before(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.place(1, 1, 1)
    await run.snapshot()
    await run.place(2, 2, 2)
    await run.snapshot()
    await run.place(3, 3, 3)
    await run.die()
    blobs = blobs_of(store)
    for key in ("canvas/canvas.bin", f"canvas/archive/{2:016d}.bin"):
        blobs[key] = replace(blobs[key], data=b"\0" * 100)
    again = await lives.start()
    same_board(run, again)
    assert len(lives.damages) == 2
    await again.die()


async def test_old_archives_leave_and_keyframes_stay(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    from server.recovery.snapshotter import Snapshotter

    snapshotter = Snapshotter(
        run.game,
        store,
        lives.clock,
        every_ms=0,
        every_events=0,
        on_error=lambda *_: None,
        on_stored=lambda *_: None,
    )
    for _ in range(3):
        for _ in range(4):
            await run.place(1, 1, 1)
            await snapshotter.store_now()
        lives.clock.advance(HOUR_MS)
    archives = [key for key in blobs_of(store) if "/archive/" in key]
    assert [int(key[-20:-4]) for key in sorted(archives)] == [1, 5, 9, 11, 12]
    assert (snapshotter.behind, snapshotter.age_ms) == (0, HOUR_MS)
    await run.place(2, 1, 1)
    assert snapshotter.behind == 1
    await run.die()


async def test_resumes_hold_over_a_restart(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    for seq in range(50):
        await run.place(seq % 20, 1, 2)
        lives.clock.advance(100)
    await run.snapshot()
    await run.die()
    lives.clock.advance(HOUR_MS)
    again = await lives.start()
    assert again.game.replica.ring.resumable_from == 0
    segments = again.game.replica.ring.after(20)
    assert segments
    await again.die()


async def test_the_ring_crosses_a_growth_before_the_snapshot(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.place(1, 1, 1)
    run.game.resize("right", 4)
    await run.publish()
    await run.place(21, 1, 2)
    await run.snapshot()
    before = run.game.replica.ring.after(0)
    await run.die()
    again = await lives.start()
    assert again.game.replica.ring.after(0) == before
    await again.die()


@pytest.mark.parametrize("with_snapshot", [True, False])
@pytest.mark.parametrize("jump_ms", [0, -HOUR_MS, HOUR_MS])
async def test_cooldowns_survive_and_a_jump_of_the_clock_never_lengthens_them(
    store: Store, *, with_snapshot: bool, jump_ms: int
) -> None:
    """C36."""
    lives = Lives(store)
    run = await lives.start(cooldown_ms=10_000)
    await run.place(1, 1, 1)
    if with_snapshot:
        await run.snapshot()
    await run.die()
    lives.clock.advance(4_000)
    lives.clock.jump_wall(jump_ms)
    again = await lives.start(cooldown_ms=10_000)
    left_ms = again.game.left_ms("u1")
    assert left_ms == {0: 6_000, -HOUR_MS: 10_000, HOUR_MS: 0}[jump_ms]
    await again.die()


async def test_a_stack_is_not_charged_twice_by_snapshot_and_history(store: Store) -> None:
    """C35 over a restart."""
    lives = Lives(store)
    run = await lives.start(cooldown_ms=10_000, max_stack=5)
    for _ in range(2):
        await run.place(1, 1, 1)
    await run.snapshot()
    await run.place(2, 2, 2)
    stack = run.game.stack("u1")
    await run.die()
    again = await lives.start()
    assert again.game.stack("u1") == stack == 2
    await again.die()


@pytest.mark.parametrize("with_snapshot", [True, False])
async def test_a_placement_resent_after_a_restart_has_its_first_outcome(
    store: Store, *, with_snapshot: bool
) -> None:
    """C69."""
    lives = Lives(store)
    run = await lives.start(cooldown_ms=60_000)
    first = await run.place(1, 1, 1, request=7)
    if with_snapshot:
        await run.snapshot()
    await run.die()
    lives.clock.advance(1_000)
    again = await lives.start()
    assert again.game.last_accepted("u1") == first
    assert await again.place(1, 1, 1, request=7) == first
    other = await again.place(1, 1, 1, request=8)
    assert isinstance(other, Refusal)
    assert other.why is Refused.COOLDOWN
    assert again.game.replica.seq == 1
    await again.die()


async def test_an_address_budget_survives(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start(cooldown_ms=60_000, address_budget=2)
    for user in ("a", "b"):
        await run.place(1, 1, 1, user=user, address_key="k")
    await run.die()
    again = await lives.start(address_budget=2)
    refused = await again.place(1, 1, 1, user="c", address_key="k")
    assert isinstance(refused, Refusal)
    assert refused.why is Refused.ADDRESS_COOLDOWN
    await again.die()


async def test_time_never_runs_backwards_over_a_restart(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    first = await run.place(1, 1, 1)
    await run.die()
    lives.clock.jump_wall(-HOUR_MS)
    again = await lives.start()
    second = await again.place(2, 2, 2)
    assert isinstance(first, PixelPlaced)
    assert isinstance(second, PixelPlaced)
    assert second.at_ms >= first.at_ms
    await again.die()
    same_board(again, await lives.start())


@pytest.mark.parametrize("with_snapshot", [True, False])
async def test_a_clock_that_begins_in_1970_and_is_set_right_later_loses_nothing(
    store: Store, *, with_snapshot: bool
) -> None:
    """C36: keys are compared as text, and the times in them had fewer digits once."""
    lives = Lives(store, FakeClock(wall_ms=60_000))
    run = await lives.start()
    await run.place(1, 1, 1)
    if with_snapshot:
        await run.snapshot()
    lives.clock.jump_wall(1_700_000_000_000)
    await run.place(2, 2, 2)
    await run.die()
    again = await lives.start()
    same_board(run, again)
    assert again.game.replica.ring.resumable_from == 0
    await again.die()


async def test_settings_that_contradict_earlier_ones_come_back(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    for changes in ({"startsAt": 300}, {"startsAt": 100}, {"endsAt": 200}):
        run.game.change(changes)
        await run.publish()
    await run.die()
    again = await lives.start()
    same_board(run, again)
    assert again.game.replica.settings.ends_at_ms == 200
    await again.die()


async def test_progress_is_told_up_to_the_end(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    for seq in range(20):
        await run.place(seq, 1, 1)
    await run.die()
    await (await lives.start(page=6)).die()
    assert lives.progress[-1] == (20, 20)
