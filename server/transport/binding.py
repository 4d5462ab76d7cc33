"""Sockets to listen on: a host and a port become bound sockets, or an error with its remedy.

Owns which addresses of a host are taken and the words for what cannot be had. Accepts nothing.
Called by the listener, for the public port and for the operator's.
"""

import asyncio
import errno
import socket
from types import MappingProxyType
from typing import Final

from server.transport.errors import ListenError

BACKLOG = 2_048
ANY_IPV6 = "::"
_ABSENT = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})
_HINTS: Final = MappingProxyType(
    {
        errno.EADDRINUSE: "another process listens there; stop it or choose another {port}",
        errno.EACCES: "ports below 1024 need the right to it; choose another {port}",
        errno.EADDRNOTAVAIL: "this machine has no such address; choose another {host}",
    }
)


async def bind(
    host: str, port: int, flags: tuple[str, str] = ("--host", "--port")
) -> list[socket.socket]:
    """Listen on every address of a host; raises ListenError, which names the flags that help."""
    try:
        return await _bound(host, port)
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, f"check {' and '.join(dict.fromkeys(flags))}")
        raise ListenError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}",
            hint.format(host=flags[0], port=flags[1]),
        ) from error


async def _bound(host: str, port: int) -> list[socket.socket]:
    if host == ANY_IPV6 and socket.has_dualstack_ipv6():
        # By its address alone it would be IPv6 only.
        return [_listening(socket.AF_INET6, (host, port), both=True)]
    found = await asyncio.get_running_loop().getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return _bind_each(list(dict.fromkeys((family, address) for family, _, _, _, address in found)))


def _bind_each(addresses: list[tuple[int, tuple[object, ...]]]) -> list[socket.socket]:
    """Bind all; one that this machine lacks is passed over when another is there."""
    sockets: list[socket.socket] = []
    absent: OSError | None = None
    try:
        for family, address in addresses:
            try:
                sockets.append(_listening(family, address))
            except OSError as error:
                if error.errno not in _ABSENT:
                    raise
                absent = error
        if not sockets and absent is not None:
            raise absent
    except OSError:
        for one in sockets:
            one.close()
        raise
    return sockets


def _listening(family: int, address: tuple[object, ...], *, both: bool = False) -> socket.socket:
    made = socket.create_server(address, family=family, backlog=BACKLOG, dualstack_ipv6=both)
    made.setblocking(False)
    return made
