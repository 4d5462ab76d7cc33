"""`/healthz`, `/readyz` and `/metrics`: for those who run the server.

Owns who may read the metrics: this machine itself, or whoever has the token. The readiness is the
phase's, the numbers are the metrics'. Called by the public side and by the operator's.
"""

import hmac
from dataclasses import dataclass
from ipaddress import ip_address

import orjson
from aiohttp import hdrs, web

from server.config import Settings
from server.http.caller import BEARER, ClientAddress, client_address_of, remote_of
from server.http.problems import unauthorized, unavailable
from server.phase import Phase, Stage
from server.telemetry.metrics import CONTENT_TYPE, Metrics

HEALTHZ, READYZ = "/healthz", "/readyz"
UNTOLD = "placements are not taken for now; the server's log tells why, and what helps"
FORWARDED = (
    hdrs.X_FORWARDED_FOR,
    hdrs.X_FORWARDED_HOST,
    hdrs.X_FORWARDED_PROTO,
    hdrs.FORWARDED,
    hdrs.VIA,
    "X-Real-IP",
)
"""Any of them tells that a proxy passed the request on."""


@dataclass(frozen=True, slots=True)
class MetricsGuard:
    """Who may read the metrics."""

    token: str | None
    client_address: ClientAddress

    def check(self, request: web.Request) -> None:
        """Raise Problem (401 or 403) unless the client may."""
        given = request.headers.get(hdrs.AUTHORIZATION, "")
        if self.token is not None and given.startswith(BEARER):
            # Headers are bytes to aiohttp: what is no UTF-8 in them comes as surrogates.
            sent = given.removeprefix(BEARER).encode(errors="surrogateescape")
            if hmac.compare_digest(sent, self.token.encode()):
                return
            raise unauthorized("this is not the metrics token")
        if not self.is_local(request):
            raise unauthorized("metrics are for this machine, or with TESSERAE_METRICS_TOKEN set")

    def is_local(self, request: web.Request) -> bool:
        """Whether the client is this machine, as far as trusted proxies tell."""
        client = remote_of(request, self.client_address)
        believed = client != self.client_address(request.remote or "", None)
        if not believed and any(name in request.headers for name in FORWARDED):
            return False  # a proxy on this machine that is not trusted speaks for somebody else
        try:
            return ip_address(client).is_loopback
        except ValueError:
            return False


def guard_of(settings: Settings) -> MetricsGuard:
    """Make the guard that the settings ask for."""
    token = settings.metrics_token
    given = None if token is None else token.get_secret_value()
    return MetricsGuard(given, client_address_of(settings))


def routes(phase: Phase, guard: MetricsGuard) -> list[web.RouteDef]:
    """Give the routes that tell how the server is."""

    async def healthz(_request: web.Request) -> web.Response:
        return _status({"status": "alive", "stage": phase.stage.value})

    async def readyz(request: web.Request) -> web.Response:
        if not phase.takes_placements:
            # A fault of the store names files of this machine: for the operator alone.
            may_know = phase.stage is not Stage.READY or guard.is_local(request)
            reason = phase.reason if may_know else UNTOLD
            raise unavailable(reason, phase.retry_after_ms)
        return _status({"status": "ready"})

    return [web.get(HEALTHZ, healthz), web.get(READYZ, readyz)]


def metrics_routes(metrics: Metrics, guard: MetricsGuard) -> list[web.RouteDef]:
    """Give the route of the metrics."""

    async def show_metrics(request: web.Request) -> web.Response:
        guard.check(request)
        return web.Response(body=metrics.text(), headers={hdrs.CONTENT_TYPE: CONTENT_TYPE})

    return [web.get("/metrics", show_metrics)]


def _status(fields: dict[str, str]) -> web.Response:
    headers = {hdrs.CACHE_CONTROL: "no-store"}
    return web.Response(body=orjson.dumps(fields), content_type="application/json", headers=headers)
