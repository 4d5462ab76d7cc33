"""What the operator is told: the log, the readiness and the metrics of what happens to the store.

Owns the words. Turns what games, hub, recovery and snapshotter tell into log lines with a remedy,
and a fault that retrying cannot mend into "not ready". Called through the callbacks it hands out.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from persistence.errors import LeaseLost, StoreDamaged, StoreError, TransientFault
from persistence.opening import OpeningEvents
from server.game.game import Game
from server.hub.hub import HubEvents
from server.hub.ticker import Flush
from server.phase import Phase
from server.telemetry.logs import Logger
from server.telemetry.metrics import Metrics

MS = 1000.0
AGAIN_MS = 60_000
RIGHT_TO_WRITE = "the right to write"
"""After so long an event is told again that goes on all the time."""


class Seldom:
    """What goes on all the time is told when it changes, and once a minute."""

    def __init__(self, monotonic_ms: Callable[[], int]) -> None:
        self._monotonic_ms = monotonic_ms
        self._last: tuple[str, int] | None = None

    def due(self, words: str) -> bool:
        """Whether to tell this now."""
        now_ms = self._monotonic_ms()
        if self._last is not None:
            last, told_ms = self._last
            if words == last and now_ms - told_ms < AGAIN_MS:
                return False
        self._last = (words, now_ms)
        return True


class OperatorLog:
    """The operator's side of the server."""

    def __init__(self, log: Logger, phase: Phase, metrics: Metrics) -> None:
        self._log = log
        self.phase = phase
        self.metrics = metrics
        self._lease_is_valid = True

    def hub_events(self) -> HubEvents:
        """What the hub and its games tell, wired to this."""
        return HubEvents(self._flushed, self._delayed, self._recovered, self._failed)

    def opening_events(self, monotonic_ms: Callable[[], int]) -> OpeningEvents:
        """What an opening store tells, wired to this; what is told again and again, seldom."""
        held, troubled = Seldom(monotonic_ms), Seldom(monotonic_ms)

        def tell_held(holder: str, seconds: float) -> None:
            if held.due(holder):
                self._lease_held(holder, seconds)

        def tell_troubled(fault: StoreError) -> None:
            if troubled.due(str(fault)):
                self._lease_troubled(fault)

        return OpeningEvents(self._store_unanswered, tell_held, tell_troubled)

    def _store_unanswered(self, fault: StoreError, left: float) -> None:
        self._log.warning(
            "the store does not answer; it is tried again",
            fault=str(fault),
            remedy=fault.hint,
            gives_up_in_s=round(left),
        )

    def _lease_held(self, holder: str, seconds: float) -> None:
        self._log.info(
            "another server has the right to write; this one looks whether it still lives",
            holder=holder,
            has_to_be_silent_for_s=round(seconds, 1),
            remedy="stop it, and this one goes on by itself",
        )

    def _lease_troubled(self, fault: StoreError) -> None:
        self._log.warning(
            "the right to write could not be looked after; it is tried again",
            fault=str(fault),
            remedy=fault.hint,
        )

    def lease_checked(self, is_valid: bool) -> None:
        """Be ready only while what is placed can be committed; told when that changes."""
        if is_valid == self._lease_is_valid:
            return
        self._lease_is_valid = is_valid
        if is_valid:
            self.phase.store_back(RIGHT_TO_WRITE)
            self._log.info("the right to write is renewed; what waited is committed")
            return
        self.phase.store_away(
            RIGHT_TO_WRITE, "the right to write was not renewed in time; it is tried again"
        )
        self._log.warning(
            "the right to write was not renewed in time; placements wait, watching goes on",
            remedy="look at the network and at DynamoDB; it is renewed as soon as that answers",
        )

    def lease_lost(self, loss: LeaseLost) -> None:
        """Note that another server has taken over."""
        self._log.warning("another server took over; this one ends", reason=str(loss))

    def _flushed(self, game: Game, flush: Flush) -> None:
        self.metrics.flushed(flush.cost)
        if flush.lag is not None:
            self.metrics.published(game.waited_ms / MS, flush.lag)

    def _delayed(self, game: Game, fault: TransientFault) -> None:
        self.metrics.outages += 1
        self.phase.store_away(
            game.name,
            f"placements on {game.name} wait for the store: {fault}; {fault.hint}",
        )
        self._log.warning(
            "the store is away; placements wait, watching goes on",
            game=game.name,
            fault=str(fault),
            remedy=fault.hint,
        )

    def _recovered(self, game: Game) -> None:
        self.phase.store_back(game.name)
        self._log.info("the store is back; what waited is committed", game=game.name)

    def _failed(self, game: Game, fault: StoreError) -> None:
        self.phase.impaired(f"{game.name} cannot be stored: {fault}. {fault.hint}")
        self._log.error(
            "the store refuses; no placements are taken, watching goes on",
            game=game.name,
            fault=str(fault),
            remedy=fault.hint or "mend the store, then start the server again",
        )

    def store_called(self, operation: str, seconds: float, items: int) -> None:
        """Note how long a call of the store took."""
        self.metrics.store_called(operation, seconds, items)

    def reading_delayed(self, fault: StoreError) -> None:
        """Note that a start waits for the store."""
        self._log.warning(
            "the store does not answer; reading goes on where it was",
            fault=str(fault),
            remedy=fault.hint,
        )

    def ban_defective(self, key: str, defect: str) -> None:
        """Note a ban that is not as it should be."""
        self._log.warning(
            "a ban has a defect; it stays in force as far as it can be read",
            item=key,
            defect=defect,
            remedy="put the item of table bans right; `tesserae store check` tells of all of them",
        )

    def snapshot_damaged(self, damage: StoreDamaged) -> None:
        """Note that a snapshot, or a picture that is not needed now, is of no use to recovery."""
        self._log.warning("damage is passed over", damage=str(damage), remedy=damage.hint)

    def snapshot_failed(self, game: Game, error: StoreError) -> None:
        """Note that a snapshot could not be stored."""
        self.metrics.snapshot_failures += 1
        self._log.warning(
            "no snapshot was stored; the next start takes longer",
            game=game.name,
            fault=str(error),
            remedy=error.hint,
        )

    def snapshot_stored(self, game: Game, took_ms: int) -> None:
        """Note a stored snapshot."""
        self.metrics.snapshot_stored(took_ms / MS)
        self._log.debug("a snapshot was stored", game=game.name, seq=game.replica.seq)

    def game_opened(self, game: Game) -> None:
        """Note that a game was brought to life."""
        self._log.info("a game was opened", game=game.name, seq=game.replica.seq)

    def game_rested(self, game: Game) -> None:
        """Note that a game that nobody uses was laid to rest."""
        self._log.info("a game that nobody uses was laid to rest", game=game.name)

    def wish_ignored(self, wish: str) -> None:
        """Note a setting that only a new board would follow."""
        self._log.warning("a setting for new boards is ignored", setting=wish)

    def recovered(self, game: Game, seconds: float) -> None:
        """Note a recovered board."""
        geometry = game.replica.lineage.geometry
        self._log.info(
            "the board is recovered" if game.replica.seq else "the board is empty so far",
            game=game.name,
            seq=game.replica.seq,
            size=f"{geometry.width}x{geometry.height}",
            seconds=round(seconds, 3),
        )

    def issuer_away(self, reason: str) -> None:
        """Note that the keys of the outside issuer cannot be read; told once for a spell."""
        self._log.warning(
            "the outside issuer's keys cannot be read; known ones serve for a day",
            fault=reason,
            remedy="open --jwks-url from this machine: it must answer directly with a key set",
        )

    def issuer_back(self) -> None:
        """Note that they can be read again."""
        self._log.info("the outside issuer's keys are read again")

    def certificate_unfit(self, setting: str, why: str) -> None:
        """Note that a renewed certificate cannot be used."""
        self._log.error(
            "the certificate was not renewed; the one before it still serves",
            setting=setting,
            remedy=why,
        )

    def note(self, event: str, **fields: Any) -> None:
        """Log something that is no fault."""
        self._log.info(event, **fields)

    def fault(self, doing: str, fault: BaseException) -> None:
        """Log an unexpected exception, once, with its traceback; a store that is away without."""
        if isinstance(fault, TransientFault):
            self._log.warning("the store is away", doing=doing, fault=str(fault), remedy=fault.hint)
            return
        self.metrics.faults += 1
        self._log.error("a fault", doing=doing, exc_info=fault)

    def loop_fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log what nobody caught in a callback or task."""
        del loop
        self.metrics.faults += 1
        self._log.error(
            "a fault in the loop", what=context.get("message"), exc_info=context.get("exception")
        )
