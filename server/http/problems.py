"""Errors over HTTP: problem details (RFC 9457) in JSON, each with its remedy.

Owns their one form and the middleware that turns every error into it. `code` is the protocol's name
of the error, and what a reply over WebSocket has beside code and message stands beside it. Called
by the routes, and by aiohttp for what no route took.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from server.commands.registry import Failed
from server.http.statuses import STATUS_OF, code_of
from server.session.services import OnFault
from server.wire.codes import ErrorCode

PROBLEM_TYPE = "application/problem+json"
WAITS = ("retryAfterMs", "leftMs")
NOTHING_HERE = "there is nothing here; GET api/games lists the games"


class Problem(Exception):  # noqa: N818 - the standard's name for it
    """An error that a route raises; `detail` tells the remedy."""

    def __init__(
        self,
        status: HTTPStatus,
        detail: str,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers
        self.extra = extra


def problem_of(failed: Failed) -> Problem:
    """Tell why a command was not carried out."""
    status = STATUS_OF[failed.code]
    extra = {"code": failed.code, **failed.extra}
    return Problem(status, failed.message, _headers_of(status, failed.extra), extra)


def _headers_of(status: HTTPStatus, extra: Mapping[str, Any]) -> dict[str, str]:
    if status is HTTPStatus.UNAUTHORIZED:
        return {hdrs.WWW_AUTHENTICATE: "Bearer"}
    if status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
        wait_ms = next((extra[name] for name in WAITS if extra.get(name)), None)
        return {} if wait_ms is None else {hdrs.RETRY_AFTER: retry_after(wait_ms)}
    return {}


def retry_after(wait_ms: int) -> str:
    """Give a delay in whole seconds, never too short."""
    return str(max(1, -(-wait_ms // 1000)))


def unavailable(detail: str, retry_after_ms: int) -> Problem:
    """Say that the same request may succeed a little later."""
    headers: dict[str, str] = {hdrs.RETRY_AFTER: retry_after(retry_after_ms)}
    extra = {"retryAfterMs": retry_after_ms}
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers, extra)


def unauthorized(reason: str) -> Problem:
    """Say that a token is wrong or missing."""
    return problem_of(
        Failed(ErrorCode.UNAUTHORIZED, f"{reason}; send the header Authorization: Bearer TOKEN")
    )


def bad_field(field: str, wrong: str) -> Problem:
    """Say which field, parameter or header of a request is wrong, and how."""
    return Problem(HTTPStatus.BAD_REQUEST, f"{field}: {wrong}", extra={"field": field})


def response(
    status: HTTPStatus,
    detail: str,
    headers: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> web.Response:
    """Render an error."""
    body = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
        "code": code_of(status),
        **(extra or {}),
    }
    return web.Response(
        status=status,
        body=orjson.dumps(body),
        content_type=PROBLEM_TYPE,
        headers={**(headers or {}), hdrs.CACHE_CONTROL: "no-store"},
    )


def middleware(on_fault: OnFault, nothing_here: str = NOTHING_HERE) -> Middleware:
    """Make the middleware that answers for everything that is raised, and for wrong addresses."""

    @web.middleware
    async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except Problem as problem:
            return response(problem.status, problem.detail, problem.headers, problem.extra)
        except web.HTTPException as error:
            return _plain(error, nothing_here)
        except Exception as fault:
            if isinstance(fault, ConnectionError) and _is_gone(request):
                raise  # there is nobody to tell
            on_fault(f"answering {request.path}", fault)
            return response(
                HTTPStatus.INTERNAL_SERVER_ERROR, "this failed here; it is safe to try again"
            )

    return answer_errors


def _is_gone(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def _plain(error: web.HTTPException, nothing_here: str) -> web.Response:
    """Render an error of aiohttp's router."""
    status = HTTPStatus(error.status)
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return response(status, f"only {allowed} are answered here", {hdrs.ALLOW: allowed})
    detail = nothing_here if status is HTTPStatus.NOT_FOUND else error.reason
    return response(status, detail)
