"""`ping`: for clients that cannot see WebSocket pings, such as browsers."""

from server.commands.registry import Call, Command, Done, Outcome, Reply, Request


class Ping(Request):
    """Nothing is asked for but an answer."""


class Pong(Reply):
    """The server's clock, ms since the epoch."""

    time: int


def _ping(call: Call[Ping]) -> Outcome:
    return Done({"time": call.caller.services.clock.wall_ms()})


COMMAND = Command("ping", "Ask whether the line is alive", Ping, Pong, _ping)
