"""The browser client: the files of server/web, served from memory.

Owns which files are public, their types, ETags and security headers. They are read once at start; a
path is looked up and never opened, so nothing beside them can be reached. The page itself names its
absolute address, which link previews need and which only a request tells.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable

from aiohttp import hdrs, web

from canvas.networks import Network
from server.http.bodies import is_known
from server.http.origin import host_of, origin_of

INDEX = "index.html"
PAGES = {"": INDEX, "api": "api.html"}
"""Addresses of pages; everything else is called by the name of its file."""
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
ORIGIN_MARK = b"{{origin}}"
ETAG_CHARS = 20


@dataclass(frozen=True, slots=True)
class Asset:
    """One public file."""

    body: bytes
    content_type: str
    etag: str

    @classmethod
    def of(cls, body: bytes, content_type: str) -> "Asset":
        """Make one of its bytes."""
        return cls(body, content_type, f'"{hashlib.sha256(body).hexdigest()[:ETAG_CHARS]}"')

    def seen_at(self, origin: str) -> "Asset":
        """Fill in the address at which a client sees it."""
        return Asset.of(self.body.replace(ORIGIN_MARK, origin.encode()), self.content_type)


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
            yield path + entry.name, Asset.of(entry.read_bytes(), content_type)


def routes(assets: dict[str, Asset], trusted: Sequence[Network] = ()) -> list[web.RouteDef]:
    """Give the routes; the last one takes what no other took."""

    async def page(request: web.Request) -> web.Response:
        path = request.match_info.get("path", "")
        path = PAGES.get(path, path)
        asset = assets.get(path)
        if asset is None:
            raise web.HTTPNotFound
        if path == INDEX:
            asset = asset.seen_at(origin_of(request, trusted) or "")
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
        "Content-Security-Policy": content_security_policy(host_of(request)),
        "Referrer-Policy": "no-referrer",
    }


def content_security_policy(host: str | None) -> str:
    """Allow the page its own files and its own socket, and nothing else.

    The socket's address is spelled out, since older Safaris do not take it for 'self'.
    """
    own = "" if host is None else f" ws://{host} wss://{host}"
    return (
        f"default-src 'self'; connect-src 'self'{own}; img-src 'self' data: blob:; "
        "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
