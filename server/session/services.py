"""What sessions, commands and HTTP stand on: one frozen value, made by app.py.

Owns nothing by itself; every field says who does. Unit tests build one of real parts over a store
in memory.
"""

from collections.abc import Callable
from dataclasses import dataclass

from canvas.bans import Bans
from persistence.ports import Blobs, Journal
from server.access.auth import Authenticator
from server.access.entry import Entry
from server.access.limits import ConnectionLimits, CreditRule, GuestLimit
from server.access.renames import RenameLimit
from server.audience.connection_registry import ConnectionRegistry
from server.audience.presence_service import PresenceService
from server.audience.sessions import Sessions
from server.clock import Clock
from server.game.game import Games
from server.hosting.host import Host
from server.hosting.steward import Steward
from server.hub.hub import Hub
from server.phase import Phase
from server.telemetry.metrics import Metrics

OnFault = Callable[[str, Exception], None]
"""Log an unexpected exception, once, with what was being done."""


@dataclass(frozen=True, slots=True)
class SessionRules:
    """The settings that a session goes by."""

    server: str
    """What `hello` says of the software: name and version."""
    ping_ms: int
    max_message_bytes: int
    credits: CreditRule
    guests: bool


@dataclass(frozen=True, slots=True)
class Services:
    """All of them."""

    clock: Clock
    phase: Phase
    rules: SessionRules
    games: Games
    """Those that run."""
    host: Host
    """Knows of all others, and brings one to life when somebody asks for it."""
    steward: Steward
    hub: Hub
    journal: Journal
    blobs: Blobs
    sessions: Sessions
    presence: PresenceService
    connection_registry: ConnectionRegistry
    authenticator: Authenticator
    entry: Entry
    connection_limits: ConnectionLimits
    guest_limit: GuestLimit
    rename_limit: RenameLimit
    bans: Bans
    address_key: Callable[[str], str]
    """What the cooldown budget and the journal know of an address; empty for exempt networks."""
    metrics: Metrics
    on_fault: OnFault
