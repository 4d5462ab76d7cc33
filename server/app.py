"""The composition root: from the frozen settings to a server that runs until it is told to stop.

The only place that knows every part. `compose` is a flat list of what stands on what; when things
happen is lifecycle.py's. Called by `tesserae serve`.
"""

import asyncio
import random
from collections.abc import Callable

from canvas.address import AddressPolicy
from canvas.bans import Bans
from persistence.leased import leased
from persistence.patient import patient
from persistence.ports import Store
from persistence.timed import timed
from server import __version__
from server.access.addresses import address_hasher, is_exempt
from server.access.auth import Authenticator
from server.access.auth_keys import KeyEvents, KeySet
from server.access.auth_outside import OutsideIssuer, OutsideRules
from server.access.entry import Everybody
from server.access.limits import ConnectionLimits, CreditRule, GuestLimit
from server.access.renames import RenameLimit
from server.access.secret import Secret, open_secret
from server.audience.connection_registry import ConnectionRegistry
from server.audience.presence_service import PresenceService
from server.audience.sessions import Sessions
from server.audience.watcher_counts import WatcherCounts
from server.clock import Clock, SystemClock
from server.config import Settings
from server.entrances import entrances
from server.founding import Founding, read_founding
from server.game.game import Games
from server.hosting.host import Host, HostEvents, HostSettings, Stores
from server.hosting.steward import Steward
from server.http.key_fetch import key_fetch
from server.hub.hub import Hub, HubSettings
from server.lifecycle import Lifecycle, Parts
from server.loop import choose_loop, run_on
from server.openers import open_store
from server.operator_log import OperatorLog
from server.phase import Phase
from server.recovery.recovery import RecoverySettings
from server.session.services import Services, SessionRules
from server.tasks import Tasks
from server.telemetry.logs import get_logger, set_up_logs
from server.telemetry.metrics import Metrics
from server.transport.broadcast import choose_broadcast
from server.transport.settings import TransportSettings

MS = 1000.0
MB = 1_000_000


def run(settings: Settings) -> int:
    """Serve until stopped; returns the exit code. Raises what `exits.report` explains."""
    secret = open_secret(settings)
    founding = read_founding(settings)
    set_up_logs(settings.log_format, settings.log_level, secrets=_secrets_of(settings, secret))
    choice = choose_loop()
    get_logger("server").info(
        "starting", version=__version__, loop=choice.name, store=settings.store
    )
    return run_on(choice, serve(settings, secret, founding, SystemClock()))


async def serve(settings: Settings, secret: Secret, founding: Founding, clock: Clock) -> int:
    """Open the store, serve, and close it; returns the exit code."""
    log = OperatorLog(get_logger("server"), Phase(), Metrics())
    async with open_store(settings, clock, log.opening_events(clock.monotonic_ms)) as store:
        return await compose(settings, secret, founding, clock, store, log).run()


def compose(
    settings: Settings,
    secret: Secret,
    founding: Founding,
    clock: Clock,
    store: Store,
    log: OperatorLog,
) -> Lifecycle:
    """Put the parts together; nothing runs yet."""
    chance = random.SystemRandom()
    asyncio.get_running_loop().set_exception_handler(log.loop_fault)
    # The lease outermost: no await is between its check and what a commit allows.
    store = leased(timed(store, log.store_called, clock.precise))
    _show(log.metrics, settings, store)
    games, bans, sessions, tasks = Games(), Bans(), Sessions(), Tasks()
    hub = _hub(settings, clock, log)
    stores = Stores(store, patient(store, log.reading_delayed))
    host = Host(stores, clock, _host_settings(settings), games, hub, bans, tasks, _host_events(log))
    transport = _transport_settings(settings)
    keys = _issuer_keys(settings, clock, log)
    services = Services(
        clock=clock,
        phase=log.phase,
        rules=_session_rules(settings, transport),
        games=games,
        host=host,
        steward=Steward(host, clock, chance, settings.history_shards),
        hub=hub,
        journal=store.journal,
        blobs=store.blobs,
        sessions=sessions,
        presence=_presence(settings, store, sessions, log),
        connection_registry=_connection_registry(store, clock, log),
        authenticator=Authenticator(
            secret, clock.wall_ms, chance, _outside_issuer(settings, clock, keys)
        ),
        entry=Everybody(),
        connection_limits=_connection_limits(settings),
        guest_limit=_guest_limit(settings, clock),
        rename_limit=RenameLimit(clock.monotonic_ms),
        bans=bans,
        address_key=_address_key(settings, secret),
        metrics=log.metrics,
        on_fault=log.fault,
    )
    counts = WatcherCounts(games, hub, sessions, log.metrics.traffic.presence)
    ports = entrances(settings, transport, services)
    parts = Parts(services, counts, stores, host, tasks, ports, log, founding, chance, keys)
    return Lifecycle(settings, parts)


