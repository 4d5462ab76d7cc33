"""The operator's own port: its HTTP side and its listener, which open and close together.

Owns that nobody becomes a WebSocket there, and that its errors name `--admin-listen`. Knows nothing
of what is shown. Made by app.py, opened and closed by lifecycle.py.
"""

from collections.abc import Callable

from server.clock import Clock
from server.config.values import Endpoint
from server.http.app import HttpSide
from server.transport.listener import Listener
from server.transport.settings import TransportSettings

FLAGS = ("--admin-listen", "--admin-listen")


class AdminPort:
    """A second port of the process, for whoever runs it."""

    def __init__(
        self,
        endpoint: Endpoint,
        http: HttpSide,
        clock: Clock,
        on_fault: Callable[[Exception], None],
    ) -> None:
        self._endpoint = endpoint
        self._http = http
        self._listener = Listener(
            make_http=http.make_protocol,
            upgrades=None,
            clock=clock,
            on_fault=on_fault,
            settings=TransportSettings(),
        )

    @property
    def address(self) -> str:
        """Where it listens, HOST:PORT."""
        return str(Endpoint(self._endpoint.host, self._listener.port))

    async def start(self) -> None:
        """Open it; raises ListenError."""
        await self._http.start()
        await self._listener.start(self._endpoint.host, self._endpoint.port, FLAGS)

    async def stop(self) -> None:
        """Close it, and end what is still being answered."""
        self._listener.stop()
        await self._http.stop()
