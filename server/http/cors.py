"""Pages of other hosts: what they may read of the API, and that they change nothing by it.

Owns the headers of CORS, the answer to its preflight requests, and the test of the Origin of
whatever changes something, which is the one that a WebSocket's handshake has to pass. There are no
cookies, so that a page can only spend a token that it was given. Called by the API.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from server.http.origin import is_own
from server.http.problems import Problem

READING = frozenset({hdrs.METH_GET, hdrs.METH_HEAD})
ALL = "*"
TAKEN_HEADERS = f"{hdrs.AUTHORIZATION}, {hdrs.CONTENT_TYPE}, {hdrs.IF_NONE_MATCH}"
PREFLIGHT_S = 600


@dataclass(frozen=True, slots=True)
class Cors:
    """Which origins may do what; those of our own host may do all."""

    readers: frozenset[str]
    """Of pages that may read, in lower case; `*` is all."""
    members: frozenset[str]
    """Of pages that may change something, too."""
    origin_required: bool
    exposed: str
    """Headers of responses that they may read."""

    def may(self, request: web.Request, origin: str, method: str) -> bool:
        """Whether a page of this origin may use a method."""
        if is_own(request, origin) or origin in self.members:
            return True
        return method in READING and (ALL in self.readers or origin in self.readers)

    def headers_of(self, request: web.Request) -> Mapping[str, str]:
        """Tell the browser whether the page that asked may read the response."""
        if ALL in self.readers and request.method in READING:
            allowed = ALL
        else:
            origin = request.headers.get(hdrs.ORIGIN, "").lower()
            if not origin or not self.may(request, origin, _asked(request)):
                return {}
            allowed = request.headers[hdrs.ORIGIN]
        return {
            hdrs.ACCESS_CONTROL_ALLOW_ORIGIN: allowed,
            hdrs.ACCESS_CONTROL_EXPOSE_HEADERS: self.exposed,
        }

    def check(self, request: web.Request) -> None:
        """Raise Problem (403) for a change that a page of another host asks for."""
        if request.method in READING:
            return
        origins = [origin.lower() for origin in request.headers.getall(hdrs.ORIGIN, ())]
        if not origins and not self.origin_required:
            return
        if len(origins) == 1 and self.may(request, origins[0], request.method):
            return
        # Headers are bytes: what is no UTF-8 in them could not be told in JSON.
        named = ascii(", ".join(origins)[:256])
        told = f"the origin {named} may only read" if origins else "send Origin"
        raise Problem(HTTPStatus.FORBIDDEN, f"{told}; the operator can list it in --origins")


def _asked(request: web.Request) -> str:
    """Tell the method that is meant: a preflight names another than its own."""
    if request.method == hdrs.METH_OPTIONS:
        return request.headers.get(hdrs.ACCESS_CONTROL_REQUEST_METHOD, hdrs.METH_GET)
    return request.method


def middleware(cors: Cors, prefix: str) -> Middleware:
    """Make the middleware that answers OPTIONS and turns pages of other hosts away."""

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not request.path.startswith(prefix):
            return await handler(request)
        if request.method != hdrs.METH_OPTIONS:
            cors.check(request)
            return await handler(request)
        try:
            return await handler(request)
        except web.HTTPMethodNotAllowed as other:
            return _options(request, sorted({*other.allowed_methods, hdrs.METH_OPTIONS}))

    return guarded


def _options(request: web.Request, methods: list[str]) -> web.Response:
    headers = {hdrs.ALLOW: ", ".join(methods)}
    if hdrs.ACCESS_CONTROL_REQUEST_METHOD in request.headers:
        headers |= {
            hdrs.ACCESS_CONTROL_ALLOW_METHODS: ", ".join(methods),
            hdrs.ACCESS_CONTROL_ALLOW_HEADERS: TAKEN_HEADERS,
            hdrs.ACCESS_CONTROL_MAX_AGE: str(PREFLIGHT_S),
        }
    return web.Response(status=HTTPStatus.NO_CONTENT, headers=headers)
