"""Signs and verifies the tokens of players, bots and guests.

Owns the form of tokens: JWT, HS256 and nothing else; issuer, audience, key id and expiry are
always there and always checked. Tokens of an outside issuer are passed on to auth_outside.py. Keeps
no state: revocation, bans and the limit on guests are asked elsewhere. Clock and chance are
arguments. Called by the commands, the HTTP side and `tesserae token`.

    Unauthorized            the token proves nothing; `reason` may be told to the peer
    ├── MalformedToken      no token of this form, or claims of a wrong kind
    ├── ForeignToken        signed with another secret, or made for something else
    └── ExpiredToken        was good once
"""

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import jwt

from server.access.guest_names import guest_name
from server.access.identity import GUEST_PREFIX, Identity, Role, identity_of, tidy_name
from server.access.secret import Secret

ALGORITHM = "HS256"
ISSUER = "tesserae"
AUDIENCE = "tesserae-game"
CLAIMS = ["iss", "aud", "exp", "iat", "jti", "sub", "name", "roles", "scopes", "guest"]
# Expiry is tested by our own clock, which is an argument; PyJWT would read the system's.
OPTIONS: Any = {
    "require": CLAIMS,
    "strict_aud": True,
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
}
MAX_TOKEN_CHARS = 4096
MAX_OUTSIDE_TOKEN_CHARS = 8192
"""Other issuers put more into theirs."""
GUEST_ID_BYTES = 10
TOKEN_ID_BYTES = 12
GUEST_TTL_S = 30 * 24 * 3600
MAX_TTL_S = 5 * 366 * 24 * 3600


class Unauthorized(Exception):  # noqa: N818 - it names the outcome, as its kinds do
    """A token proves nothing; `reason` is safe to tell the peer."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class MalformedToken(Unauthorized):
    """It is no token of this server's form."""


class ForeignToken(Unauthorized):
    """Somebody else signed it, or for something else."""


class ExpiredToken(Unauthorized):
    """Its time is over."""


@contextmanager
def judging(whose: str) -> Iterator[None]:
    """Turn what PyJWT raises of a token into Unauthorized; `whose` signature it should have."""
    try:
        yield
    except jwt.InvalidSignatureError as error:
        raise ForeignToken(f"the token's signature is not {whose}") from error
    except jwt.DecodeError as error:
        raise MalformedToken("this is no token") from error
    except jwt.InvalidTokenError as error:
        raise ForeignToken("the token was not made for this server") from error


class Outside(Protocol):
    """An issuer of other tokens that are taken, too."""

    async def prepare(self, token: str) -> None:
        """Have at hand what verifying needs. Raises IssuerAway."""
        ...

    def verify(self, token: str) -> Identity:
        """Tell whom a token names. Raises Unauthorized."""
        ...


class Authenticator:
    """Issues and verifies tokens with the key of one deployment."""

    def __init__(
        self,
        secret: Secret,
        wall_ms: Callable[[], int],
        chance: random.Random,
        outside: Outside | None = None,
    ) -> None:
        self._key = secret.key("token signature v1")
        self._key_id = secret.key("token key id v1")[:8].hex()
        self._wall_ms = wall_ms
        self._chance = chance
        self._outside = outside

    def issue(
        self, sub: str, name: str, roles: Iterable[Role], *, ttl_s: int, scopes: Iterable[str] = ()
    ) -> str:
        """Sign a token that is good for `ttl_s` seconds. Raises ValueError, saying what is wrong.

        Ids that begin with `g_` are guests' and are refused here.
        """
        claims = self._claims(sub, name, roles, scopes, ttl_s)
        identity_of(claims)
        return self._signed(claims)

    def mint_guest(self) -> tuple[Identity, str]:
        """Make up a guest, and the token by which it comes back later."""
        sub = GUEST_PREFIX + self._chance.randbytes(GUEST_ID_BYTES).hex()
        name = guest_name(self._chance)
        claims = self._claims(sub, name, [Role.PLAYER], (), GUEST_TTL_S) | {"guest": True}
        return identity_of(claims), self._signed(claims)

    def rename(self, identity: Identity, name: str) -> tuple[Identity, str]:
        """Give somebody another name, and the token that proves it as long as the old one would.

        The id of the token stays, too: revoking it takes both. Raises ValueError.
        """
        claims = self._claims(identity.id, name, identity.roles, identity.scopes, 1) | {
            "exp": identity.expires_at_ms // 1000,
            "jti": identity.token_id,
            "guest": identity.guest,
        }
        return identity_of(claims), self._signed(claims)

    async def prepare(self, token: str) -> None:
        """Await what `verify` needs for this token, which then is verified in one turn.

        Raises IssuerAway (auth_keys.py) when an outside issuer cannot be asked now.
        """
        if self._outside is not None and self._is_foreign(token):
            await self._outside.prepare(token)

    def verify(self, token: str) -> Identity:
        """Tell whom a token names. Raises Unauthorized."""
        if self._outside is not None and self._is_foreign(token):
            return self._outside.verify(token)
        if len(token) > MAX_TOKEN_CHARS or not token.isascii():
            raise MalformedToken("this is no token")
        claims = self._verified(token)
        try:
            identity = identity_of(claims)
        except ValueError as error:
            raise MalformedToken(f"the token is malformed: {error}") from error
        if self._wall_ms() >= identity.expires_at_ms:
            raise ExpiredToken("the token has expired")
        return identity

    def _is_foreign(self, token: str) -> bool:
        """Whether another key signed it; what is no token is judged as one of ours."""
        if len(token) > MAX_OUTSIDE_TOKEN_CHARS or not token.isascii():
            return False
        try:
            return jwt.get_unverified_header(token).get("kid") != self._key_id
        except jwt.InvalidTokenError:
            return False

    def _claims(
        self, sub: str, name: str, roles: Iterable[Role], scopes: Iterable[str], ttl_s: int
    ) -> dict[str, Any]:
        if not 1 <= ttl_s <= MAX_TTL_S:
            raise ValueError(f"a token lives from 1 to {MAX_TTL_S} seconds")
        now_s = self._wall_ms() // 1000
        return {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "iat": now_s,
            "exp": now_s + ttl_s,
            "jti": self._chance.randbytes(TOKEN_ID_BYTES).hex(),
            "sub": sub,
            "name": tidy_name(name),
            "roles": sorted(set(roles)),
            "scopes": sorted(set(scopes)),
            "guest": False,
        }

    def _signed(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self._key, ALGORITHM, headers={"kid": self._key_id})

    def _verified(self, token: str) -> dict[str, Any]:
        """Return the claims of a token that is ours."""
        with judging("ours"):
            if jwt.get_unverified_header(token).get("kid") != self._key_id:
                raise ForeignToken("the token was signed with another secret")
            return jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                audience=AUDIENCE,
                options=OPTIONS,
            )
