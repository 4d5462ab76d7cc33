"""Durable placements a second: bare sockets flood the server; each is fsynced, then acked."""

import json
import selectors
import time

from bench.results import Result, Row
from bench.serving import BareSocket, Server, place_frame, serving

CONNECTIONS = 50
RECORDS = 16
"""Placements a frame."""
WINDOW = 256
"""Placements on their way a connection: 12,800 in all, under the 20,000 that make it busy."""
SECONDS = 10.0
ACK_BYTES = 34
"""A 32-byte ack and its frame's head."""


def run() -> Result:
    """Measure accepted placements, from the first to the last ack."""
    with serving() as server:
        singles = _flood(server, records=1)
        frames = _flood(server, records=RECORDS)
    return Result(
        "durable",
        [
            Row("durable placements a second, 16 a frame", frames[0], "/s", 20_000, "higher"),
            Row("server CPU each", frames[1], "µs"),
            Row("durable placements a second, 1 a frame", singles[0], "/s", 20_000, "higher"),
            Row("server CPU each", singles[1], "µs"),
        ],
        f"{CONNECTIONS} connections that watch nothing; load generator (Python) on the same cores",
    )


def _flood(server: Server, *, records: int) -> tuple[float, float]:
    sockets = [BareSocket(server.port) for _ in range(CONNECTIONS)]
    for one in sockets:
        one.subscribe(guest=True, watch=False)
        one.socket.setblocking(False)
    cells = [
        number % 960 | (number * 7 % 540) << 13 | number % 16 << 26 for number in range(records)
    ]
    frame = place_frame(0, *cells)
    # Without a request number of its own a frame would be a re-sent one: patch it in place.
    flood = _Flood(sockets, frame, records)
    before, cpu = _published(server), server.cpu_seconds()
    started = time.perf_counter()
    acked = flood.run(SECONDS)
    seconds = time.perf_counter() - started
    cpu = server.cpu_seconds() - cpu
    assert _published(server) - before == acked, "a placement was refused"
    for one in sockets:
        one.close()
    return acked / seconds, 1e6 * cpu / acked


def _published(server: Server) -> int:
    one = BareSocket(server.port)
    one.send_json(do="checksum", id=1, game="place#main")
    while True:
        message = json.loads(one.receive()[1])
        if message.get("re") == 1:
            one.close()
            return int(message["seq"])


class _Flood:
    """Keeps every connection's window full, and counts acks by their bytes."""

    def __init__(self, sockets: list[BareSocket], frame: bytes, records: int) -> None:
        self._sockets = sockets
        self._frame = bytearray(frame)
        self._request_at = len(frame) - 4 * records - 8
        self._records = records
        self._window = WINDOW // records
        self._request = 0
        self._acked_bytes = [0] * len(sockets)
        self._sent = [0] * len(sockets)

    def run(self, seconds: float) -> int:
        selector = selectors.DefaultSelector()
        for number, one in enumerate(self._sockets):
            selector.register(one.socket, selectors.EVENT_READ, number)
            self._fill(number)
        ends = time.perf_counter() + seconds
        while time.perf_counter() < ends:
            for key, _ in selector.select(0.1):
                ready: int = key.data
                self._acked_bytes[ready] += len(self._sockets[ready].socket.recv(1 << 20))
                self._fill(ready)
        while sum(self._acked_bytes) < sum(self._sent) * self._records * ACK_BYTES:
            for key, _ in selector.select(5.0):
                self._acked_bytes[key.data] += len(self._sockets[key.data].socket.recv(1 << 20))
        return sum(self._acked_bytes) // ACK_BYTES

    def _fill(self, number: int) -> None:
        done = self._acked_bytes[number] // (ACK_BYTES * self._records)
        missing = self._window - (self._sent[number] - done)
        if missing < self._window // 2:
            return
        batch = bytearray()
        for _ in range(missing):
            self._request += 1
            at = self._request_at
            self._frame[at : at + 4] = self._request.to_bytes(4, "little")
            batch += self._frame
        self._sent[number] += missing
        self._sockets[number].socket.setblocking(True)
        self._sockets[number].socket.sendall(batch)
        self._sockets[number].socket.setblocking(False)
