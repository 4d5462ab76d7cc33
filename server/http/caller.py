"""Who sent a request: its address, and the identity that its token names.

Owns the `Authorization` header and what a request may spend. Made anew for every request; called by
the routes of the commands.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import hdrs, web

from canvas.placement import Placement
from canvas.refusals import Refusal
from server.access.auth import Unauthorized
from server.access.identity import Identity, Role
from server.http.problems import unauthorized
from server.session.allowance import Allowance, Bucket
from server.session.services import Services

BEARER = "Bearer "
ClientAddress = Callable[[str, str | None], str]
"""The client's address from the peer's and X-Forwarded-For."""


@dataclass(frozen=True, slots=True)
class HttpCaller:
    """Implements Caller for one request."""

    services: Services
    identity: Identity | None
    remote: str
    allowance: Allowance = field(repr=False)

    @property
    def user_id(self) -> str | None:
        """Who may place; None for a spectator."""
        return None if self.identity is None else self.identity.id

    @property
    def roles(self) -> frozenset[Role]:
        """Roles of the identity; none for a spectator."""
        return frozenset() if self.identity is None else self.identity.roles

    def charge(self, cost: int, bucket: Bucket = Bucket.MESSAGES) -> Refusal | None:
        """Pay from a bucket; a refusal costs nothing."""
        return self.allowance.charge(cost, bucket)

    def placement(
        self, x: int, y: int, color: int, generation: int | None, request: int | None, index: int
    ) -> Placement:
        """Say who asks for a pixel, and from where."""
        key = self.services.address_key(self.remote)
        who = self.user_id or ""
        return Placement(who, self.remote, key, x, y, color, generation, request, index)


@dataclass(frozen=True, slots=True)
class Callers:
    """Tells who sends each request."""

    services: Services
    client_address: ClientAddress

    async def of(self, request: web.Request) -> HttpCaller:
        """Tell who sends a request. Raises Problem (401) for a token that proves nothing."""
        services = self.services
        identity = self._identity(request)
        allowance = Allowance(services.rules.credits, services.clock)
        return HttpCaller(services, identity, remote_of(request, self.client_address), allowance)

    def _identity(self, request: web.Request) -> Identity | None:
        given = request.headers.get(hdrs.AUTHORIZATION)
        if given is None:
            return None
        if given[: len(BEARER)].lower() != BEARER.lower():
            raise unauthorized("only bearer tokens are taken here")
        try:
            identity = self.services.authenticator.verify(given[len(BEARER) :].strip())
        except Unauthorized as error:
            raise unauthorized(error.reason) from error
        if identity.guest and not self.services.rules.guests:
            raise unauthorized("guests are not let in here any more")
        return identity


def remote_of(request: web.Request, client_address: ClientAddress) -> str:
    """Tell the client's address; some proxies add a line of their own below what was sent."""
    forwarded_for = ", ".join(request.headers.getall(hdrs.X_FORWARDED_FOR, ()))
    return client_address(request.remote or "", forwarded_for)
