"""Gauges: what can be read off the services at any moment, shown in the metrics.

Owns their names. Reads only when the metrics are asked for. Called once by the HTTP side.
"""

from server.session.services import Services


def show(services: Services) -> None:
    """Add the gauges to the services' metrics."""
    watch = services.metrics.watch
    games, hub, presence = services.games, services.hub, services.presence
    watch("connections", "Open WebSockets.", lambda: len(services.sessions))
    watch("players", "Users here, each counted once.", lambda: presence.totals()[0])
    watch("spectators", "Connections of nobody in particular.", lambda: presence.totals()[1])
    services.metrics.watch_each(
        "readers",
        "Streams of games to connections: in step, at a pace of their own, or behind.",
        "pace",
        lambda: {pace.name.lower(): count for pace, count in hub.readers().items()},
    )
    watch(
        "tick_seconds",
        "Pause between two flushes, of the game that now has the longest.",
        hub.interval,
    )
    watch(
        "uncommitted_placements",
        "Placements that are decided and not yet published.",
        lambda: sum(game.head.pending for game in games),
    )
    watch("ready", "1 while placements are taken.", lambda: services.phase.takes_placements)
