"""All commands, in the order of the reference page. A new one is a file beside and a line here."""

from server.commands import (
    archive_game,
    checksum,
    create_game,
    end_game,
    game,
    games,
    history,
    import_base,
    limits,
    ping,
    pixel,
    place,
    rename,
    reopen_game,
    resync,
    session,
    subscribe,
    sync_presence,
    watch_games,
)
from server.commands.registry import Registry

COMMANDS = Registry(
    (
        subscribe.COMMAND,
        watch_games.COMMAND,
        resync.COMMAND,
        sync_presence.COMMAND,
        rename.COMMAND,
        session.COMMAND,
        place.COMMAND,
        limits.COMMAND,
        games.COMMAND,
        game.COMMAND,
        checksum.COMMAND,
        pixel.COMMAND,
        history.COMMAND,
        ping.COMMAND,
        import_base.COMMAND,
        create_game.COMMAND,
        end_game.COMMAND,
        reopen_game.COMMAND,
        archive_game.COMMAND,
    )
)
