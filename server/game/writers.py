"""Which rows of a history count: nothing that a superseded writer left beyond its last valid seq.

Owns that rule for every reader: recovery, the commands that look up, exports, the care of stores.
Pure; made of what the config item lists.
"""

from collections.abc import Mapping

from persistence.ports import Item


class Writers:
    """The writers that a game had, each with the seq that it got to."""

    def __init__(self, last_valid: Mapping[int, int]) -> None:
        self._last_valid: dict[int, int | None] = dict(last_valid)

    def vouch_for(self, item: Item) -> bool:
        """Whether an item with a seq was its writer's to add."""
        fence = item["fence"]
        if fence not in self._last_valid:
            self._last_valid[fence] = self._bound_of(fence)
        last_valid = self._last_valid[fence]
        return last_valid is None or item["seq"] <= last_valid

    def published(self, item: Item, seq: int) -> bool:
        """Whether an item was published by `seq`: numbered up to there, and its writer's to add."""
        return "seq" in item and item["seq"] <= seq and self.vouch_for(item)

    def belongs(self, item: Item, seq: int) -> bool:
        """Whether an item is a part of what was published by `seq`.

        Copies of rows for the index, which have no number of their own, go with the row.
        """
        if "seq" not in item:
            return bool(item.get("ofSeq", 0) <= seq)
        return self.published(item, seq)

    def _bound_of(self, fence: int) -> int | None:
        """Bound a fence that nobody listed by the next one: its taker died before it came to it."""
        later = [known for known in self._last_valid if known > fence]
        return self._last_valid[min(later)] if later else None
