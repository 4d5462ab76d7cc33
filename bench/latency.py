"""One placement alone, to its ack and to a spectator: embedded store, nothing else going on."""

import json
import statistics
import threading
import time

from bench.results import Result, Row
from bench.serving import BareSocket, place_frame, serving

COUNT = 400
PAUSE = 0.025
"""Longer than the shortest tick, so that every placement meets an idle stream."""


def run() -> Result:
    """Measure from the send to the ack and to the spectator's frame."""
    with serving() as server:
        placer, spectator = BareSocket(server.port), BareSocket(server.port)
        placer.subscribe(guest=True, watch=False)
        spectator.subscribe(guest=False, snapshot="none")
        seen: dict[int, float] = {}
        watching = threading.Thread(target=_watch, args=(spectator, seen))
        watching.start()
        sent, acked = _place(placer)
        watching.join()
    acks = sorted(1000 * (acked[n] - sent[n]) for n in range(COUNT))
    views = sorted(1000 * (seen[n + 1] - sent[n]) for n in range(COUNT))
    return Result(
        "latency",
        [
            Row("one placement to its ack, p50", statistics.median(acks), "ms", 5),
            Row("one placement to its ack, p99", acks[int(COUNT * 0.99)], "ms"),
            Row("one placement to a spectator, p50", statistics.median(views), "ms", 5),
            Row("one placement to a spectator, p99", views[int(COUNT * 0.99)], "ms"),
        ],
        f"{COUNT} placements, {1000 * PAUSE:.0f} ms apart, client and server on the same two cores",
    )


def _place(placer: BareSocket) -> tuple[list[float], list[float]]:
    sent, acked = [], []
    for number in range(COUNT):
        sent.append(time.perf_counter())
        placer.socket.sendall(place_frame(number, number % 900 | number % 16 << 26))
        while True:
            opcode, payload = placer.receive()
            if opcode == 2 and payload[0] == 0x11:
                break
        acked.append(time.perf_counter())
        assert payload[1] == 0, f"refused with status {payload[1]}"
        time.sleep(PAUSE)
    return sent, acked


def _watch(spectator: BareSocket, seen: dict[int, float]) -> None:
    while len(seen) < COUNT:
        opcode, payload = spectator.receive()
        now = time.perf_counter()
        if opcode == 2 and payload[0] == 0x01:
            first, last = (int.from_bytes(payload[at : at + 8], "little") for at in (8, 16))
            for seq in range(first, last + 1):
                seen[seq] = now
        elif opcode == 1:
            assert json.loads(payload).get("event") != "closing", payload