def _show(metrics: Metrics, settings: Settings, store: Store) -> None:
    metrics.tell_build(version=__version__, store=settings.store)
    metrics.readings.watch(
        "lease_valid", "1 while this server has the right to write.", store.lease.valid
    )


def _host_settings(settings: Settings) -> HostSettings:
    recovery = RecoverySettings(
        ring_events=settings.ring_events,
        max_pending=settings.max_backlog,
        policy=AddressPolicy(settings.address_cooldown, settings.address_budget),
        history_shards=settings.history_shards if settings.given("history_shards") else None,
    )
    return HostSettings(
        recovery,
        snapshot_every_ms=round(settings.snapshot_interval * MS),
        snapshot_every_events=settings.snapshot_pixels,
        max_open=settings.max_open_games,
        max_bytes=settings.boards_mb * MB,
        idle_ms=round(settings.game_idle * MS),
    )


def _host_events(log: OperatorLog) -> HostEvents:
    return HostEvents(
        log.snapshot_damaged,
        log.snapshot_damaged,
        log.snapshot_failed,
        log.snapshot_stored,
        log.game_opened,
        log.game_rested,
    )


def _presence(
    settings: Settings, store: Store, sessions: Sessions, log: OperatorLog
) -> PresenceService:
    debounce = settings.presence_debounce_ms / MS
    told = log.metrics.traffic.presence
    return PresenceService(store.tables, sessions, debounce, log.fault, told)


def _connection_registry(store: Store, clock: Clock, log: OperatorLog) -> ConnectionRegistry:
    registry = ConnectionRegistry(store.tables, clock.wall_ms, log.fault)
    log.metrics.readings.watch(
        "connection_rows_due",
        "Rows of connections that are still to be written or removed.",
        lambda: registry.behind,
    )
    return registry


def _issuer_keys(settings: Settings, clock: Clock, log: OperatorLog) -> KeySet | None:
    if settings.jwks_url is None:
        return None
    events = KeyEvents(log.issuer_away, log.issuer_back)
    return KeySet(key_fetch(settings.jwks_url), clock.monotonic_ms, events)


def _outside_issuer(settings: Settings, clock: Clock, keys: KeySet | None) -> OutsideIssuer | None:
    issuer, audience = settings.jwks_issuer, settings.jwks_audience
    if keys is None or issuer is None or audience is None:
        return None
    rules = OutsideRules(issuer, audience, settings.jwks_roles_claim)
    return OutsideIssuer(rules, keys, clock.wall_ms)


def _connection_limits(settings: Settings) -> ConnectionLimits:
    return ConnectionLimits(
        settings.max_connections,
        settings.max_connections_per_address,
        settings.address_exceptions,
    )


def _guest_limit(settings: Settings, clock: Clock) -> GuestLimit:
    allowed, exceptions = settings.guests_per_address, settings.address_exceptions
    return GuestLimit(allowed, clock.monotonic_ms, exceptions)


def _secrets_of(settings: Settings, secret: Secret) -> list[str]:
    given = [settings.secret, settings.metrics_token]
    return [secret.text.decode(), *(value.get_secret_value() for value in given if value)]


def _transport_settings(settings: Settings) -> TransportSettings:
    return TransportSettings(
        ping_ms=settings.ping_ms,
        write_limit_bytes=settings.write_limit,
        send_buffer_bytes=settings.send_buffer,
    )


def _hub(settings: Settings, clock: Clock, log: OperatorLog) -> Hub:
    broadcast, how = choose_broadcast(wanted=settings.io_uring)
    log.note("how frames are written", way=how)
    hub_settings, events = _hub_settings(settings), log.hub_events()
    return Hub(clock, hub_settings, events, log.metrics.traffic, broadcast)


def _hub_settings(settings: Settings) -> HubSettings:
    return HubSettings(
        tick_min=settings.tick_min_ms / MS,
        tick_max=settings.tick_max_ms / MS,
        slow_timeout_ms=round(settings.slow_timeout * MS),
    )


def _session_rules(settings: Settings, transport: TransportSettings) -> SessionRules:
    return SessionRules(
        server=f"tesserae/{__version__}",
        ping_ms=transport.ping_ms,
        max_message_bytes=transport.max_message_bytes,
        credits=CreditRule(settings.message_rate, settings.message_burst),
        guests=settings.guests,
    )


def _address_key(settings: Settings, secret: Secret) -> Callable[[str], str]:
    hashed = address_hasher(secret.key("address hash v1"))
    exceptions = settings.address_exceptions
    return lambda address: "" if is_exempt(address, exceptions) else hashed(address)
