"""A server in a process of its own, and bare sockets that speak just enough of the protocol."""

import base64
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

READY = re.compile(r"http://[^ ]+:(\d+)/")
OPEN_FLAGS = tuple(
    part
    for name in (
        "cooldown-ms",
        "guests-per-address",
        "address-budget",
        "message-rate",
        "max-connections-per-address",
        "handshakes-per-second",
    )
    for part in (f"--{name}", "0")
)
MASK = b"\0\0\0\0"
"""A mask of zeros is a mask: what is sent can be prepared without touching a byte."""


def environment() -> dict[str, str]:
    """Take our environment without settings, and let Python keep bytecode as for everybody."""
    return {
        name: value
        for name, value in os.environ.items()
        if "BYTECODE" not in name and not name.startswith("TESSERAE_")
    }


class Server:
    """One running server."""

    def __init__(self, data: Path, *flags: str) -> None:
        self.data = data
        started = time.perf_counter()
        command = [sys.executable, "-m", "server", "serve", "--port", "0"]
        self.process = subprocess.Popen(
            [*command, "--data", str(data), "--log-level", "warning", *flags],
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = READY.search(line)
        assert match, f"the server did not start: {line!r}"
        self.port = int(match.group(1))
        self.ready_after = time.perf_counter() - started
        self.stats = psutil.Process(self.process.pid)

    def cpu_seconds(self) -> float:
        """User and system time of the process so far."""
        times = self.stats.cpu_times()
        return float(times.user + times.system)

    def rss_bytes(self) -> int:
        """Resident memory."""
        return int(self.stats.memory_info().rss)

    def stop(self) -> None:
        """End it by its id."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


@contextmanager
def serving(*flags: str, data: Path | None = None) -> Iterator[Server]:
    """Run a server on a directory of its own, or on the one given."""
    folder = data or Path(tempfile.mkdtemp(prefix="tesserae-bench-"))
    server = Server(folder, *(flags or OPEN_FLAGS))
    try:
        yield server
    finally:
        server.stop()
        if data is None:
            shutil.rmtree(folder)


class BareSocket:
    """A WebSocket by hand: no library between the figure and the server."""

    def __init__(
        self, port: int, subprotocol: str = "tesserae.v1", receive_buffer: int | None = None
    ) -> None:
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: {subprotocol}\r\n\r\n".encode()
        )
        self._buffer = b""
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += self.socket.recv(65_536)
        head, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def send_json(self, **message: Any) -> None:
        """Send a command."""
        self.socket.sendall(masked(1, json.dumps(message).encode()))

    def receive(self) -> tuple[int, bytes]:
        """Wait for the next frame: opcode and payload."""
        while True:
            frame = self._take()
            if frame is not None:
                return frame
            data = self.socket.recv(262_144)
            assert data, "the server hung up"
            self._buffer += data

    def _take(self) -> tuple[int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        size, start = buffer[1], 2
        if size == 126:
            if len(buffer) < 4:
                return None
            (size,), start = struct.unpack("!H", buffer[2:4]), 4
        elif size == 127:
            if len(buffer) < 10:
                return None
            (size,), start = struct.unpack("!Q", buffer[2:10]), 10
        if len(buffer) < start + size:
            return None
        self._buffer = buffer[start + size :]
        return buffer[0] & 15, buffer[start : start + size]

    def subscribe(self, *, guest: bool, watch: bool = True, snapshot: str = "inline") -> None:
        """Become a guest or a spectator; waits for the reply."""
        games = [{"game": "place#main", "snapshot": snapshot}] if watch else []
        self.send_json(do="subscribe", id=1, guest=guest, wantsPresence=False, games=games)
        while True:
            opcode, payload = self.receive()
            if opcode == 1 and json.loads(payload).get("re") == 1:
                return

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


def masked(opcode: int, payload: bytes) -> bytes:
    """Encode a frame from a client."""
    size = len(payload)
    head = (
        bytes([0x80 | opcode, 0x80 | size])
        if size < 126
        else (bytes([0x80 | opcode, 0xFE]) + struct.pack("!H", size))
    )
    return head + MASK + payload


def place_frame(request: int, *records: int) -> bytes:
    """Encode a binary frame of placements on channel 1, generation 0."""
    return masked(2, struct.pack(f"<BBHII{len(records)}I", 0x10, 0, 1, request, 0, *records))
