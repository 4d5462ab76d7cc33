"""Joins: one alone, five thousand in half a minute, two thousand cut at once, and 8000 x 8000.

The boards are what a long event leaves: the motif of motif.py, and strays all over it. A ping that
somebody else sends meanwhile tells whether the loop stood still.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.request import urlopen

import numpy as np
from PIL import Image

from bench.motif import SIDE, painting
from bench.native_programs import load
from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, BareSocket, Server, serving

LARGE = 8000
STRAYS = 20
"""One cell in so many was placed by somebody who does not care for the picture."""
ALONE = 30
STORM, STORM_S = 5_000, 30
CUT = 2_000
STALLED = 100
BAND = 0x02
BAND_HEAD = 28
MB = 1e6


def run() -> Result:
    """Measure on a board of 1024 x 1024, then on one of 8000 x 8000."""
    rows: list[Row] = []
    with _board(SIDE) as server:
        rows += _alone(server) + _storm(server)
    with _board(SIDE) as server:
        rows += _resumes(server)
    with _board(LARGE) as server:
        rows += _large(server)
    return Result(
        "joining",
        rows,
        f"the motif with one stray in {STRAYS} cells; pings of another client every 20 ms, "
        "server and C load client on the same cores",
    )


@contextmanager
def _board(side: int) -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="tesserae-bench-"))
    try:
        _found(folder, side)
        with serving(*OPEN_FLAGS, "--max-connections", str(2 * STORM), data=folder) as server:
            yield server
    finally:
        shutil.rmtree(folder)


def _found(folder: Path, side: int) -> None:
    picture = folder.parent / f"{folder.name}.png"
    times = -(-side // SIDE)
    cells = np.tile(painting(), (times, times, 1))[:side, :side]
    chance = np.random.default_rng(1)
    strays = chance.random((side, side)) < 1 / STRAYS
    cells[strays] = chance.integers(0, 256, (int(strays.sum()), 3), np.uint8)
    Image.fromarray(cells).save(picture, compress_level=1)
    command = [sys.executable, "-m", "server", "canvas", "import", str(picture), "--reduce"]
    try:
        subprocess.run(
            [*command, "--yes", "--data", str(folder)], check=True, stdout=subprocess.DEVNULL
        )
    finally:
        picture.unlink()


# --- 1024 x 1024 -------------------------------------------------------------


def _alone(server: Server) -> list[Row]:
    joins = [_join(server.port) for _ in range(ALONE)]
    address = f"http://127.0.0.1:{server.port}/api/games/place%23main/canvas.bin"
    with urlopen(address, timeout=60) as response:
        packed = response.read()
    deflater = zlib.compressobj(6, wbits=-zlib.MAX_WBITS)
    by_zlib = len(deflater.compress(packed) + deflater.flush())
    return [
        Row("the first join, for which the board is encoded", 1e3 * joins[0][0], "ms"),
        Row("a join alone, p50", 1e3 * median(each[0] for each in joins), "ms", 20),
        Row("its bands beside raw deflate 6 of the whole board", joins[0][1] / by_zlib, "x", 1.05),
    ]


def _join(port: int) -> tuple[float, int]:
    """Seconds from dialling to the last band, and bytes of the bands."""
    started = time.perf_counter()
    one = BareSocket(port)
    one.subscribe(guest=False)
    size_bytes, left = 0, -1
    while left:
        opcode, payload = one.receive()
        if opcode == 1:
            left = json.loads(payload).get("bands", left)
        elif payload[0] == BAND:
            size_bytes += len(payload) - BAND_HEAD
            left -= 1
    took = time.perf_counter() - started
    one.close()
    return took, size_bytes


def _storm(server: Server) -> list[Row]:
    before, cpu = server.rss_bytes(), server.cpu_seconds()
    told = load(server.port, server.stats, watchers=STORM, joins=STORM / STORM_S, seconds=1, warm=0)
    cpu = server.cpu_seconds() - cpu
    what, pings = f"{STORM:,} cold joins in {STORM_S} s", told.joined["probes"]
    return [
        Row(f"{what}: all inside after", told.joined["seconds"], "s", STORM_S + 1),
        Row(f"{what}: a ping meanwhile, p99", pings["p99"], "ms", 100),
        Row(f"{what}: a ping meanwhile, longest", pings["max"], "ms"),
        Row(f"{what}: CPU of each", 1e3 * cpu / STORM, "ms"),
        Row(f"{what}: most memory above that before", (_peak(server) - before) / MB, "MB"),
    ]


def _resumes(server: Server) -> list[Row]:
    before = server.rss_bytes()
    crowd = {"watchers": CUT, "cut": CUT, "away": 1}
    told = load(server.port, server.stats, placers=10, rate=200, seconds=1, warm=0, **crowd)
    back, what = told.resumed, f"{CUT:,} cut at once"
    assert back is not None
    time.sleep(2)  # until those who hung up are forgotten
    return [
        Row(f"{what}: all resumed after", back["seconds"], "s"),
        Row(f"{what}: bytes of each resume", back["bytes"] / CUT, "B"),
        Row(f"{what}: a ping meanwhile, p99", back["probes"]["p99"], "ms"),
        Row(
            f"{what}: not let in again, or told with holes",
            told.end["gone"] + told.end["holes"],
            "",
            0,
        ),
        Row(f"{what}: most memory above that before", (_peak(server) - before) / MB, "MB"),
        Row(f"{what}: memory after it", (server.rss_bytes() - before) / MB, "MB"),
    ]


# --- 8000 x 8000 -------------------------------------------------------------


def _large(server: Server) -> list[Row]:
    what = f"{LARGE} x {LARGE}"
    placing = {"placers": 50, "rate": 50, "watch": 0, "warm": 0, "width": LARGE, "height": LARGE}
    cpu = server.cpu_seconds()
    first, size_bytes = _join(server.port)
    cold = server.cpu_seconds() - cpu
    again = min(_join(server.port)[0] for _ in range(5))
    joining = load(server.port, server.stats, watchers=20, seconds=1, **placing)
    before = server.rss_bytes()
    stalled = [_stalled(server.port) for _ in range(STALLED)]
    held = _settled_rss(server) - before
    for one in stalled:
        one.close()
    return [
        Row(f"{what}: size of the bands", size_bytes / MB, "MB"),
        Row(f"{what}: CPU of a snapshot and its first join", 1e3 * cold, "ms", 150),
        Row(f"{what}: the first join", 1e3 * first, "ms"),
        Row(f"{what}: a join from then on", 1e3 * again, "ms"),
        Row(f"{what}: a ping while 20 join, longest", joining.joined["probes"]["max"], "ms", 50),
        Row(f"{what}: memory of {STALLED} joiners that do not read", held / MB, "MB"),
    ]


def _stalled(port: int) -> BareSocket:
    one = BareSocket(port)
    games = [{"game": "place#main"}]
    one.send_json(do="subscribe", id=1, wantsPresence=False, games=games)
    return one


def _settled_rss(server: Server) -> int:
    before, now = -1, server.rss_bytes()
    while now != before:
        time.sleep(0.5)
        before, now = now, server.rss_bytes()
    return now


def _peak(server: Server) -> int:
    """Most memory that the server ever had."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024
