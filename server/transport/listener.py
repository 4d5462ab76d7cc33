"""The listener: the port, every live connection, and the one timer that looks after them.

Owns the live set, from which connections are counted, and the turns of keepalive and lobby. Never
looks into a connection. Made by the composition root, which decides when it stops accepting and
with which code it closes.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from functools import partial

from server.clock import Clock
from server.transport.binding import BACKLOG, bind
from server.transport.counts import TransportCounts
from server.transport.door import Door, Doorway, Upgrades
from server.transport.keepalive import SLICE, Keepalive
from server.transport.lobby import Lobby
from server.transport.settings import TransportSettings
from server.transport.tls import Entrance, TlsPort
from server.transport.usher import Usher
from server.transport.websocket import Environment, WebSocket
from server.wire.codes import CloseCode

FAULT_DELAY_MS = 100


class Listener:
    """One port, for HTTP and, with `upgrades`, for WebSocket; with `tls` for nothing in plain."""

    def __init__(
        self,
        *,
        make_http: Callable[[], asyncio.Protocol],
        upgrades: Upgrades | None,
        clock: Clock,
        on_fault: Callable[[Exception], None],
        settings: TransportSettings,
        tls: Callable[[], ssl.SSLContext] | None = None,
    ) -> None:
        self.live: set[WebSocket] = set()
        """The open WebSockets."""
        self.counts = TransportCounts()
        self._clock = clock
        self._lobby = Lobby(settings.max_waiting, settings.head_timeout_ms)
        self._keepalive = Keepalive(self.live, settings.ping_ms)
        environment = Environment(settings, clock, on_fault, _call_soon, self.live, self.counts)
        usher = Usher(clock.precise, _call_soon)
        self._doorway = Doorway(environment, self._lobby, usher, make_http, upgrades)
        self._tls = tls
        self._ports: list[asyncio.Server | TlsPort] = []
        self._timer: asyncio.TimerHandle | None = None
        self.port = 0
        """The port that it listens on, also when 0 was asked for; 0 when it does not listen."""

    async def start(
        self, host: str, port: int, flags: tuple[str, str] = ("--host", "--port")
    ) -> None:
        """Listen; raises ListenError, which names the flags that would help."""
        sockets = await bind(host, port, flags)
        self.port = int(sockets[0].getsockname()[1])
        self._ports = [await self._open(one) for one in sockets]
        self._turn()

    async def _open(self, listening: socket.socket) -> asyncio.Server | TlsPort:
        make_door = partial(Door, self._doorway)
        if self._tls is not None:
            plain = partial(Door, self._doorway, belongs_to_tls=True)
            return TlsPort(
                listening, Entrance(self._lobby, self._clock, self._tls, make_door, plain)
            )
        loop = asyncio.get_running_loop()
        return await loop.create_server(make_door, sock=listening, backlog=BACKLOG)

    def stop_accepting(self) -> None:
        """Give the port back; open connections live on."""
        self.port = 0
        for one in self._ports:
            one.close()
        self._ports = []

    async def close_all(
        self,
        code: CloseCode,
        reason: str,
        retry_after_ms: Callable[[], int] | None = None,
    ) -> None:
        """Begin to close every connection, a slice in each turn of the loop.

        `retry_after_ms` is asked once for each, so that a crowd can be spread out.
        """
        for number, connection in enumerate(list(self.live), start=1):
            retry = None if retry_after_ms is None else retry_after_ms()
            connection.close(code, reason, retry)
            if number % SLICE == 0:
                await asyncio.sleep(0)

    def stop(self) -> None:
        """End everything that is still there, and the timer."""
        self.stop_accepting()
        for connection in list(self.live):
            connection.abort()
        self._lobby.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _turn(self) -> None:
        now_ms = self._clock.monotonic_ms()
        delay_ms = FAULT_DELAY_MS
        try:
            self._lobby.sweep(now_ms)
            delay_ms = self._keepalive.turn(now_ms)
        finally:
            # A fault is told by the loop's handler, and must not be the last turn.
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(delay_ms / 1000, self._turn)


def _call_soon(callback: Callable[[], None]) -> object:
    return asyncio.get_running_loop().call_soon(callback)
