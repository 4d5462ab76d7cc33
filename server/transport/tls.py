"""TLS on a port: accepts connections, sees that they speak TLS, and hands them to the door.

Owns the handshake and its bounds: who has not finished it waits in the lobby like everybody else.
Who speaks plain HTTP here gets an answer in plain HTTP. Looks at the first byte without taking it;
knows no file and no certificate. Made by the listener where TLS is switched on.
"""

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from server.clock import Clock
from server.transport.lobby import Lobby

HANDSHAKE: Final = b"\x16"
"""The first byte that a client sends to speak TLS."""
RETRY_ACCEPT_S = 1.0


@dataclass(frozen=True, slots=True)
class Entrance:
    """What all who arrive at a port with TLS share."""

    lobby: Lobby
    clock: Clock
    context: Callable[[], ssl.SSLContext]
    """The newest one: a renewed certificate is for those who come after it."""
    make_door: Callable[[], asyncio.Protocol]
    make_plain_door: Callable[[], asyncio.Protocol]
    """Answers those who speak plain HTTP."""


class TlsPort:
    """One socket that accepts connections."""

    def __init__(self, listening: socket.socket, entrance: Entrance) -> None:
        self._listening = listening
        self._entrance = entrance
        self._accepting = asyncio.get_running_loop().create_task(self._accept())
        # Not at the end of the task itself, which may be told to end before it has begun.
        self._accepting.add_done_callback(lambda _: listening.close())

    def close(self) -> None:
        """Accept nobody more."""
        self._accepting.cancel()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(self._listening)
            except OSError as error:
                await _get_over(error)
            else:
                Arrival(connection, self._entrance).wait()


async def _get_over(error: OSError) -> None:
    """Go on after a failed accept; out of files or memory, after a pause, as asyncio does."""
    if error.errno == errno.ECONNABORTED:
        return
    message = "no connection can be accepted; raise the limit of open files, or close others"
    asyncio.get_running_loop().call_exception_handler({"message": message, "exception": error})
    await asyncio.sleep(RETRY_ACCEPT_S)


class Arrival:
    """A connection until it is known to speak TLS, and speaks it."""

    def __init__(self, connection: socket.socket, entrance: Entrance) -> None:
        self._socket = connection
        self._entrance = entrance
        self._handing_over: asyncio.Task[None] | None = None

    def wait(self) -> None:
        """Wait in the lobby for its first byte."""
        self._socket.setblocking(False)
        self._entrance.lobby.enter(self, self._entrance.clock.monotonic_ms())
        asyncio.get_running_loop().add_reader(self._socket, self._look)

    def expire(self) -> None:
        """End it: the handshake did not come in time, or somebody else needs the place."""
        if self._handing_over is not None:
            self._handing_over.cancel()
        else:
            self._leave()
            self._socket.close()

    def _leave(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._entrance.lobby.leave(self)

    def _look(self) -> None:
        try:
            first = self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            first = b""
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._socket)
        if first:
            self._handing_over = loop.create_task(self._hand_over(speaks_tls=first == HANDSHAKE))
        else:
            self._leave()
            self._socket.close()

    async def _hand_over(self, *, speaks_tls: bool) -> None:
        entrance, loop = self._entrance, asyncio.get_running_loop()
        make = entrance.make_door if speaks_tls else entrance.make_plain_door
        context = entrance.context() if speaks_tls else None
        try:
            # From here on the socket is the loop's to close.
            await loop.connect_accepted_socket(make, self._socket, ssl=context)
        except OSError:
            pass  # a handshake that fails is the client's affair: scanners come every minute
        finally:
            entrance.lobby.leave(self)
