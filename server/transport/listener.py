"""The listener: the port, every live connection, and the one timer that looks after them.

Owns the live set, from which connections are counted, and the turns of keepalive and lobby. Never
looks into a connection. Made by the composition root, which decides when it stops accepting and
with which code it closes.
"""

import asyncio
import errno
import socket
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from server.clock import Clock
from server.ports import Peer
from server.transport.door import Door, Doorway
from server.transport.errors import ListenError
from server.transport.handshake import Gate
from server.transport.keepalive import SLICE, Keepalive
from server.transport.lobby import Lobby
from server.transport.settings import TransportSettings
from server.transport.websocket import Environment, WebSocket
from server.wire.codes import CloseCode

BACKLOG = 2_048
ANY_IPV6 = "::"
FAULT_DELAY_MS = 100
_HINTS: Final = MappingProxyType(
    {
        errno.EADDRINUSE: "another process listens there; stop it or choose another --port",
        errno.EACCES: "ports below 1024 need the right to it; choose another --port",
        errno.EADDRNOTAVAIL: "this machine has no such address; choose another --host",
    }
)


class Listener:
    """One port, for WebSocket and HTTP."""

    def __init__(
        self,
        *,
        make_peer: Callable[[], Peer],
        make_http: Callable[[], asyncio.Protocol],
        gate: Gate,
        new_id: Callable[[], str],
        clock: Clock,
        on_fault: Callable[[Exception], None],
        settings: TransportSettings,
    ) -> None:
        self.live: set[WebSocket] = set()
        """The open WebSockets."""
        self._clock = clock
        self._lobby = Lobby(settings.max_waiting, settings.head_timeout_ms)
        self._keepalive = Keepalive(self.live, settings.ping_ms)
        environment = Environment(settings, clock, on_fault, _call_soon, self.live)
        self._doorway = Doorway(environment, gate, self._lobby, new_id, make_peer, make_http)
        self._server: asyncio.Server | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def port(self) -> int:
        """The port that it listens on, also when 0 was asked for; 0 when it does not listen."""
        if self._server is None or not self._server.sockets:
            return 0
        return int(self._server.sockets[0].getsockname()[1])

    async def start(self, host: str, port: int) -> None:
        """Listen; raises ListenError."""
        try:
            self._server = await _serve(lambda: Door(self._doorway), host, port)
        except OSError as error:
            raise _listen_error(host, port, error) from error
        self._turn()

    def stop_accepting(self) -> None:
        """Give the port back; open connections live on."""
        if self._server is not None:
            self._server.close()

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


async def _serve(make: Callable[[], Door], host: str, port: int) -> asyncio.Server:
    loop = asyncio.get_running_loop()
    if host == ANY_IPV6 and socket.has_dualstack_ipv6():
        # Given the host, asyncio would listen to IPv6 alone.
        both = socket.create_server((host, port), family=socket.AF_INET6, dualstack_ipv6=True)
        return await loop.create_server(make, sock=both, backlog=BACKLOG)
    return await loop.create_server(make, host, port, backlog=BACKLOG)


def _call_soon(callback: Callable[[], None]) -> object:
    return asyncio.get_running_loop().call_soon(callback)


def _listen_error(host: str, port: int, error: OSError) -> ListenError:
    hint = _HINTS.get(error.errno or 0, "check --host and --port")
    return ListenError(f"cannot listen on {host}, port {port}: {error.strerror or error}", hint)
