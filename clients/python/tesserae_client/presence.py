"""Who is here, kept by the presence events' own sequence; pure."""

from tesserae_client.messages import Json, strict


class Presence:
    """`visible` maps ids to names; `more` others are here, and `spectators` who are nobody."""

    def __init__(self) -> None:
        self.seq: int | None = None
        self.visible: dict[str, str] = {}
        self.total = 0
        self.spectators = 0
        self.more = 0

    @strict
    def snapshot(self, fields: Json) -> None:
        """Take the whole picture."""
        self.seq = int(fields["seq"])
        self.total = int(fields["total"])
        self.spectators = int(fields["spectators"])
        self.visible = {person["id"]: person["name"] for person in fields["visible"]}
        self.more = int(fields["more"])

    @strict
    def delta(self, fields: Json) -> bool:
        """Take who came and went; False when one before it is missing: ask `syncPresence`."""
        seq = int(fields["seq"])
        if self.seq is None or seq > self.seq + 1:
            return False
        if seq == self.seq + 1:
            self.seq = seq
            self.visible.update((person["id"], person["name"]) for person in fields["joins"])
            for user_id in fields["leaves"]:
                self.visible.pop(user_id, None)
            self.total, self.spectators = int(fields["total"]), int(fields["spectators"])
        return True
