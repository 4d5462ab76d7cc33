"""`limits`: what is left and when it refills, from a bucket of its own, so it costs nothing."""

from server.commands.registry import Call, Command, Done, Outcome, Request
from server.commands.watching import GameName, unknown_game
from server.session.allowance import Bucket


class Limits(Request):
    """The game whose cooldown is asked for, if any."""

    game: GameName | None = None


def _limits(call: Call[Limits]) -> Outcome:
    session, name = call.session, call.request.game
    credits_left = {"credits": session.allowance.to_json()}
    if name is None:
        return Done(credits_left)
    game = session.services.games.get(name)
    if game is None:
        return unknown_game(name)
    return Done({"game": name, "cooldown": game.cooldown_of(session.user_id), **credits_left})


COMMAND = Command("limits", "Ask what is left", Limits, _limits, bucket=Bucket.LIMITS)
