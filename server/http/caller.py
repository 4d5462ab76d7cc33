"""Who sent a request: its address, and the identity that its token names.

Owns the `Authorization` header and what a request may spend. Made anew for every request; called by
the routes of the commands.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from aiohttp import hdrs, web

from canvas.placement import Placement
from canvas.refusals import Refusal
from server.access.addresses import client_address
from server.access.auth import Unauthorized
from server.access.auth_keys import IssuerAway
from server.access.identity import Identity, Role
from server.commands.identify import verified
from server.commands.registry import refused
from server.config import Settings
from server.game.game import Game
from server.http.problems import problem_of, unauthorized, unavailable
from server.http.purses import HttpPurse, Purses
from server.http.rate_headers import Limit, cooldown_limit, limit_of
from server.session.allowance import Bucket
from server.session.services import Services

BEARER = "Bearer "
PAID_FROM = web.RequestKey("PAID_FROM", tuple[HttpPurse, Bucket])
COOLDOWN_OF = web.RequestKey("COOLDOWN_OF", tuple[Game, str | None])
"""Notes on a request, for the headers of its response."""
ClientAddress = Callable[[str, str | None], str]
"""The client's address from the peer's and X-Forwarded-For."""


@dataclass(frozen=True, slots=True)
class HttpCaller:
    """Implements Caller for one request."""

    services: Services
    identity: Identity | None
    remote: str
    allowance: HttpPurse = field(repr=False)

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
    purses: Purses

    async def of(self, request: web.Request) -> HttpCaller:
        """Tell who sends a request. Raises Problem (401) for a token that proves nothing."""
        remote = remote_of(request, self.client_address)
        try:
            identity = await self._identity(request.headers.get(hdrs.AUTHORIZATION))
        except IssuerAway as away:
            pay(request, self.purses.of_address(remote))
            raise unavailable(str(away), away.retry_after_ms) from away
        except Unauthorized as error:
            # Else trying tokens would be free.
            pay(request, self.purses.of_address(remote))
            raise unauthorized(error.reason) from error
        purse = self._purse(identity, remote)
        return HttpCaller(self.services, identity, remote, purse)

    def _purse(self, identity: Identity | None, remote: str) -> HttpPurse:
        if identity is None:
            return self.purses.of_address(remote)
        return self.purses.of_user(identity.id)

    async def _identity(self, given: str | None) -> Identity | None:
        if given is None:
            return None
        if given[: len(BEARER)].lower() != BEARER.lower():
            raise Unauthorized("only bearer tokens are taken here")
        token = given[len(BEARER) :].strip()
        await self.services.authenticator.prepare(token)
        return verified(self.services, token)


def client_address_of(settings: Settings) -> ClientAddress:
    """Believe the proxies that the settings trust."""
    return partial(client_address, trusted=settings.trusted_proxies)


def remote_of(request: web.Request, client_address: ClientAddress) -> str:
    """Tell the client's address; some proxies add a line of their own below what was sent."""
    forwarded_for = ", ".join(request.headers.getall(hdrs.X_FORWARDED_FOR, ()))
    return client_address(request.remote or "", forwarded_for)


def pay(
    request: web.Request, purse: HttpPurse, cost: int = 1, bucket: Bucket = Bucket.MESSAGES
) -> None:
    """Pay for a request, and let its response tell what is left. Raises Problem (429)."""
    refusal = charge(request, purse, cost, bucket)
    if refusal is not None:
        raise problem_of(refused(refusal))


def charge(request: web.Request, purse: HttpPurse, cost: int, bucket: Bucket) -> Refusal | None:
    """Pay as `pay` does, or give the refusal."""
    request[PAID_FROM] = (purse, bucket)
    return purse.charge(cost, bucket)


def show_cooldown(request: web.Request, caller: HttpCaller, game: Game) -> None:
    """Let the response tell what is left of a game's cooldown, too."""
    request[COOLDOWN_OF] = (game, caller.user_id)


def limits_of(request: web.Request) -> list[Limit]:
    """Tell the limits that a request has met, as they stand now; none where nothing was paid."""
    found: list[Limit | None] = []
    if PAID_FROM in request:
        found.append(limit_of(*request[PAID_FROM]))
    if COOLDOWN_OF in request:
        game, user_id = request[COOLDOWN_OF]
        found.append(cooldown_limit(game.cooldown_of(user_id)))
    return [limit for limit in found if limit is not None]
