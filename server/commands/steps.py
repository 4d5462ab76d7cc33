"""Steps that an operator takes with a game, and what is said where one cannot be taken."""

from collections.abc import Awaitable, Callable

from canvas.refusals import Refusal, Refused
from persistence.errors import TransientFault
from server.commands.registry import Failed, Outcome, refused
from server.commands.watching import NO_ROOM_RETRY_MS, unknown_game
from server.hosting.host import NoRoom
from server.hosting.steward import NotNow
from server.wire.codes import ErrorCode


async def carried_out(step: Callable[[], Awaitable[Outcome]], game: str) -> Outcome:
    """Take a step with a game; whatever is in its way becomes an answer."""
    try:
        return await step()
    except LookupError:
        return unknown_game(game)
    except NotNow as standing:
        return Failed(ErrorCode.CONFLICT, str(standing))
    except NoRoom as full:
        return refused(Refusal(Refused.BUSY, str(full), NO_ROOM_RETRY_MS))
    except TransientFault as fault:
        message = f"{fault}; nothing was changed: {fault.hint}"
        return refused(Refusal(Refused.BUSY, message, NO_ROOM_RETRY_MS))
