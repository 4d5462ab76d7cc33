"""`syncPresence`: a fresh snapshot of who is here; the presence number is not raised."""

from server.commands.registry import Call, Command, Done, Outcome, Request


class SyncPresence(Request):
    """Nothing is asked for but the snapshot."""


def _sync_presence(call: Call[SyncPresence]) -> Outcome:
    return Done({"presence": call.session.services.presence.snapshot()})


COMMAND = Command("syncPresence", "Ask who is here", SyncPresence, _sync_presence, cost=2)
