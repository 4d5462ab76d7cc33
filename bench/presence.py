"""What presence costs: ten thousand connections, and two hundred more joining each second.

The same crowd comes twice, once wanting to hear who is here and once not; joining itself costs both
alike, so that their difference is what telling it costs.
"""

import threading
import time

from bench.native_programs import load
from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, serving

STAY = 8_000
STAY_RATE = 1_000
JOIN, JOIN_RATE = 4_000, 200
"""They pass ten thousand in the middle of their twenty seconds."""
SETTLE_S = 12
FLAGS = (*OPEN_FLAGS, "--size", "64x64", "--max-connections", "0")


def run() -> Result:
    """Measure with presence and without."""
    silent, _ = _share_of_a_core(presence=0)
    told, per_join_ms = _share_of_a_core(presence=1)
    return Result(
        "presence",
        [
            Row("server, joins included, nobody wants presence", 100 * silent, "% of a core"),
            Row("server, joins included, all want presence", 100 * told, "% of a core"),
            Row("telling presence", 100 * (told - silent), "% of a core", 5),
            Row("CPU of a join, presence told to all", per_join_ms, "ms"),
        ],
        f"{STAY:,} connections that stay, {JOIN:,} guests joining at {JOIN_RATE} a second beside "
        "them; a board that nobody changes",
    )


def _share_of_a_core(presence: int) -> tuple[float, float]:
    with serving(*FLAGS) as server:
        crowd: dict[str, float | str] = {"presence": presence, "snapshot": "none", "warm": 0}
        stay = threading.Thread(
            target=load,
            args=(server.port, server.stats),
            kwargs={
                "watchers": STAY,
                "joins": STAY_RATE,
                "seconds": JOIN / JOIN_RATE + 2 * SETTLE_S,
                **crowd,
            },
        )
        stay.start()
        time.sleep(STAY / STAY_RATE + SETTLE_S)
        cpu, started = server.cpu_seconds(), time.monotonic()
        load(
            server.port,
            server.stats,
            watchers=JOIN,
            joins=JOIN_RATE,
            guests=1,
            seconds=1,
            **crowd,
        )
        cpu, took = server.cpu_seconds() - cpu, time.monotonic() - started
        stay.join()
    return cpu / took, 1e3 * cpu / JOIN
