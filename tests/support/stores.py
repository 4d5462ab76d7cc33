"""Items and stores for tests: realistic history items, and stores opened on a directory."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from persistence.embedded.store import open_embedded
from persistence.ports import Item, Store


def history_item(seq: int, *, partition: str = "HISTORY", x: int = 0, y: int = 0) -> Item:
    """One placement as the committer writes it."""
    return {
        "PK": partition,
        "SK": f"ts#{1_760_000_000_000 + seq // 20}#{seq:016d}-{1:06d}",
        "x_original": x,
        "y_original": y,
        "offset_x": 0,
        "offset_y": 0,
        "colorIndex": seq % 16,
        "seq": seq,
        "fence": 1,
        "userId": f"user-{seq % 7}",
        "request": seq * 7919 % 2**32,
        "addressKey": f"{seq % 5:032x}",
        "previous": 15,
        "costMs": 300_000,
        "index": 0,
    }


def control_item(seq: int, kind: str, *, partition: str = "HISTORY") -> Item:
    """One event that is no placement: it has no position and is in no index."""
    sort = f"ts#{1_760_000_000_000 + seq // 20}#{seq:016d}-{1:06d}"
    return {"PK": partition, "SK": sort, "kind": kind, "seq": seq, "fence": 1}


def embedded(
    data_dir: Path, wall_ms: Callable[[], int] = lambda: 1_760_000_000_000
) -> AbstractAsyncContextManager[Store]:
    """The embedded store under a fake clock."""
    return open_embedded(data_dir, wall_ms=wall_ms)


def beside(data_dir: Path) -> AbstractAsyncContextManager[Store]:
    """The embedded store as a command opens it that only reads."""
    return open_embedded(data_dir, wall_ms=lambda: 1_760_000_000_000, read_only=True)
