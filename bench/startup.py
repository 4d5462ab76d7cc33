"""Start of the embedded server: to the first accepted socket, and to ready; medians of seven."""

import shutil
import socket
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, BareSocket, serving

ROUNDS = 7
POLL = 0.002


class _Start(NamedTuple):
    """Seconds from the command line."""

    accepted: float
    ready: float


def run() -> Result:
    """Measure first starts, and starts on what is there."""
    folder = Path(tempfile.mkdtemp(prefix="tesserae-bench-"))
    first = [_start(None) for _ in range(ROUNDS)]
    again = [_start(folder) for _ in range(ROUNDS + 1)][1:]
    shutil.rmtree(folder)
    return Result(
        "startup",
        [
            Row("start to the first accepted socket", _median(first, 0), "s", 1),
            Row("start to ready, on a new directory", _median(first, 1), "s"),
            Row("start to ready, on an existing one", _median(again, 1), "s"),
        ],
        "from the command line, the interpreter's start and 0.8 s of imports included",
    )


def _median(starts: list[_Start], which: int) -> float:
    return statistics.median(start[which] for start in starts)


def _start(data: Path | None) -> _Start:
    port = _free_port()
    accepted: list[float] = []
    started = time.perf_counter()
    polling = threading.Thread(target=_poll, args=(port, started, accepted))
    polling.start()
    with serving(*OPEN_FLAGS, "--port", str(port), data=data) as server:
        polling.join()
        spectator = BareSocket(server.port)
        spectator.subscribe(guest=False)
        spectator.close()
        return _Start(accepted[0], server.ready_after)


def _poll(port: int, started: float, accepted: list[float]) -> None:
    while not accepted and time.perf_counter() - started < 60:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except ConnectionRefusedError:
            time.sleep(POLL)
        else:
            accepted.append(time.perf_counter() - started)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])
