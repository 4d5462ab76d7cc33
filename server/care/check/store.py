"""Checking a whole store, or one game of it.

Owns what is looked at and in which order. Takes no lease and writes nothing. Called by
`tesserae store check` and after a backup was written.
"""

from dataclasses import dataclass
from typing import Any

from persistence.errors import StoreDamaged
from persistence.ports import Store
from persistence.tables import CONFIG
from server.care.advance import Advance
from server.care.check.findings import PUT_BACK, Finding, Findings
from server.care.check.game import GameCheck, GameSummary
from server.care.check.tables import check_tables
from server.game.config import PARTITION
from server.game.names import DEFAULT_GAME, game_of_sort_key
from server.recovery.unfinished import check_finished


@dataclass(frozen=True, slots=True)
class Report:
    """What a check came to."""

    games: list[GameSummary]
    findings: list[Finding]
    damages: int
    """How many damages there are; 0 says that the store is sound."""

    def to_json(self) -> dict[str, Any]:
        """Make it an object for other programs."""
        return {
            "sound": not self.damages,
            "damages": self.damages,
            "games": [game.to_json() for game in self.games],
            "findings": [finding.to_json() for finding in self.findings],
        }


async def games_of(store: Store) -> list[str]:
    """Names of the games that have an item in the config table."""
    page = await store.tables.query(CONFIG, PARTITION)
    return [game_of_sort_key(item["SK"]) for item in page.items]


async def check_store(store: Store, game: str | None, advance: Advance) -> Report:
    """Check one game, or everything; `advance` is told how far it has got. Raises StoreError."""
    findings = Findings()
    games = [game] if game is not None else await _all_games(store)
    try:
        await check_finished(store.tables)
    except StoreDamaged as damage:
        findings.damage("unfinished copy", "main COPY", f"{damage}", damage.hint)
    if game is None:
        await check_tables(store.tables, findings, advance)
    checked = [await _checked(store, name, findings, advance) for name in games]
    summaries = [summary for summary in checked if summary is not None]
    return Report(summaries, findings.all(), findings.damages)


async def _checked(
    store: Store, game: str, findings: Findings, advance: Advance
) -> GameSummary | None:
    try:
        return await GameCheck(store, game, findings).run(advance)
    except StoreDamaged as damage:
        findings.damage("unreadable game", game, f"{damage}", damage.hint or PUT_BACK)
        return None


async def _all_games(store: Store) -> list[str]:
    """Name the games, and the default one also where it has lost its config."""
    return list(dict.fromkeys([DEFAULT_GAME, *await games_of(store)]))
