"""Where the server is: the address of its page or of its socket, as people have it; pure.

Owns how one becomes the other, and how a line that cannot be opened is told. Called by the
client and by line.py.
"""

import os
from socket import gaierror
from urllib.parse import urljoin, urlsplit


def socket_url(address: str) -> str:
    """Return the socket of a page: `ws://host/ws` for `http://host/`; all else as it is."""
    if not address.startswith(("http://", "https://")):
        return address
    return "ws" + urljoin(address, "ws").removeprefix("http")


def told(fault: Exception, url: str) -> str:
    """Say why a line to `url` could not be opened, with the place."""
    parts = urlsplit(url)
    if isinstance(fault, gaierror):
        return f"no address is known for {parts.hostname}"
    if isinstance(fault, ConnectionRefusedError):
        return f"nobody listens at {_place(parts.hostname, parts.port, parts.scheme)}"
    if isinstance(fault, ConnectionError) and fault.errno:
        return os.strerror(fault.errno).lower()
    return str(fault) or type(fault).__name__


def _place(host: str | None, port: int | None, scheme: str) -> str:
    written = f"[{host}]" if ":" in (host or "") else host
    return f"{written}:{port or (443 if scheme == 'wss' else 80)}"
