"""The operator's own port: health, readiness and metrics, and nothing that players use.

Owns what is shown there. Who may read the metrics is the same as on the public port. Made by app.py
when the configuration names such a port.
"""

from aiohttp import web

from server.config import Settings
from server.http import health
from server.http.app import bare
from server.session.services import Services

NOTHING_HERE = (
    "there is nothing here but /healthz, /readyz and /metrics; players use the other port"
)


def application(services: Services, settings: Settings) -> web.Application:
    """Put the routes together."""
    app, guard = bare(services, nothing_here=NOTHING_HERE), health.guard_of(settings)
    app.add_routes(health.routes(services.phase, guard))
    app.add_routes(health.metrics_routes(services.metrics, guard))
    return app
