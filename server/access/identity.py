"""Who somebody is: the value, and what ids, names, roles and scopes may look like.

Pure. It signs and verifies nothing: that is auth.py's. Every check raises ValueError whose text
completes "the token's …". Made by auth.py, carried by the session, read by commands.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

MAX_NAME_CHARS = 32
MAX_SCOPES = 16
GUEST_PREFIX = "g_"
OUTSIDE_PREFIX = "ext:"
"""Begins the ids of those whom an outside issuer knows, and only theirs."""
MAX_EXPIRY_S = 1 << 40
"""Keeps the expiry in ms within what every client can count."""

ID_FORM = re.compile(r"[A-Za-z0-9_.:@-]{1,64}")
SCOPE_FORM = re.compile(r"[a-z0-9:._-]{1,64}")


class Role(StrEnum):
    """What somebody is here; a token may name several."""

    PLAYER = "player"
    MODERATOR = "moderator"
    ADMIN = "admin"
    BOT = "bot"


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody that a valid token names."""

    id: str
    name: str
    roles: frozenset[Role]
    scopes: frozenset[str]
    guest: bool
    token_id: str
    """Names this one token, so that it can be revoked."""
    expires_at_ms: int
    """Wall clock, ms since the epoch; from then on the token counts for nothing."""


def identity_of(claims: Mapping[str, Any]) -> Identity:
    """Check the claims of a token, each of which must be there. Raises ValueError."""
    identity = Identity(
        id=checked_id(claims["sub"]),
        name=checked_name(claims["name"]),
        roles=_roles(claims["roles"]),
        scopes=_scopes(claims["scopes"]),
        guest=_guest(claims["guest"]),
        token_id=checked_id(claims["jti"]),
        expires_at_ms=_expiry_s(claims["exp"]) * 1000,
    )
    if identity.guest != identity.id.startswith(GUEST_PREFIX):
        raise ValueError(f"ids that begin with {GUEST_PREFIX} are for guests, and only they")
    if identity.id.startswith(OUTSIDE_PREFIX):
        raise ValueError(f"ids that begin with {OUTSIDE_PREFIX} are for an outside issuer's people")
    return identity


def checked_id(value: object) -> str:
    """Check an id: 1 to 64 of A-Z a-z 0-9 _ . : @ -. Raises ValueError."""
    if not isinstance(value, str) or not ID_FORM.fullmatch(value):
        raise ValueError("an id is 1 to 64 of the characters A-Z a-z 0-9 _ . : @ -")
    return value


def checked_name(value: object) -> str:
    """Check a name: 1 to 32 printable characters, trimmed, in normal form. Raises ValueError.

    Characters that turn the direction of text or show nothing are not printable.
    """
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_NAME_CHARS:
        raise ValueError(f"a name is 1 to {MAX_NAME_CHARS} characters")
    if not value.isprintable() or tidy_name(value) != value:
        raise ValueError("a name is printable, without space at its ends")
    return value


def tidy_name(value: str) -> str:
    """Trim a name and bring it into Unicode's composed form, so that equal looks are equal."""
    return unicodedata.normalize("NFC", value.strip())


def _roles(value: object) -> frozenset[Role]:
    known = {role.value: role for role in Role}
    if not isinstance(value, list) or not 1 <= len(value) <= len(known):
        raise ValueError("roles are a list of one or more")
    if not all(isinstance(role, str) and role in known for role in value):
        raise ValueError(f"a role is one of {', '.join(known)}")
    return frozenset(known[role] for role in value)


def _scopes(value: object) -> frozenset[str]:
    if not isinstance(value, list) or len(value) > MAX_SCOPES:
        raise ValueError(f"scopes are a list of up to {MAX_SCOPES}")
    if not all(isinstance(scope, str) and SCOPE_FORM.fullmatch(scope) for scope in value):
        raise ValueError("a scope is 1 to 64 of the characters a-z 0-9 : . _ -")
    return frozenset(value)


def _guest(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("guest is true or false")  # noqa: TRY004 - one kind of error for claims
    return value


def _expiry_s(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < MAX_EXPIRY_S:
        raise ValueError("the expiry is a number of seconds since the epoch")
    return value
