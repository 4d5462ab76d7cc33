"""Start and stop: what happens in which order, and within which deadline.

Owns the tasks of the process. Start: listen, lease, recover, ready. Stop: not ready, `going`,
drain, close 1012, snapshot, release. Nothing is acknowledged that is not committed, also on the
way out. Made by app.py.
"""

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from persistence.errors import LeaseLost, StoreError
from server.access.auth_keys import KeySet
from server.audience.watcher_counts import WatcherCounts
from server.collector import building_what_stays
from server.config import Settings
from server.config.certificate import KeptCertificate, Unfit
from server.entrances import Entrances
from server.founding import Founding
from server.game.bans import BanEvents, load_bans
from server.game.epoch import new_epoch
from server.game.game import Game
from server.hosting.host import Host, Stores
from server.operator_log import OperatorLog
from server.recovery.fences import last_fence
from server.session.services import Services
from server.tasks import Tasks
from server.telemetry import probe
from server.telemetry.progress import RecoveryProgress, announce, own_url
from server.transport.listener import Listener
from server.wire import events
from server.wire.codes import CloseCode

MS = 1000.0
DRAIN_SHARE = 0.5
CLOSE_SHARE = 0.2
"""Of the stop deadline: half for what is pending, a fifth for the closing, the rest to snapshot."""
RELEASE_WITHIN = 3.0
"""Seconds, beside the deadline; a lease that cannot be given back runs out by itself."""
RETRY_MIN_MS = 1_000
RETRY_SPREAD_MS = 4_000
HOUSEKEEPING_EVERY = 1.0
FORGOTTEN_AT_ONCE = 1000
"""Cooldowns, addresses and requests that are looked at each time: half a millisecond."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What was composed."""

    services: Services
    watcher_counts: WatcherCounts
    stores: Stores
    host: Host
    tasks: Tasks
    ports: Entrances
    log: OperatorLog
    founding: Founding
    chance: random.Random
    issuer_keys: KeySet | None
    """Of an outside issuer, where there is one."""

    @property
    def listener(self) -> Listener:
        """The port for everybody."""
        return self.ports.listener


