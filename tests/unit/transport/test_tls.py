"""What a port with TLS does when the system has no room for one more connection."""

import asyncio
import errno
import ssl
from typing import Any

import pytest

from server.transport import tls
from server.transport.lobby import Lobby
from server.transport.tls import Entrance, TlsPort
from tests.support.clock import FakeClock
from tests.support.sockets import until


class Listening:
    """A socket that is only closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


def entrance() -> Entrance:
    lobby, clock = Lobby(capacity=4, timeout_ms=10_000), FakeClock()
    return Entrance(lobby, clock, ssl.create_default_context, asyncio.Protocol, asyncio.Protocol)


@pytest.mark.parametrize(("number", "told"), [(errno.EMFILE, 1), (errno.ECONNABORTED, 0)])
async def test_it_goes_on_after_a_failed_accept(
    number: int, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, faults, tries = asyncio.get_running_loop(), list[dict[str, Any]](), list[object]()
    loop.set_exception_handler(lambda _, context: faults.append(context))
    monkeypatch.setattr(tls, "RETRY_ACCEPT_S", 0.0)

    async def sock_accept(listening: object) -> None:
        tries.append(listening)
        if len(tries) == 1:
            raise OSError(number, "no room")
        await loop.create_future()

    monkeypatch.setattr(loop, "sock_accept", sock_accept)
    listening = Listening()
    port = TlsPort(listening, entrance())  # type: ignore[arg-type]  # as much of it as is used
    await until(lambda: len(tries) > 1)
    port.close()
    await until(lambda: listening.closed)
    assert len(faults) == told
    assert all("limit of open files" in fault["message"] for fault in faults)
