"""The HTTP side: one aiohttp application, which answers one request a connection.

Owns the list of routes and what holds for every response: closing the connection (the door sees
each request of a client, so that none is smuggled past it), safety headers, a time limit. It
listens on no port: the door hands connections over. Made by app.py, started by lifecycle.py.
"""

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from server.access.limits import ConnectionLimits
from server.config import Settings
from server.http import api, crowd, gauges, health, pages, problems
from server.http.quiet import quiet
from server.session.services import Services
from server.telemetry.metrics import Metrics

LONGEST_RESPONSE = 120.0
"""Seconds for a whole response: 32 MB over a line of 2 Mbit/s."""
UNCOUNTED = frozenset({health.HEALTHZ, health.READYZ})
"""Answered in any crowd: who supervises the server would end it, while it only has much to do."""
SHUTDOWN_TIMEOUT = 1.0

ResponseHook = Callable[[web.Request, web.StreamResponse], Awaitable[None]]


class HttpSide:
    """An application and its runner."""

    def __init__(self, app: web.Application) -> None:
        self._runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=SHUTDOWN_TIMEOUT,
            keepalive_timeout=0.0,
            logger=quiet,
            auto_decompress=False,
        )

    async def start(self) -> None:
        """Make ready to take connections."""
        await self._runner.setup()

    def make_protocol(self) -> asyncio.Protocol:
        """Make the handler of one connection. Raises RuntimeError before `start`."""
        server = self._runner.server
        if server is None:
            raise RuntimeError("the HTTP side takes no connections yet: start it first")
        return server()

    async def stop(self) -> None:
        """End what is still being answered."""
        await self._runner.cleanup()


def application(services: Services, settings: Settings) -> web.Application:
    """Put the public routes together; what comes first is looked at first."""
    guard = health.guard_of(settings)
    app = bare(services, crowd.middleware(_limits(settings), guard.client_address, UNCOUNTED))
    gauges.show(services)
    app.add_routes(health.routes(services.phase, guard))
    if settings.admin_listen is None:
        app.add_routes(health.metrics_routes(services.metrics, guard))
    api.guard(app, settings)
    app.add_routes(api.routes(services, settings))
    app.add_routes(pages.routes(pages.load_assets(), settings.trusted_proxies))
    return app


def _limits(settings: Settings) -> ConnectionLimits:
    return ConnectionLimits(
        crowd.MAX_AT_ONCE, settings.max_connections_per_address, settings.address_exceptions
    )


def bare(
    services: Services, *middlewares: Middleware, nothing_here: str = problems.NOTHING_HERE
) -> web.Application:
    """Make an application without routes, with what holds for every response."""
    answer_errors = problems.middleware(services.on_fault, nothing_here)
    app = web.Application(middlewares=[*middlewares, _in_time, answer_errors])
    app.on_response_prepare.append(_close_and_protect)
    app.on_response_prepare.append(_counting(services.metrics))
    return app


async def _close_and_protect(_request: web.Request, response: web.StreamResponse) -> None:
    response.force_close()
    response.headers[hdrs.CONNECTION] = "close"
    response.headers[hdrs.SERVER] = "tesserae"  # aiohttp would tell its version and Python's
    response.headers["X-Content-Type-Options"] = "nosniff"


def _counting(metrics: Metrics) -> ResponseHook:
    async def count(_request: web.Request, response: web.StreamResponse) -> None:
        metrics.responses[response.status] += 1

    return count


@web.middleware
async def _in_time(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        async with asyncio.timeout(LONGEST_RESPONSE):
            return await handler(request)
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()
        return web.Response()  # nobody hears it; an error would only fill the log