class Lifecycle:
    """One run of the server."""

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self._settings = settings
        self._parts = parts
        self._tasks = parts.tasks
        self._tasks.listen(self._task_ended)
        self._told = asyncio.Event()
        self._loss: LeaseLost | None = None
        self._show_snapshots()

    async def run(self) -> int:
        """Serve until SIGTERM, SIGINT or SIGHUP; returns the exit code. Raises what `start` raises.

        Raises LeaseLost when another server took over.
        With a certificate SIGHUP renews it; without one it is the end of a terminal, as elsewhere.
        Told so while it still starts, it gives up at once: nothing was served yet.
        """
        loop = asyncio.get_running_loop()
        starting = loop.create_task(self.start())

        def tell() -> None:
            self._told.set()
            starting.cancel()  # which does nothing once it has started

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, tell)
        if self._parts.ports.certificate is not None:
            loop.add_signal_handler(signal.SIGHUP, self._renew, self._parts.ports.certificate)
        try:
            await starting
        except asyncio.CancelledError:
            if not self._told.is_set():
                raise
            self._parts.log.note("stopped before it was ready")
            return 0
        await self._told.wait()
        return await self.stop()

    def _renew(self, certificate: KeptCertificate) -> None:
        try:
            certificate.renew()
        except Unfit as unfit:
            self._parts.log.certificate_unfit(unfit.setting, str(unfit))
        else:
            self._parts.log.note("the certificate was read again", expires_s=certificate.expires_s)

    # --- start ---------------------------------------------------------------

    async def start(self) -> None:
        """Listen, recover, and take placements. Raises StoreError or ListenError."""
        parts, settings = self._parts, self._settings
        await parts.ports.http.start()
        await parts.listener.start(settings.host, settings.port)
        try:
            await self._open_admin_port()
            above = await last_fence(parts.stores.reading.tables)
            fence = await parts.stores.writing.lease.acquire(above=above)
            with building_what_stays():
                game = await self._recover(fence)
            await parts.host.directory.load(parts.services.clock.wall_ms())
            await parts.services.presence.start()
        except BaseException:
            parts.listener.stop()
            if parts.ports.admin is not None:
                await parts.ports.admin.stop()
            raise
        tls = parts.ports.certificate is not None
        from_afar = settings.store == "aws"
        url = own_url(settings.host, parts.listener.port, tls=tls, from_afar=from_afar)
        self._open(game, url)
        await parts.stores.writing.lease.tell(url)
        parts.services.phase.ready()
        announce(settings.host, parts.listener.port, tls=tls)

    async def _open_admin_port(self) -> None:
        admin = self._parts.ports.admin
        if admin is not None:
            await admin.start()
            self._parts.log.note("the operator's port is open", address=admin.address)

    async def _recover(self, fence: int) -> Game:
        parts, clock = self._parts, self._parts.services.clock
        started_ms = clock.monotonic_ms()
        with RecoveryProgress() as progress:
            recovery = parts.host.recovery(progress.advance)
            founding = parts.founding.config(new_epoch(parts.chance))
            config = await recovery.load_or_found(founding)
            for wish in parts.founding.ignored_by(config):
                parts.log.wish_ignored(wish)
            bans = BanEvents(progress.bans, parts.log.ban_defective)
            await load_bans(parts.stores.reading.tables, parts.services.bans, clock.wall_ms(), bans)
            parts.host.fence = fence
            game = await parts.host.recover(recovery, config)
        parts.log.recovered(game, (clock.monotonic_ms() - started_ms) / MS)
        return game

    def _open(self, game: Game, url: str) -> None:
        services, spawn = self._parts.services, self._tasks.spawn
        self._parts.host.open(game)
        spawn(self._watch_lease(), "watching the right to write")
        spawn(services.presence.run(), "telling presence")
        spawn(services.connection_registry.run(url), "registering connections")
        spawn(self._keep_house(), "housekeeping")
        spawn(probe.run(services.clock.precise, services.metrics.loop_late), "watching the loop")
        if self._parts.issuer_keys is not None:
            spawn(self._parts.issuer_keys.run(), "reading the outside issuer's keys")
        changes = self._parts.founding.changes_to(game.replica.settings)
        if changes:
            game.change(changes)

    def _show_snapshots(self) -> None:
        readings, snapshotters = (
            self._parts.services.metrics.readings,
            self._parts.host.snapshotters,
        )
        readings.watch(
            "snapshot_age_seconds",
            "Age of the newest stored snapshot of this run, or of the run while there is none.",
            lambda: max((one.age_ms for one in snapshotters()), default=0) / MS,
        )
        readings.watch(
            "snapshot_behind_events",
            "Events since then, which a start would have to read.",
            lambda: max((one.behind for one in snapshotters()), default=0),
        )

    def _task_ended(self, doing: str, fault: BaseException) -> None:
        """Take note of a fault that ended one of the tasks."""
        if isinstance(fault, LeaseLost):
            self._lose(fault)
        elif isinstance(fault, Exception):
            self._parts.log.fault(doing, fault)
            self._parts.services.phase.impaired(f"{doing} has failed; restart the server")

    async def _watch_lease(self) -> None:
        self._lose(await self._parts.stores.writing.lease.lost())

    def _lose(self, loss: LeaseLost) -> None:
        """Take nothing more, and let `run` come to its end."""
        if self._loss is None:
            self._loss = loss
            self._parts.log.lease_lost(loss)
        self._take_nothing_more()
        self._told.set()

    async def _keep_house(self) -> None:
        services = self._parts.services
        while True:
            await asyncio.sleep(HOUSEKEEPING_EVERY)
            self._parts.log.lease_checked(self._parts.stores.writing.lease.valid())
            now_ms, wall_ms = services.clock.monotonic_ms(), services.clock.wall_ms()
            services.hub.sweep()
            services.sessions.close_expired(wall_ms)
            await self._parts.watcher_counts.tell()
            await self._parts.host.rest_idle()
            for game in services.games:
                game.head.forget_expired(now_ms, wall_ms, FORGOTTEN_AT_ONCE)

    # --- stop ----------------------------------------------------------------

    async def stop(self) -> int:
        """Drain, close and store within the deadline; returns the exit code.

        Raises LeaseLost where another server took over: nothing is stored then.
        """
        self._take_nothing_more()
        self._tell_going()
        if self._loss is None:
            drained = await self._finish()
        else:
            drained = False
            await self._tasks.end()
            await _within(self._settings.stop_deadline * CLOSE_SHARE, self._close_connections)
        await self._shut()
        self._parts.log.note("stopped", drained=drained)
        if self._loss is not None:
            raise self._loss
        return 0 if drained else 1

    def _take_nothing_more(self) -> None:
        self._parts.services.phase.draining(RETRY_MIN_MS)
        for game in self._parts.services.games:
            game.stop_taking()

    async def _finish(self) -> bool:
        """Commit, acknowledge and store what there is; returns whether all was committed."""
        log, deadline = self._parts.log, self._settings.stop_deadline
        drained = await _within(deadline * DRAIN_SHARE, self._drain) and not self._refused()
        if not drained:
            log.note("what is still pending could not be committed in time")
        await _within(deadline * CLOSE_SHARE, self._close_connections)
        left = deadline * (1 - DRAIN_SHARE - CLOSE_SHARE)
        if not await _within(left, self._store_snapshots):
            log.note("no snapshot could be stored in time; the next start takes longer")
        return drained

    async def _shut(self) -> None:
        parts = self._parts
        await self._tasks.end()
        await self._clear_registry()
        parts.listener.stop()
        await parts.ports.http.stop()
        if parts.ports.admin is not None:
            await parts.ports.admin.stop()
        await _within(RELEASE_WITHIN, parts.stores.writing.lease.release)

    async def _clear_registry(self) -> None:
        """What is not removed in time is cleared by the next start, or by its own end."""
        try:
            await _within(RELEASE_WITHIN, self._parts.services.connection_registry.flush)
        except StoreError as fault:
            self._parts.log.fault("removing the rows of connections", fault)

    def _tell_going(self) -> None:
        reason = self._parts.services.phase.reason
        for connection in list(self._parts.listener.live):
            connection.write(events.going(self._retry_after_ms(), reason))

    def _retry_after_ms(self) -> int:
        return RETRY_MIN_MS + self._parts.chance.randrange(RETRY_SPREAD_MS)

    async def _drain(self) -> None:
        services = self._parts.services
        for game in list(services.games):
            if game.fault is None:
                await game.committer.drained()
            services.hub.flush(game)

    def _refused(self) -> bool:
        """Whether a store has refused for good; what is pending there is never committed."""
        return any(game.fault is not None for game in self._parts.services.games)

    async def _close_connections(self) -> None:
        listener = self._parts.listener
        listener.stop_accepting()
        reason = self._parts.services.phase.reason
        await listener.close_all(CloseCode.RESTART, reason, self._retry_after_ms)
        while listener.live:  # noqa: ASYNC110  # the live set tells nobody, and this ends soon
            await asyncio.sleep(0.01)

    async def _store_snapshots(self) -> None:
        try:
            for snapshotter in self._parts.host.snapshotters():
                await snapshotter.store_now()
        except LeaseLost as loss:
            self._lose(loss)


async def _within(seconds: float, step: Callable[[], Awaitable[None]]) -> bool:
    """Run a step; False when it was not done in time and was given up."""
    try:
        async with asyncio.timeout(seconds):
            await step()
    except TimeoutError:
        return False
    return True
