"""One WebSocket of the server on a fake transport, with its peer, clock and loop in the open."""

from collections.abc import Callable
from typing import Any

from server.transport.settings import TransportSettings
from server.transport.websocket import Environment, WebSocket
from server.wire.binary_v1 import BINARY_V1
from tests.support.clock import FakeClock
from tests.support.connections import FakePeer
from tests.support.transports import FakeTransport


class Bench:
    """Opens the connection at once; `turn` is a turn of the loop."""

    def __init__(
        self,
        react: Callable[[FakePeer, str, Any], None] | None = None,
        *,
        early: bytes = b"",
        **settings: int,
    ) -> None:
        self.clock = FakeClock()
        self.faults: list[Exception] = []
        self.live: set[WebSocket] = set()
        self.peer = FakePeer(react)
        self.transport = FakeTransport()
        self._soon: list[Callable[[], None]] = []
        environment = Environment(
            TransportSettings(**settings),
            self.clock,
            self.faults.append,
            self._soon.append,
            self.live,
        )
        self.counts = environment.counts
        self.connection = WebSocket(
            environment,
            self.transport,
            self.peer,
            connection_id="c1",
            codec=BINARY_V1,
            remote="192.0.2.1",
        )
        self.connection.open(b"", early)

    def turn(self) -> None:
        """Call what was put off."""
        while self._soon:
            self._soon.pop(0)()

    def one_turn(self) -> None:
        """Call what was put off until now, and not what it puts off itself."""
        soon, self._soon[:] = list(self._soon), []
        for call in soon:
            call()

    def messages(self) -> list[tuple[bool, bytes]]:
        """What the peer was told, as (is text, bytes)."""
        return [(what == "text", data) for what, data in self.peer.messages()]
