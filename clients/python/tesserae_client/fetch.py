"""A board by HTTP, for clients that ask for their snapshots that way.

Owns one GET of `canvas.bin` and its headers; never a retry. Called by board_fetch.py.
"""

import asyncio
import urllib.request
from collections.abc import Awaitable, Callable
from urllib.parse import urljoin

from tesserae_client.messages import side, strict
from tesserae_client.snapshot import SnapshotHead

TIMEOUT_S = 30.0
MAX_BODY_BYTES = 64 * 1024 * 1024

Canvas = tuple[SnapshotHead, bytes]
Fetch = Callable[[str], Awaitable[Canvas]]


def http_url(ws_url: str, path: str) -> str:
    """Resolve the URL of a snapshot against the address of the WebSocket."""
    base = "http" + ws_url.removeprefix("ws")
    return urljoin(base, path)


async def fetch_canvas(url: str) -> Canvas:
    """Get a packed board and its position; raises OSError when that fails."""
    return await asyncio.to_thread(_get, url)


def _get(url: str) -> Canvas:
    if not url.startswith(("http://", "https://")):
        raise OSError(f"{url} is no HTTP address")
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as response:  # noqa: S310 - checked above
        return _head(response.headers), response.read(MAX_BODY_BYTES)


@strict
def _head(headers: "dict[str, str]") -> SnapshotHead:
    return SnapshotHead(
        epoch=headers["Tesserae-Epoch"],
        seq=int(headers["Tesserae-Seq"]),
        generation=int(headers["Tesserae-Generation"]),
        width=side(headers["Tesserae-Width"]),
        height=side(headers["Tesserae-Height"]),
        bands=0,
        url=None,
    )
