"""The state of a game beside a running server, for the commands that only read.

Owns that it is of one moment although the server goes on writing: a snapshot that is replaced and
a history that grows are nothing to it, and a change of size, settings or writer on the way is no
damage. Takes no lock and writes nothing.
"""

from typing import NamedTuple

from persistence.errors import StoreDamaged, TransientFault
from persistence.ports import Store
from server.game.config import GameConfig
from server.recovery.reader import RecoveryEvents, RecoveryReader
from server.recovery.replay import Outcome

MAX_ATTEMPTS = 5
"""Control events are rare: even two within one reading are a coincidence."""


class Present(NamedTuple):
    """What was committed when it was read, and the config that it goes with."""

    config: GameConfig
    outcome: Outcome


class _Attempt(NamedTuple):
    """What came of one reading; damage may only be the mark of a change meanwhile."""

    outcome: Outcome | None
    damage: StoreDamaged | None
    passed_over: list[StoreDamaged]


async def read_present(store: Store, game: str, listener: RecoveryEvents) -> Present | None:
    """Read a game, whoever writes to it meanwhile; None when there is no such game.

    Raises StoreDamaged, and TransientFault when the game was changed during every attempt.
    """
    reader = RecoveryReader(store, listener)
    config = await reader.config(game)
    for _ in range(MAX_ATTEMPTS):
        if config is None:
            return None
        attempt = await _attempt(store, config, listener)
        before, config = config, await reader.config(game)
        if config is not None and unchanged(before, config):
            return Present(config, _held(attempt, listener))
    raise TransientFault(
        f"the size, the settings or the writer of {game} changed each time while it was read",
        "try again in a moment",
    )


async def _attempt(store: Store, config: GameConfig, listener: RecoveryEvents) -> _Attempt:
    passed_over: list[StoreDamaged] = []
    reader = RecoveryReader(store, RecoveryEvents(listener.progress, passed_over.append))
    try:
        return _Attempt(await reader.read(config), None, passed_over)
    except StoreDamaged as damage:
        return _Attempt(None, damage, passed_over)


def _held(attempt: _Attempt, listener: RecoveryEvents) -> Outcome:
    for damage in attempt.passed_over:
        listener.damaged(damage)
    if attempt.damage is not None:
        raise attempt.damage
    assert attempt.outcome is not None  # noqa: S101 - there is an outcome, or damage
    return attempt.outcome


def unchanged(before: GameConfig, after: GameConfig) -> bool:
    """Whether no control event has come between, and no other writer; a seq alone is a snapshot's.

    What another writer's start lists tells which rows count, and where they are.
    """
    return _told(before) == _told(after)


def _told(config: GameConfig) -> tuple[object, ...]:
    return (
        config.epoch,
        config.lineage.frames,
        config.settings,
        config.writers,
        config.partitions,
    )
