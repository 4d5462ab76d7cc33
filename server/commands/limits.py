"""`limits`: what is left and when it refills, from a bucket of its own, so it costs nothing."""

from server.commands.registry import Call, Command, Done, Failed, Http, Outcome, Reply, Request
from server.commands.replies import BucketLeft, Cooldown
from server.commands.watching import GameName, find
from server.session.allowance import Bucket


class Limits(Request):
    """The game whose cooldown is asked for, if any."""

    game: GameName | None = None


class Left(Reply):
    """What is left in each bucket, and of the cooldown in the game that was named."""

    credits: dict[str, BucketLeft]
    game: GameName | None = None
    cooldown: Cooldown | None = None


async def _limits(call: Call[Limits]) -> Outcome:
    caller, name = call.caller, call.request.game
    credits_left = {"credits": caller.allowance.to_json()}
    if name is None:
        return Done(credits_left)
    game = await find(caller.services, name)
    if isinstance(game, Failed):
        return game
    return Done({"game": name, "cooldown": game.cooldown_of(caller.user_id), **credits_left})


COMMAND = Command(
    "limits",
    "Ask what is left",
    Limits,
    Left,
    _limits,
    Http("GET", "/api/limits"),
    bucket=Bucket.LIMITS,
)
