"""The head of an HTTP request: where it ends, what it asks for, its headers by name.

Pure and strict: what one parser might read otherwise than the next one (folded lines, bare line
ends, spaces before a colon) is refused. Called by the door, which routes by it.
"""

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import NamedTuple

from server.transport.errors import BadHead

END = b"\r\n\r\n"
MAX_HEADERS = 128
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "proxy-connection", "upgrade"})

_REQUEST_LINE = re.compile(r"([A-Z]{1,32}) ([!-~]+) (HTTP/1\.[01])")
_HOST = re.compile(r"([-A-Za-z0-9.]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")
_HEADER = re.compile(r"([-!#$%&'*+.^_`|~0-9A-Za-z]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")


class Head(NamedTuple):
    """A parsed head; header names are in lower case, values stripped, both as Latin-1 text."""

    method: str
    target: str
    version: str
    headers: tuple[tuple[str, str], ...]

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def has_body(self) -> bool:
        """Whether more of the request follows its head."""
        lengths = set(self.values("content-length"))
        return bool(self.values("transfer-encoding")) or not lengths <= {"0"}

    def values(self, name: str) -> list[str]:
        """Every value of a header, in order."""
        return [value for header, value in self.headers if header == name]

    def joined(self, name: str) -> str | None:
        """All values of a list header as one; None when it is absent."""
        return ", ".join(self.values(name)) or None


def parse_head(data: bytes) -> Head:
    """Parse a head without its empty line; raises BadHead."""
    first, *rest = data.decode("latin-1").split("\r\n")
    request = _REQUEST_LINE.fullmatch(first)
    if request is None:
        raise BadHead(HTTPStatus.BAD_REQUEST, "the request line is not HTTP/1.1")
    if len(rest) > MAX_HEADERS:
        raise BadHead(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"more than {MAX_HEADERS} headers"
        )
    method, target, version = request.groups()
    return Head(method, target, version, tuple(map(_header, rest)))


def _header(line: str) -> tuple[str, str]:
    match = _HEADER.fullmatch(line)
    if match is None:
        raise BadHead(HTTPStatus.BAD_REQUEST, "a header is malformed")
    name, value = match.groups()
    return name.lower(), value.rstrip(" \t")


def closing_head(head: Head) -> bytes:
    """Write a head anew, asking for one response and no upgrade.

    So that every request of a client is routed by the door: a second one, which might ask for the
    upgrade, needs a connection of its own.
    """
    kept = [header for header in head.headers if header[0] not in _HOP_BY_HOP]
    return _write_head(f"{head.method} {head.target} {head.version}", kept)


def plain_response(status: HTTPStatus, text: str, headers: Iterable[tuple[str, str]] = ()) -> bytes:
    """Build a short text response after which the connection closes."""
    body = f"{text}\n".encode()
    described = [
        ("content-type", "text/plain; charset=utf-8"),
        ("content-length", str(len(body))),
        *headers,
    ]
    return _write_head(f"HTTP/1.1 {status.value} {status.phrase}", described) + body


def pointer_to_tls(head: Head, *, is_socket: bool) -> bytes:
    """Answer plain HTTP on a port for TLS: a page is sent on to https, the rest is told.

    A socket is not sent on: clients follow no such answer to a handshake.
    """
    host, page = head.joined("host") or "", head.target.startswith("/") and not is_socket
    text = "This port speaks TLS: the address begins with https://, or wss:// for a WebSocket."
    if page and head.method in {"GET", "HEAD"} and _HOST.fullmatch(host):
        to = ("location", f"https://{host}{head.target}")
        return plain_response(HTTPStatus.TEMPORARY_REDIRECT, text, [to])
    return plain_response(HTTPStatus.BAD_REQUEST, text)


def _write_head(first: str, headers: Iterable[tuple[str, str]]) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in headers), "connection: close"]
    return "\r\n".join(lines).encode("latin-1") + END
