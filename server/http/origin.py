"""Where this server is for a client: scheme and host, as far as they can be believed.

Owns the forms that a Host header may have, and that a proxy's word on the scheme counts only when
the proxy is trusted. Called for addresses that must be absolute, and to know our own pages.
"""

import re
from collections.abc import Sequence

from aiohttp import hdrs, web

from canvas.networks import Network, parse_address
from server.access.addresses import contains

SCHEMES = frozenset({"http", "https"})
DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_HOST = re.compile(r"[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")


def host_of(request: web.Request) -> str | None:
    """Give the host and port that the client asked for; None for what is no such thing."""
    host = request.headers.get(hdrs.HOST, "").lower()
    return host if _HOST.fullmatch(host) else None


def scheme_of(request: web.Request, trusted: Sequence[Network]) -> str:
    """Tell by which scheme the client came: a trusted proxy tells, the connection otherwise."""
    told = request.headers.get(hdrs.X_FORWARDED_PROTO, "").rpartition(",")[2].strip().lower()
    peer = parse_address(request.remote or "")
    believed = peer is not None and contains(trusted, peer)
    return told if believed and told in SCHEMES else request.scheme


def origin_of(request: web.Request, trusted: Sequence[Network]) -> str | None:
    """Give the origin of our own pages as this client sees them; None without a host."""
    host, scheme = host_of(request), scheme_of(request, trusted)
    return None if host is None else f"{scheme}://{host.removesuffix(DEFAULT_PORTS[scheme])}"


def is_own(request: web.Request, origin: str) -> bool:
    """Whether an origin, in lower case, is of the host that was asked, whatever its scheme."""
    scheme, _, authority = origin.partition("://")
    host, default_port = host_of(request), DEFAULT_PORTS.get(scheme)
    if host is None or default_port is None:
        return False
    return authority.removesuffix(default_port) == host.removesuffix(default_port)
