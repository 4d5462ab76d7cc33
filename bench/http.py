"""What HTTP costs the server: CPU and bytes of each request, and how long a large board holds it.

The client sends each request by hand on a connection of its own, as all have to.
"""

import json
import random
import socket
import threading
import time

from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, BareSocket, Server, place_frame, serving

BOARD = "/api/games/place%23main"
COUNT = 300
PICTURES = 20
PIXELS = 20_000
WIDTH, HEIGHT = 960, 540
FLAGS = (*OPEN_FLAGS, "--http-rate", "0")
GOAL_US = 1500
"""Of a request that reads little: several hundred a second beside thousands of placements."""
COMMIT_GOAL_US = 4000
"""A commit of its own with it, which many at once would share."""
JSON = "Content-Type: application/json\r\n"
GZIP = "Accept-Encoding: gzip\r\n"


def run() -> Result:
    """Measure."""
    with serving(*FLAGS) as server:
        _paint(server.port)
        rows = [row for what in _requests() for row in _measured(server, *what)]
        rows.append(_posted(server))
    with serving(*FLAGS, "--size", "8000x8000") as server:
        rows.append(_longest_wait(server))
    note = f"{COUNT} requests each ({PICTURES} pictures), {PIXELS:,} pixels on {WIDTH} x {HEIGHT}"
    return Result("http", rows, note)


def _requests() -> list[tuple[str, str, str, int, float | None]]:
    """What is asked: its name, path, headers, how often, and the goal in us."""
    part = "x1=100&y1=100&x2=163&y2=163"
    return [
        ("GET game", BOARD, "", COUNT, GOAL_US),
        ("GET pixel", f"{BOARD}/pixel?x=10&y=10", "", COUNT, GOAL_US),
        ("GET history, 100 entries", f"{BOARD}/history", "", COUNT, None),
        ("GET history, 64 x 64 cells", f"{BOARD}/history?{part}", "", COUNT, None),
        ("GET canvas.bin", f"{BOARD}/canvas.bin", "", COUNT, GOAL_US),
        ("GET canvas.bin, gzip, kept", f"{BOARD}/canvas.bin", GZIP, COUNT, GOAL_US),
        ("GET canvas.bin, 64 x 64 cells", f"{BOARD}/canvas.bin?{part}", "", COUNT, GOAL_US),
        ("GET canvas.png, kept", f"{BOARD}/canvas.png", "", COUNT, GOAL_US),
        ("GET preview.png, kept", f"{BOARD}/preview.png", "", COUNT, GOAL_US),
        # Each of another part, so that none is kept.
        (
            "GET canvas.png, drawn",
            f"{BOARD}/canvas.png?x1={{n}}&y1=0&x2=959&y2=539",
            "",
            PICTURES,
            None,
        ),
    ]


def _measured(
    server: Server, what: str, path: str, headers: str, count: int, goal_us: float | None
) -> list[Row]:
    size = len(_ask(server.port, path.format(n=count), headers))  # and to warm up
    before = server.cpu_seconds()
    for number in range(count):
        _ask(server.port, path.format(n=number), headers)
    used_us = 1e6 * (server.cpu_seconds() - before) / count
    return [Row(f"{what}: CPU", used_us, "us", goal_us), Row(f"{what}: body", size, "bytes")]


def _ask(port: int, path: str, headers: str = "", body: bytes = b"", method: str = "GET") -> bytes:
    """Send one request; returns the body of its answer."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\n{headers}{length}\r\n"
        line.sendall(head.encode() + body)
        answer = bytearray()
        while data := line.recv(1 << 20):
            answer += data
    head_end = answer.index(b"\r\n\r\n")
    assert answer[9:10] == b"2", bytes(answer[:head_end])
    return bytes(answer[head_end + 4 :])


def _posted(server: Server) -> Row:
    session = json.loads(_ask(server.port, "/api/session", JSON, b"{}", "POST"))
    headers = f"{JSON}Authorization: Bearer {session['token']}\r\n"
    before = server.cpu_seconds()
    for number in range(COUNT):
        body = json.dumps({"x": number, "y": 7, "color": number % 16, "request": number}).encode()
        _ask(server.port, f"{BOARD}/pixels", headers, body, "POST")
    used_us = 1e6 * (server.cpu_seconds() - before) / COUNT
    return Row("POST pixels: CPU, to its commit", used_us, "us", COMMIT_GOAL_US)


def _longest_wait(server: Server) -> Row:
    """Ask for something small all the time while the largest board is fetched."""
    waits: list[float] = []
    fetching = threading.Thread(target=_drain, args=(server.port, f"{BOARD}/canvas.bin"))
    _ask(server.port, "/healthz")
    fetching.start()
    while fetching.is_alive():
        started = time.perf_counter()
        _ask(server.port, "/healthz")
        waits.append(1000 * (time.perf_counter() - started))
    return Row("longest wait for /healthz while 8000 x 8000 is fetched", max(waits), "ms", 50)


def _drain(port: int, path: str) -> None:
    """Fetch and drop: keeping 32 MB would hold this process, too, and be measured with it."""
    place = bytearray(1 << 18)
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
        while line.recv_into(place):
            pass


def _paint(port: int) -> None:
    chance, painter = random.Random(5), BareSocket(port)
    painter.subscribe(guest=True, watch=False)
    left = PIXELS
    while left:
        records = [_record(chance) for _ in range(min(left, 50))]
        painter.socket.sendall(place_frame(left, *records))
        for _ in records:
            while painter.receive()[1][:1] != b"\x11":
                pass
        left -= len(records)
    painter.close()


def _record(chance: random.Random) -> int:
    return chance.randrange(WIDTH) | chance.randrange(HEIGHT) << 13 | chance.randrange(16) << 26
