"""The browser client: the files of server/web, served from memory.

Owns which files are public, their types, ETags and security headers. They are read once at start; a
path is looked up and never opened, so nothing beside them can be reached.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable

from aiohttp import hdrs, web

from server.http.bodies import is_known

INDEX = "index.html"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_HOST = re.compile(r"[A-Za-z0-9.\-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Asset:
    """One public file."""

    body: bytes
    content_type: str
    etag: str


def load_assets() -> dict[str, Asset]:
    """Read the public files, by path relative to the page."""
    return dict(_walk(files("server") / "web", ""))


def _walk(folder: Traversable, path: str) -> Iterator[tuple[str, Asset]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{path}{entry.name}/")
            continue
        content_type = TYPES.get("." + entry.name.rpartition(".")[2])
        if content_type is not None:
            body = entry.read_bytes()
            etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
            yield path + entry.name, Asset(body, content_type, etag)


def routes(assets: dict[str, Asset]) -> list[web.RouteDef]:
    """Give the routes; the last one takes what no other took."""

    async def page(request: web.Request) -> web.Response:
        path = request.match_info.get("path") or INDEX
        asset = assets.get(path)
        if asset is None:
            raise web.HTTPNotFound
        headers = _headers(request, asset)
        if is_known(request, asset.etag):
            return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        return web.Response(body=asset.body, headers=headers)

    return [web.get("/", page), web.get("/{path:(?!api/).+}", page)]


def _headers(request: web.Request, asset: Asset) -> dict[str, str]:
    return {
        hdrs.CONTENT_TYPE: asset.content_type,
        hdrs.ETAG: asset.etag,
        # Revalidated each time: a new server's page must not run with an old one's modules.
        hdrs.CACHE_CONTROL: "no-cache",
        "Content-Security-Policy": content_security_policy(request.headers.get(hdrs.HOST, "")),
        "Referrer-Policy": "no-referrer",
    }


def content_security_policy(host: str) -> str:
    """Allow the page its own files and its own socket, and nothing else.

    The socket's address is spelled out, since older Safaris do not take it for 'self'.
    """
    own = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    return (
        f"default-src 'self'; connect-src 'self'{own}; img-src 'self' data: blob:; "
        "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
