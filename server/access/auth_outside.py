"""Verifies the tokens of an outside issuer, by the public keys that it names.

Owns what is asked of such a token: an algorithm from a short list that the key is made for, a key
id, the configured issuer and audience, times. Verifying is synchronous; a key that is not known yet
is looked up before, by `prepare`. Called by auth.py.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jwt

from server.access.auth import (
    MAX_OUTSIDE_TOKEN_CHARS,
    ExpiredToken,
    ForeignToken,
    MalformedToken,
    Unauthorized,
    judging,
)
from server.access.auth_keys import ALGORITHMS, MAX_KEY_ID_CHARS, KeySet
from server.access.identity import MAX_EXPIRY_S, Identity
from server.access.outsiders import outsider, token_id_of

ALLOWED = tuple(ALGORITHMS.values())
CLOCK_LEEWAY_S = 30
"""How far the issuer's clock and ours may be apart."""
# Times are tested by our own clock, which is an argument; PyJWT would read the system's.
OPTIONS: Any = {
    "require": ["iss", "aud", "exp", "sub"],
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
}


@dataclass(frozen=True, slots=True)
class OutsideRules:
    """What the operator says of the issuer."""

    issuer: str
    audience: str
    roles_claim: str | None


class OutsideIssuer:
    """One issuer that is trusted to say who people are."""

    def __init__(self, rules: OutsideRules, keys: KeySet, wall_ms: Callable[[], int]) -> None:
        self._rules = rules
        self._keys = keys
        self._wall_ms = wall_ms

    async def prepare(self, token: str) -> None:
        """Have the token's key at hand, if its issuer names it. Raises IssuerAway."""
        try:
            key_id, algorithm = _key_of(token)
        except Unauthorized:
            return  # `verify` says so
        await self._keys.look_up(key_id, algorithm)

    def verify(self, token: str) -> Identity:
        """Tell whom a token names. Raises Unauthorized."""
        key_id, algorithm = _key_of(token)
        key = self._keys.find(key_id, algorithm)
        if key is None:
            raise ForeignToken("the token was signed with a key that its issuer does not name")
        claims = self._verified(token, key, algorithm)
        expires_at_ms = self._checked_times(claims)
        try:
            return outsider(
                claims,
                roles_claim=self._rules.roles_claim,
                token_id=token_id_of(claims, token),
                expires_at_ms=expires_at_ms,
            )
        except ValueError as error:
            raise MalformedToken(f"the token is malformed: {error}") from error

    def _verified(self, token: str, key: jwt.PyJWK, algorithm: str) -> dict[str, Any]:
        with judging("its issuer's"):
            return jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                issuer=self._rules.issuer,
                audience=self._rules.audience,
                options=OPTIONS,
            )

    def _checked_times(self, claims: Mapping[str, Any]) -> int:
        """Test expiry and beginning; returns from when on the token counts for nothing, in ms."""
        now_ms, leeway_ms = self._wall_ms(), CLOCK_LEEWAY_S * 1000
        expires_at_ms = _time_ms(claims, "exp") + leeway_ms
        if now_ms >= expires_at_ms:
            raise ExpiredToken("the token has expired")
        if "nbf" in claims and now_ms < _time_ms(claims, "nbf") - leeway_ms:
            raise ForeignToken("the token is not valid yet")
        return expires_at_ms


def _key_of(token: str) -> tuple[str, str]:
    """Read which key a token says that it was signed with, and how."""
    if len(token) > MAX_OUTSIDE_TOKEN_CHARS or not token.isascii():
        raise MalformedToken("this is no token")
    try:
        header = jwt.get_unverified_header(token)
    except jwt.InvalidTokenError as error:
        raise MalformedToken("this is no token") from error
    key_id, algorithm = header.get("kid"), header.get("alg")
    if not isinstance(key_id, str) or not 1 <= len(key_id) <= MAX_KEY_ID_CHARS:
        raise ForeignToken("the token does not say which key signed it")
    if algorithm not in ALLOWED or "crit" in header:
        raise ForeignToken(f"tokens of the outside issuer are signed with {_ALLOWED_WORDS}")
    return key_id, algorithm


_ALLOWED_WORDS = " or ".join(ALLOWED)


def _time_ms(claims: Mapping[str, Any], name: str) -> int:
    """Read a time in seconds since the epoch, which JSON may write with decimals."""
    value = claims[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value < MAX_EXPIRY_S:
        raise MalformedToken(f"the token is malformed: {name} is no time in seconds")
    return int(value * 1000)
