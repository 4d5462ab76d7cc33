"""The API: what is below `/api/`, and the headers that all of its responses carry.

Owns the list of its routes, and which pages of other hosts may read it. Called by the application.
"""

from collections.abc import Mapping

from aiohttp import hdrs, web

from server.access.limits import CreditRule
from server.commands.all import COMMANDS
from server.config import Settings
from server.http import canvas_bin, canvas_png, commands, preview
from server.http.bodies import Outbox
from server.http.caller import Callers, client_address_of, limits_of
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
    ]


def _callers(services: Services, settings: Settings) -> Callers:
    rule = CreditRule(settings.http_rate, settings.http_burst)
    purses = Purses(rule, services.clock, settings.address_exceptions)
    return Callers(services, client_address_of(settings), purses)


def headers_of(request: web.Request) -> Mapping[str, str]:
    """Give what goes with the response to a request: limits, and who may read it."""
    return {
        # What everybody may read, pages of other hosts may too; there are no cookies to abuse.
        hdrs.ACCESS_CONTROL_ALLOW_ORIGIN: "*",
        hdrs.ACCESS_CONTROL_EXPOSE_HEADERS: EXPOSED,
        **rate_headers(limits_of(request)),
    }
