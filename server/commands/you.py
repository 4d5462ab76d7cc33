"""Who somebody is, as replies and the event `you` tell it.

Owns the shape and the value, which are the same wherever they are told.
"""

from typing import Any

from server.access.identity import Identity
from server.commands.registry import Reply


class Person(Reply):
    """An identity."""

    id: str
    name: str
    roles: list[str]
    anonymous: bool
    expires_at: int
    """Milliseconds since the epoch, from when on the token counts for nothing."""
    token: str | None = None
    """There when it was made just now: keep it in place of any older one."""


def person(identity: Identity, token: str | None) -> dict[str, Any]:
    """Tell who somebody is."""
    return {
        "id": identity.id,
        "name": identity.name,
        "roles": sorted(identity.roles),
        "anonymous": False,
        "expiresAt": identity.expires_at_ms,
        **({} if token is None else {"token": token}),
    }
