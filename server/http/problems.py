"""Errors over HTTP: problem details (RFC 9457) in JSON, each with its remedy.

Owns their one form and the middleware that turns every error into it. Called by the routes, and by
aiohttp for what no route took.
"""

from collections.abc import Mapping
from http import HTTPStatus

import orjson
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from server.session.services import OnFault

PROBLEM_TYPE = "application/problem+json"
METHODS = ("GET", "HEAD")

_REMEDIES = {
    HTTPStatus.NOT_FOUND: "there is nothing here; GET api/games lists the games",
    HTTPStatus.METHOD_NOT_ALLOWED: "only GET and HEAD are answered here",
}


class Problem(Exception):  # noqa: N818 - the standard's name for it
    """An error that a route raises; `detail` tells the remedy."""

    def __init__(
        self, status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers


def unavailable(detail: str, retry_after_ms: int) -> Problem:
    """Say that the same request may succeed a little later."""
    seconds = max(1, -(-retry_after_ms // 1000))
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, detail, {"Retry-After": str(seconds)})


def response(
    status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Render an error."""
    body = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
    }
    return web.Response(
        status=status,
        body=orjson.dumps(body),
        content_type=PROBLEM_TYPE,
        headers={**(headers or {}), "Cache-Control": "no-store"},
    )


def middleware(on_fault: OnFault) -> Middleware:
    """Make the middleware that answers for everything that is raised."""

    @web.middleware
    async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.method not in METHODS:
            status = HTTPStatus.METHOD_NOT_ALLOWED
            return response(status, _REMEDIES[status], {"Allow": ", ".join(METHODS)})
        try:
            return await handler(request)
        except Problem as problem:
            return response(problem.status, problem.detail, problem.headers)
        except web.HTTPException as error:
            status = HTTPStatus(error.status)
            return response(status, _REMEDIES.get(status, error.reason))
        except (TimeoutError, ConnectionError):
            raise  # the client is gone or does not read; there is nobody to tell
        except Exception as fault:  # noqa: BLE001 - the edge: told to the peer and logged, once
            on_fault(f"answering {request.path}", fault)
            return response(
                HTTPStatus.INTERNAL_SERVER_ERROR, "this failed here; it is safe to try again"
            )

    return answer_errors
