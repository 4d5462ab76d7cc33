"""Start of the embedded server: from the command to the first accepted socket; median of five."""

import shutil
import statistics
import tempfile
from pathlib import Path

from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, BareSocket, serving


def run() -> Result:
    """Measure a first start, and starts on what is there."""
    folder = Path(tempfile.mkdtemp(prefix="tesserae-bench-"))
    first = [_start(None) for _ in range(5)]
    again = [_start(folder) for _ in range(6)][1:]
    shutil.rmtree(folder)
    return Result(
        "startup",
        [
            Row("start on a new directory", statistics.median(first), "s", 1),
            Row("start on an existing one", statistics.median(again), "s", 1),
        ],
        "from the command line to a socket that is subscribed; the interpreter's start included",
    )


def _start(data: Path | None) -> float:
    with serving(*OPEN_FLAGS, data=data) as server:
        spectator = BareSocket(server.port)
        spectator.subscribe(guest=False)
        spectator.close()
        return server.ready_after
