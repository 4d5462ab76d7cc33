"""Who asks, over whichever way: what a command may know and use of it.

Owns the shape alone, so that a command is written once for WebSocket and HTTP. A `Session` is one
for as long as its connection lasts, server/http/caller.py makes one for a single request.
"""

from typing import Any, Protocol

from canvas.placement import Placement
from canvas.refusals import Refusal
from server.access.identity import Identity, Role
from server.session.allowance import Bucket
from server.session.services import Services


class Purse(Protocol):
    """What is left to ask with."""

    def to_json(self) -> dict[str, Any]:
        """What is left in each bucket and when it is full again; empty when there is no limit."""
        ...


class Caller(Protocol):
    """Whoever sent a command."""

    @property
    def services(self) -> Services:
        """What all commands stand on."""
        ...

    @property
    def identity(self) -> Identity | None:
        """Who it is; None for a spectator."""
        ...

    @property
    def user_id(self) -> str | None:
        """Who may place; None for a spectator."""
        ...

    @property
    def roles(self) -> frozenset[Role]:
        """Roles of the identity; none for a spectator."""
        ...

    @property
    def remote(self) -> str:
        """The client's address, as the trusted proxies tell it."""
        ...

    @property
    def allowance(self) -> Purse:
        """What is left to ask with."""
        ...

    def charge(self, cost: int, bucket: Bucket = ...) -> Refusal | None:
        """Pay from a bucket; a refusal costs nothing."""
        ...

    def placement(
        self, x: int, y: int, color: int, generation: int | None, request: int | None, index: int
    ) -> Placement:
        """Say who asks for a pixel, and from where."""
        ...
