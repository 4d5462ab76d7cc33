"""Memory of idle spectators: resident memory of the server before and after they came."""

import time

from bench.results import Result, Row
from bench.serving import BareSocket, serving

WARM = 200
COUNT = 4000


def run() -> Result:
    """Measure the growth of the server's memory, a connection."""
    with serving() as server:
        held = [_spectator(server.port) for _ in range(WARM)]
        time.sleep(1)
        before = server.rss_bytes()
        held += [_spectator(server.port) for _ in range(COUNT)]
        time.sleep(2)
        after = server.rss_bytes()
        for one in held:
            one.close()
    each = (after - before) / COUNT / 1024
    note = f"{COUNT} spectators that watch the board, after {WARM} to warm up"
    return Result("memory", [Row("memory of an idle spectator", each, "KB", 14)], note)


def _spectator(port: int) -> BareSocket:
    one = BareSocket(port)
    one.subscribe(guest=False, snapshot="none")
    return one
