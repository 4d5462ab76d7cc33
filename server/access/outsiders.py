"""Who somebody is whom an outside issuer knows: from its claims to an identity of ours.

Owns the forms of ids, names and roles of outsiders. Ids of ours and of guests never begin as theirs
do. Pure: the signature, issuer, audience and times were checked before. Called by auth_outside.py.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from server.access.chosen_names import BLANK, looks_official, shows_something, spoils_the_line
from server.access.identity import (
    ID_FORM,
    MAX_NAME_CHARS,
    OUTSIDE_PREFIX,
    Identity,
    Role,
)

HASHED = "sha256:"
HASH_CHARS = 40
MAX_SUBJECT_CHARS = 255
"""As OpenID Connect bounds it."""
PLAIN_SUBJECT = re.compile(r"[A-Za-z0-9_.:@-]{1,60}")
NAME_CLAIMS = ("name", "preferred_username")
NAMELESS_CHARS = 4
MAX_ROLES = 256
OPERATORS = frozenset((Role.ADMIN, Role.MODERATOR))


def outsider(
    claims: Mapping[str, Any], *, roles_claim: str | None, token_id: str, expires_at_ms: int
) -> Identity:
    """Make an identity of verified claims. Raises ValueError, saying which claim is wrong."""
    user_id = _id_of(claims.get("sub"))
    roles = frozenset((Role.PLAYER,)) if roles_claim is None else _roles(claims, roles_claim)
    return Identity(
        id=user_id,
        name=_name(claims, user_id, roles),
        roles=roles,
        scopes=frozenset(),
        guest=False,
        token_id=token_id,
        expires_at_ms=expires_at_ms,
    )


def token_id_of(claims: Mapping[str, Any], token: str) -> str:
    """Name one token: as its issuer does, else by a hash of it."""
    given = claims.get("jti")
    if isinstance(given, str) and ID_FORM.fullmatch(given):
        return given
    return _hash(token)


def _id_of(subject: object) -> str:
    """Keep a subject of our form readable; hash any other, under a mark that no plain one has."""
    if not isinstance(subject, str) or not 1 <= len(subject) <= MAX_SUBJECT_CHARS:
        raise ValueError(f"sub is a text of 1 to {MAX_SUBJECT_CHARS} characters")
    if PLAIN_SUBJECT.fullmatch(subject) and not subject.startswith(HASHED):
        return OUTSIDE_PREFIX + subject
    return OUTSIDE_PREFIX + HASHED + _hash(subject)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_CHARS]


def _name(claims: Mapping[str, Any], user_id: str, roles: frozenset[Role]) -> str:
    """Take the first name that can be shown; people choose them at many issuers."""
    for claim in NAME_CLAIMS:
        name = _shown(claims.get(claim))
        if not shows_something(name) or spoils_the_line(name):
            continue
        if roles & OPERATORS or not looks_official(name):
            return name
    return f"Player {_hash(user_id)[:NAMELESS_CHARS]}"


def _shown(name: object) -> str:
    if not isinstance(name, str):
        return ""
    spaced = " ".join(name.split())
    seen = "".join(char for char in spaced if char.isprintable() and char not in BLANK)
    # Composed after the cut as well: a cut text may compose further.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", seen)[:MAX_NAME_CHARS]).strip()


def _roles(claims: Mapping[str, Any], claim: str) -> frozenset[Role]:
    """Read our roles out of a claim; other ones of the issuer's mean nothing here."""
    value = _claim(claims, claim)
    named = value.split() if isinstance(value, str) else [] if value is None else value
    if not isinstance(named, list) or len(named) > MAX_ROLES:
        raise ValueError(f"{claim} is a list of up to {MAX_ROLES} roles")
    known = {role.value: role for role in Role}
    ours = {known[role] for role in named if isinstance(role, str) and role in known}
    return frozenset((Role.PLAYER, *ours))


def _claim(claims: Mapping[str, Any], path: str) -> Any:
    """Find a claim by its name, or by the names of objects in objects: `realm_access.roles`."""
    if path in claims:
        return claims[path]
    found: Any = claims
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
