"""The address of a server, as a command is given it, and plain connections to it.

Owns which addresses are understood and when a certificate is to be believed. Called by the commands
that ask a server.
"""

import http.client
import ssl
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

import click


class Target(NamedTuple):
    """Where to ask."""

    scheme: str
    host: str
    port: int | None
    prefix: str
    """Of the path, where a proxy serves the canvas below one."""
    is_own: bool
    """Our own server, which need not prove its name to us."""

    @property
    def origin(self) -> str:
        """Write it as an address, without the path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port is None else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    def connection(self, timeout_s: float) -> http.client.HTTPConnection:
        """Make a connection that is not open yet."""
        if self.scheme == "http":
            return http.client.HTTPConnection(self.host, self.port, timeout=timeout_s)
        context = ssl.create_default_context()
        if self.is_own:
            # The certificate names the host that players use, and this is the loopback address.
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout_s, context=context)


def target_of(url: str, *, is_own: bool = False) -> Target:
    """Read the address of a server. Raises BadParameter."""
    try:
        parts = _split(url)
        port = parts.port
    except ValueError as error:
        raise click.BadParameter(f"{url!r}: {error}", param_hint="--url") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        told = f"{url!r}: give http://HOST:PORT or https://HOST"
        raise click.BadParameter(told, param_hint="--url")
    return Target(parts.scheme, parts.hostname, port, parts.path.rstrip("/"), is_own=is_own)


def _split(url: str) -> SplitResult:
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("it has characters that no address has")
    parts = urlsplit(url)
    (parts.hostname or "").encode("idna")  # as the look-up does: UnicodeError is a ValueError
    return parts
