"""`syncPresence`: a snapshot of who is here; the presence number is not raised.

A crowd that asks at once, after a gap, is answered with one and the same: it is as old as the
window of a delta at most, and the next delta makes up for that.
"""

from server.commands.registry import Call, Command, Done, Outcome, Reply, Request
from server.commands.replies import Presence


class SyncPresence(Request):
    """Nothing is asked for but the snapshot."""


class Here(Reply):
    """Who is here."""

    presence: Presence


def _sync_presence(call: Call[SyncPresence]) -> Outcome:
    return Done({"presence": call.caller.services.presence.shared_snapshot()})


COMMAND = Command("syncPresence", "Ask who is here", SyncPresence, Here, _sync_presence, cost=2)
