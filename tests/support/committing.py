"""A process that does nothing but commit, until it is killed: `python -m tests.support.committing`.

Takes a data directory and how many items a commit has. Prints `ready`, then after each commit the
last seq that is durable, after each blob `blob` and its seq.
"""

import asyncio
import sys
from pathlib import Path

from persistence.errors import StoreInUse
from persistence.ports import Store
from tests.support.stores import embedded, history_item

COMMITS_PER_BLOB = 5


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def commit_for_ever(store: Store, batch: int) -> None:
    seq = await store.journal.count(["HISTORY"])
    for commit in range(1, 1_000_000):
        items = [history_item(seq + number, x=commit) for number in range(1, batch + 1)]
        await store.journal.commit(items)
        seq += batch
        say(str(seq))
        if commit % COMMITS_PER_BLOB == 0:
            await store.blobs.put("canvas/canvas.bin", b"x" * 50_000, {"seq": str(seq)})
            say(f"blob {seq}")


async def main(data_dir: Path, batch: int) -> None:
    try:
        async with embedded(data_dir) as store:
            await store.lease.acquire()
            say("ready")
            await commit_for_ever(store, batch)
    except StoreInUse as error:
        say(f"in use: {error}")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
