"""Gauges: what can be read off the services at any moment, shown in the metrics.

Owns their names. Reads only when the metrics are asked for. Called once by the HTTP side.
"""

from collections import Counter

from server.session.services import Services
from server.telemetry.readings import Numbers, Readings
from server.wire.binary_v1 import BINARY_V1
from server.wire.json_v1 import JSON_V1


def show(services: Services) -> None:
    """Add the gauges to the services' metrics."""
    readings = services.metrics.readings
    _show_who_is_here(readings, services)
    _show_streams(readings, services)
    _show_games(readings, services)


def _show_who_is_here(readings: Readings, services: Services) -> None:
    presence = services.presence
    readings.watch_each(
        "connections", "Open WebSockets, by codec.", "codec", lambda: _by_codec(services)
    )
    readings.watch("players", "Users here, each counted once.", lambda: presence.totals()[0])
    readings.watch(
        "spectators", "Connections of nobody in particular.", lambda: presence.totals()[1]
    )


def _by_codec(services: Services) -> Numbers:
    counts = Counter(member.connection.codec for member in services.sessions)
    return {"binary": counts[BINARY_V1], "json": counts[JSON_V1]}


def _show_streams(readings: Readings, services: Services) -> None:
    hub = services.hub
    readings.watch_each(
        "readers",
        "Streams of games to connections: in step, at a pace of their own, or behind.",
        "pace",
        lambda: {pace.name.lower(): count for pace, count in hub.readers().items()},
    )
    readings.watch(
        "tick_seconds",
        "Pause between two flushes, of the game that now has the longest.",
        hub.interval,
    )


def _show_games(readings: Readings, services: Services) -> None:
    games = services.games
    readings.watch(
        "uncommitted_placements",
        "Placements that are decided and not yet published.",
        lambda: sum(game.head.pending for game in games),
    )
    readings.watch(
        "uncommitted_placements_max",
        "So many may wait before further ones are refused as busy; 0 while none are taken.",
        lambda: sum(game.head.max_pending for game in games),
    )
    readings.watch(
        "ready", "1 while placements are taken.", lambda: services.phase.takes_placements
    )
