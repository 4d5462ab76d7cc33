"""A soak: ten minutes of clients that come, place, are cut, come back, and stop reading.

Memory is read with nobody connected: after a warm-up, which fills what has a bound (the database's
pages, the ring, the allocator's arenas), and after the last round. What a round leaves behind shows
in their difference; what one holds while it is on, in the most that was seen.
"""

import time

from bench.native_programs import Told, load
from bench.results import Result, Row
from bench.serving import BareSocket, Server, serving

ROUNDS, ROUND_S = 10, 56
WARM_ROUNDS, WARM_SECONDS = 20, 12
WARM_RATE = 1_000
"""Frames a second of 16 placements: 192,000 fill the database's 64 MB of pages."""
WATCHERS, PLACERS, RATE = 430, 50, 400
CUT = 200
"""Watchers of each round that are cut at once and come back a second later."""
STALLED = 20
"""Clients of each round that watch and never read."""
SETTLE_S = 70
"""Merged catch-ups are forgotten a minute after the last was asked for."""
MB = 1e6


def run() -> Result:
    """Run the rounds; whoever may not lose anything must not."""
    with serving() as server:
        _warm_up(server)
        base = _idle_bytes(server)
        started, most, lost = time.monotonic(), 0, 0
        for number in range(ROUNDS):
            lost += _round(server)
            most = max(most, server.rss_bytes())
            print(f"  round {number + 1} of {ROUNDS}", flush=True)
        minutes = (time.monotonic() - started) / 60
        after = _idle_bytes(server)
    return Result(
        "soak",
        [
            Row("how long", minutes, "min", 10, "higher"),
            Row("placements unanswered or refused, holes, cuts not come back from", lost, "", 0),
            Row("memory with nobody there, before", base / MB, "MB"),
            Row("most memory with everybody there", most / MB, "MB"),
            Row("memory with nobody there, after, more than before", (after - base) / MB, "MB", 3),
        ],
        f"{ROUNDS} rounds of {WATCHERS + PLACERS} clients, {RATE} px/s, {CUT} of them cut and back "
        f"again, {STALLED} more that never read; a warm-up before them fills what has a bound",
    )


def _warm_up(server: Server) -> None:
    """Fill every cache, as fast as the machine can; what it cannot is refused, and not counted."""
    load(
        server.port,
        server.stats,
        placers=PLACERS,
        rate=WARM_RATE,
        records=16,
        seconds=WARM_SECONDS,
        warm=0,
    )
    for _ in range(WARM_ROUNDS):
        load(server.port, server.stats, watchers=WATCHERS, cut=CUT, away=1, seconds=1, warm=0)


def _round(server: Server) -> int:
    """Come, place, be cut, come back, stall, leave; returns what was lost."""
    stalled = [_stalled(server.port) for _ in range(STALLED)]
    told = load(
        server.port,
        server.stats,
        watchers=WATCHERS,
        placers=PLACERS,
        rate=RATE,
        seconds=ROUND_S,
        cut=CUT,
        away=1,
    )
    for one in stalled:
        one.close()
    return _lost(told)


def _lost(told: Told) -> int:
    end = told.end
    return int(end["placed"] - end["answered"] + end["refused"] + end["holes"] + end["gone"])


def _stalled(port: int) -> BareSocket:
    one = BareSocket(port)
    one.subscribe(guest=False)
    return one


def _idle_bytes(server: Server) -> int:
    time.sleep(SETTLE_S)
    return server.rss_bytes()
