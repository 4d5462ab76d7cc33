"""What the operator is told: the log, the readiness and the metrics of what happens to the store.

Owns the words. Turns what games, hub, recovery and snapshotter tell into log lines with a remedy,
and a fault that retrying cannot mend into "not ready". Called through the callbacks it hands out.
"""

import asyncio
from typing import Any

from persistence.errors import LeaseLost, StoreDamaged, StoreError, TransientFault
from persistence.opening import OpeningEvents
from server.game.game import Game
from server.hub.hub import HubEvents
from server.phase import Phase
from server.telemetry.logs import Logger
from server.telemetry.metrics import Metrics

MS = 1000.0


class OperatorLog:
    """The operator's side of the server."""

    def __init__(self, log: Logger, phase: Phase, metrics: Metrics) -> None:
        self._log = log
        self.phase = phase
        self.metrics = metrics

    def hub_events(self) -> HubEvents:
        """What the hub and its games tell, wired to this."""
        return HubEvents(self._flushed, self._delayed, self._recovered, self._failed)

    def opening_events(self) -> OpeningEvents:
        """What an opening store tells, wired to this."""
        return OpeningEvents(self._store_unanswered, self._lease_held, self._lease_troubled)

    def _store_unanswered(self, fault: StoreError, left: float) -> None:
        self._log.warning(
            "the store does not answer; it is tried again",
            fault=str(fault),
            remedy=fault.hint,
            gives_up_in_s=round(left),
        )

    def _lease_held(self, holder: str, seconds: float) -> None:
        self._log.info(
            "another server writes to the store; this one waits for its turn",
            holder=holder,
            taken_after_silence_of_s=seconds,
            remedy="stop the other one, or start with --lease fail",
        )

    def _lease_troubled(self, fault: StoreError) -> None:
        self._log.warning(
            "the right to write could not be looked after; it is tried again",
            fault=str(fault),
            remedy=fault.hint,
        )

    def lease_lost(self, loss: LeaseLost) -> None:
        """Note that another server has taken over."""
        self._log.warning("another server took over; this one ends", reason=str(loss))

    def _flushed(self, game: Game, seconds: float) -> None:
        del game
        self.metrics.flushed(seconds)

    def _delayed(self, game: Game, fault: TransientFault) -> None:
        self.phase.store_away(
            f"placements on {game.name} wait for the store: {fault}; {fault.hint}"
        )
        self._log.warning(
            "the store is away; placements wait, watching goes on",
            game=game.name,
            fault=str(fault),
            remedy=fault.hint,
        )

    def _recovered(self, game: Game) -> None:
        self.phase.store_back()
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

    def snapshot_damaged(self, damage: StoreDamaged) -> None:
        """Note that a snapshot, or a picture that is not needed now, is of no use to recovery."""
        self._log.warning("damage is passed over", damage=str(damage), remedy=damage.hint)

    def snapshot_failed(self, game: Game, error: StoreError) -> None:
        """Note that a snapshot could not be stored."""
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
        """Log an unexpected exception, once, with its traceback."""
        self._log.error("a fault", doing=doing, exc_info=fault)

    def loop_fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log what nobody caught in a callback or task."""
        del loop
        self._log.error(
            "a fault in the loop", what=context.get("message"), exc_info=context.get("exception")
        )
