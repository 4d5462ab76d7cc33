"""500 bots paint a megapixel: what the whole of it costs, server and bots on one machine.

Writes the board to docs/images/painting.png when it is complete.
"""

import asyncio
import time
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import psutil
import uvloop
from rich.console import Console

from bench.motif import SIDE, painting
from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, Server, serving
from bots.crew import Plan
from bots.paint import Paint
from bots.screen import Screen
from bots.stage import Act, Stage, Window
from pictures.picture import Picture

BOTS = 500
RATE = 20.0
LIMIT_S = 480.0
SHOWN = Path(__file__).parent.parent / "docs" / "images" / "painting.png"


def run() -> Result:
    """Paint it once; nothing may be refused, and the board must be the picture."""
    with serving(*OPEN_FLAGS, "--size", f"{SIDE}x{SIDE}") as server:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            stage = runner.run(_painted(server.port))
        rows = _rows(stage, server)
        if stage.succeeded:
            SHOWN.write_bytes(_board(server))
    return Result("painting", rows, f"{BOTS} bots at {RATE:g} px/s each, 1024 x 1024, dithered")


async def _painted(port: int) -> Stage:
    picture = _motif()
    plan = Plan(f"ws://127.0.0.1:{port}/ws", "place#main", BOTS, 0, RATE, 0)

    def make() -> Paint:
        return Paint(picture, (0, 0), order="spread", dither=True, once=True, seed=0)

    stage = Stage((Act("painting", plan, make, (Window(0, LIMIT_S),)),), now_s=time.perf_counter)
    show = asyncio.create_task(Screen(stage, Console()).run())
    try:
        await stage.run()
    finally:
        show.cancel()
        await asyncio.wait([show])
    return stage


def _motif() -> Picture:
    return Picture(np.dstack([painting(), np.full((SIDE, SIDE), 255, dtype=np.uint8)]))


def _board(server: Server) -> bytes:
    address = f"http://127.0.0.1:{server.port}/api/games/place%23main/canvas.png"
    with urlopen(address, timeout=30) as response:
        return bytes(response.read())


def _rows(stage: Stage, server: Server) -> list[Row]:
    (cast,) = stage.casts
    assert cast.crew is not None
    tally, progress = cast.crew.tally, cast.progress
    ours = psutil.Process()
    own = ours.cpu_times()
    return [
        Row("time to the last pixel", tally.elapsed_s, "s", LIMIT_S),
        Row("placements over it", tally.placed / tally.elapsed_s, "px/s"),
        Row("placements acknowledged", tally.placed, ""),
        Row("refused, unknown or cut", tally.refused.total() + tally.unknown + tally.cuts, "", 0),
        Row("cells that are not the picture", progress.left if progress else SIDE * SIDE, "", 0),
        Row("boards proven by checksum", tally.verified, "", 1, "higher"),
        Row("CPU time of the server", server.cpu_seconds(), "s"),
        Row("CPU time of the bots", own.user + own.system, "s"),
        Row("memory of the server", server.rss_bytes() / 2**20, "MB"),
        Row("memory of the bots' process", ours.memory_info().rss / 2**20, "MB"),
    ]
