"""Memory of those who watch: idle, at a pace of their own, and of those who never read.

Resident memory of the server before and after they came. Those who never read do their worst: they
stay longer than a server would let them, have small buffers of their own, and each of the last ones
asks for a catch-up from a place of its own, in the form that takes the most bytes.
"""

import json
import random
import time

from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, BareSocket, Server, place_frame, serving

WARM = 200
COUNT = 4000
PACED, STALLED = 1000, 500
SIDE = 2000
PLACED, A_FRAME = 100_000, 50
PATIENT = ("--slow-timeout", "3600", "--ping-ms", "55000", "--size", f"{SIDE}x{SIDE}")
SMALL = 4096
ACK = 0x11
KB = 1024


def run() -> Result:
    """Measure the growth of the server's memory, a connection."""
    with serving() as server:
        rows = [_idle(server)]
    with serving(*OPEN_FLAGS, *PATIENT) as server:
        rows += _at_a_pace_and_stalled(server)
    note = (
        f"{COUNT} spectators that watch the board, after {WARM} to warm up; then {PACED} with "
        f"minIntervalMs, and {STALLED} of each that never reads, on a board of {SIDE} x {SIDE}, "
        f"while {PLACED:,} pixels are placed all over it; in the process, not in the kernel"
    )
    return Result("memory", rows, note)


def _idle(server: Server) -> Row:
    held = [_spectator(server.port) for _ in range(WARM)]
    time.sleep(1)
    before = server.rss_bytes()
    held += [_spectator(server.port) for _ in range(COUNT)]
    time.sleep(2)
    after = server.rss_bytes()
    for one in held:
        one.close()
    return Row("memory of an idle spectator", (after - before) / COUNT / KB, "KB", 14)


def _spectator(port: int) -> BareSocket:
    one = BareSocket(port)
    one.subscribe(guest=False, snapshot="none")
    return one


def _at_a_pace_and_stalled(server: Server) -> list[Row]:
    painter = _Painter(server.port)
    painter.place(2 * PLACED)  # the ring, the journal's cache and the allocator are full
    held = [_watching(server.port, snapshot="none") for _ in range(WARM)]
    painter.place(A_FRAME)
    rows = []
    before = _settled(server)
    held += [_watching(server.port, snapshot="none", minIntervalMs=60_000) for _ in range(PACED)]
    painter.place(10 * A_FRAME)
    rows.append(_row("memory of a reader at a pace of its own", server, before, PACED))
    before = _settled(server)
    held += [_watching(server.port, snapshot="none") for _ in range(STALLED)]
    painter.place(PLACED)
    rows.append(_row("memory of one that never reads", server, before, STALLED))
    before = _settled(server)
    for number in range(STALLED):
        since = {"epoch": painter.epoch, "seq": painter.placed - PLACED + number * 100}
        held.append(_watching(server.port, "tesserae.v1.json", since=since))
        painter.place(1)
    what = "memory of one that asks for a catch-up of its own and never reads it, in JSON"
    rows.append(_row(what, server, before, STALLED))
    return rows


def _row(what: str, server: Server, before: int, count: int) -> Row:
    return Row(what, (_settled(server) - before) / count / KB, "KB")


def _settled(server: Server) -> int:
    before, now = -1, server.rss_bytes()
    while now != before:
        time.sleep(0.5)
        before, now = now, server.rss_bytes()
    return now


def _watching(port: int, subprotocol: str = "tesserae.v1", **wish: object) -> BareSocket:
    """Watch with a small buffer, and read nothing."""
    one = BareSocket(port, subprotocol, receive_buffer=SMALL)
    pace = {name: wish.pop(name) for name in ("minIntervalMs",) if name in wish}
    games = [{"game": "place#main", **wish}]
    one.send_json(do="subscribe", id=1, wantsPresence=False, games=games, **pace)
    return one


class _Painter:
    """Places all over the board, and waits for its acks."""

    def __init__(self, port: int) -> None:
        self.placed = 0
        self.epoch = ""
        self._socket = BareSocket(port)
        self._chance = random.Random(1)
        self._socket.send_json(
            do="subscribe",
            id=1,
            guest=True,
            wantsPresence=False,
            games=[{"game": "place#main", "snapshot": "none"}],
        )
        while not self.epoch:
            opcode, payload = self._socket.receive()
            message = json.loads(payload) if opcode == 1 else {}
            if message.get("re") == 1:
                self.epoch = message["games"][0]["epoch"]

    def place(self, count: int) -> None:
        """Place so many, a frame at a time."""
        for first in range(0, count, A_FRAME):
            cells = [self._cell() for _ in range(min(A_FRAME, count - first))]
            self._socket.socket.sendall(place_frame(self.placed, *cells))
            self.placed += len(cells)
            self._hear_acks(len(cells))

    def _cell(self) -> int:
        x, y, color = (self._chance.randrange(bound) for bound in (SIDE, SIDE, 16))
        return x | y << 13 | color << 26

    def _hear_acks(self, count: int) -> None:
        while count:
            opcode, payload = self._socket.receive()
            count -= opcode == 2 and payload[0] == ACK
