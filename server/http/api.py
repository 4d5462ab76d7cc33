"""The API: what is below `/api/`, and the headers that all of its responses carry.

Owns the list of its routes. Called by the application.
"""

from aiohttp import hdrs, web

from server.access.limits import CreditRule
from server.commands.all import COMMANDS
from server.config import Settings
from server.http import commands, cors
from server.http.boards import canvas_bin, canvas_png, preview
from server.http.bodies import Outbox
from server.http.caller import Callers, client_address_of, limits_of
from server.http.openapi import route
from server.http.purses import Purses
from server.http.rate_headers import RATE_HEADERS, rate_headers
from server.session.services import Services

PREFIX = "/api/"
EXPOSED = ", ".join((hdrs.ETAG, hdrs.RETRY_AFTER, *RATE_HEADERS, *canvas_bin.OWN_HEADERS))
"""Headers that pages of other hosts may read."""


def routes(services: Services, settings: Settings) -> list[web.RouteDef]:
    """Give all routes."""
    outbox, callers = Outbox(), _callers(services, settings)
    return [
        *commands.routes(COMMANDS, callers),
        *canvas_bin.routes(callers, outbox),
        *canvas_png.routes(callers, outbox),
        *preview.routes(callers),
        *route.routes(COMMANDS),
    ]


def _callers(services: Services, settings: Settings) -> Callers:
    rule = CreditRule(settings.http_rate, settings.http_burst)
    purses = Purses(rule, services.clock, settings.address_exceptions)
    return Callers(services, client_address_of(settings), purses)


def guard(app: web.Application, settings: Settings) -> None:
    """Let all responses tell their limits, and pages of other hosts only read."""
    rules = cors.Cors(
        frozenset(settings.cors_origins),
        frozenset(settings.origins),
        settings.origin_required,
        EXPOSED,
    )

    async def tell(request: web.Request, response: web.StreamResponse) -> None:
        if request.path.startswith(PREFIX):
            response.headers.update(rules.headers_of(request))
            response.headers.update(rate_headers(limits_of(request)))
            if cors.ALL not in rules.readers:
                response.headers.add(hdrs.VARY, hdrs.ORIGIN)

    app.middlewares.append(cors.middleware(rules, PREFIX))
    app.on_response_prepare.append(tell)
