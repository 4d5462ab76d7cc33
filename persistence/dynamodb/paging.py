"""Pages of the tables on DynamoDB: answers gathered until a page is full, on the bulk loop.

DynamoDB counts what it looks at, not what it gives, so that a filter may leave little of many
answers: their number is bounded, and a page may be short. Called by tables.py alone.
"""

from typing import Any, NamedTuple

from persistence.aws.clients import Client
from persistence.dynamodb.items import Attributes, decoded_item
from persistence.dynamodb.query import ask
from persistence.dynamodb.streams import CHUNK_ITEMS
from persistence.ports import Item

MAX_ANSWERS = 32
"""Of one page."""


class Found(NamedTuple):
    """What was read, and the keys after which there may be more."""

    items: list[Item]
    last: Attributes | None


class Reading(NamedTuple):
    """One query or scan."""

    client: Client
    arguments: dict[str, Any]
    keys: tuple[str, ...]
    """The attributes of a place in what is read: the table's keys, and the index's."""
    after: tuple[str, str] = ("", "")
    """An attribute and what it has to be beyond, which DynamoDB's condition cannot say."""
    whole: bool = False
    """Whether the whole table is scanned."""
    filtered: bool = False
    """Whether most may be left out, so that more is looked at than is wanted."""

    async def page(self, limit: int, start: Attributes | None) -> Found:
        """Read up to `limit` items after `start`."""
        items: list[Attributes] = []
        for _ in range(MAX_ANSWERS):
            wanted = limit - len(items)
            looked_at = max(wanted, CHUNK_ITEMS) if self.filtered else wanted
            arguments = self.arguments | {"Limit": looked_at}
            answer = await ask(self.client, arguments, start, whole=self.whole)
            items += [item for item in answer.items if self._inside(item)]
            start = answer.last
            if len(items) > limit:
                del items[limit:]
                start = {name: items[-1][name] for name in self.keys}
            if start is None or len(items) == limit:
                break
        return Found([decoded_item(item) for item in items], start)

    def _inside(self, item: Attributes) -> bool:
        name, bound = self.after
        return not bound or item[name]["S"] > bound
