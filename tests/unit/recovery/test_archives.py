"""Archives over restarts: the newest few and one an hour, however often a server starts."""

from dataclasses import replace

from persistence.ports import Store
from tests.support.memory_store import MemoryBlobs, open_memory
from tests.support.runs import Lives

MINUTE_MS = 60_000


def archives(store: Store, folder: str = "archive") -> list[int]:
    assert isinstance(store.blobs, MemoryBlobs)
    keys = [key for key in store.blobs.blobs if f"/{folder}/" in key]
    return sorted(int(key.rpartition("/")[2].partition(".")[0]) for key in keys)


async def live(lives: Lives, pixels: int) -> None:
    """Start, place and store as often, a minute apart, and die."""
    run = await lives.start()
    for _ in range(pixels):
        await run.place(1, 1, 1)
        await run.snapshot()
        lives.clock.advance(MINUTE_MS)
    await run.die()


async def test_restarts_leave_no_more_archives_than_one_run() -> None:
    store = open_memory()
    lives = Lives(store)
    for _ in range(5):
        await live(lives, 4)
    assert archives(store) == [1, 19, 20]
    assert archives(store, "side") == archives(store)


async def test_a_keyframe_an_hour_over_restarts() -> None:
    store = open_memory()
    lives = Lives(store)
    for _ in range(21):
        await live(lives, 6)
    assert archives(store) == [1, 61, 121, 125, 126]


async def test_an_archive_that_cannot_be_read_does_not_stop_the_next() -> None:
    store = open_memory()
    assert isinstance(store.blobs, MemoryBlobs)
    lives = Lives(store)
    await live(lives, 3)
    blobs = store.blobs.blobs
    key = f"canvas/archive/{3:016d}.bin"
    blobs[key] = replace(blobs[key], metadata={})
    await live(lives, 3)
    assert archives(store)[-2:] == [5, 6]


async def test_a_keyframe_that_tells_no_next_one_does_not_stop_the_next_snapshot() -> None:
    store = open_memory()
    assert isinstance(store.blobs, MemoryBlobs)
    lives = Lives(store)
    await live(lives, 1)
    blobs = store.blobs.blobs
    key = f"canvas/archive/{1:016d}.bin"
    for told in ("soon", "", "9" * 5000):
        blobs[key] = replace(blobs[key], metadata={**blobs[key].metadata, "nextKeyframeMs": told})
        await live(lives, 1)
    assert archives(store)[-1] == 4
