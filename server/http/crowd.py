"""The crowd: how many requests are answered at once, of everybody and of each address.

Owns what those are told who come too many. A request counts from its head to the end of its
response, so that neither slow bodies nor slow readers of one address take every place. Called by
the application, before anything else looks at a request.
"""

from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from server.access.limits import ConnectionLimits, TooMany
from server.http import problems
from server.http.caller import ClientAddress, remote_of

MAX_AT_ONCE = 1000
RETRY_MS = 2_000
SCOPE = "requests-at-once"


def middleware(
    limits: ConnectionLimits, client_address: ClientAddress, uncounted: frozenset[str]
) -> Middleware:
    """Make the middleware that counts requests; those of `uncounted` paths are answered anyway."""

    @web.middleware
    async def counted(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in uncounted:
            return await handler(request)
        remote = remote_of(request, client_address)
        too_many = limits.join(remote)
        if too_many is not None:
            return _turned_away(too_many)
        try:
            return await handler(request)
        finally:
            limits.leave(remote)

    return counted


def _turned_away(too_many: TooMany) -> web.Response:
    headers: dict[str, str] = {hdrs.RETRY_AFTER: problems.retry_after(RETRY_MS)}
    extra = {"retryAfterMs": RETRY_MS}
    if too_many is TooMany.OF_SERVER:
        text = "too many requests at once; try again in a moment"
        return problems.response(HTTPStatus.SERVICE_UNAVAILABLE, text, headers, extra)
    text = "your address has too many requests at once; wait for their answers before more"
    of_address = {**extra, "scope": SCOPE}
    return problems.response(HTTPStatus.TOO_MANY_REQUESTS, text, headers, of_address)
