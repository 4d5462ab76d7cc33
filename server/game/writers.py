"""Which rows of a history count: nothing that a superseded writer left beyond its last valid seq.

Owns that rule for every reader: recovery, the command `history`, exports. Pure; made of what the
config item lists.
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

    def _bound_of(self, fence: int) -> int | None:
        """Bound a fence that nobody listed by the next one: its taker died before it came to it."""
        later = [known for known in self._last_valid if known > fence]
        return self._last_valid[min(later)] if later else None
