"""`ping`: for clients that cannot see WebSocket pings, such as browsers."""

from server.commands.registry import Call, Command, Done, Outcome, Request


class Ping(Request):
    """Nothing is asked for but an answer."""


def _ping(call: Call[Ping]) -> Outcome:
    return Done({"time": call.session.services.clock.wall_ms()})


COMMAND = Command("ping", "Ask whether the line is alive", Ping, _ping)
