"""Queries on DynamoDB: bounds on sort keys, and one page after the other.

Pages are parsed in a loop of their own (aws/loop.py): 1,000 items hold an interpreter for 25 ms.
Knows no port; called by the tables, the streams and the lookups.
"""

from typing import Any, NamedTuple

from persistence.aws.clients import Client
from persistence.aws.loop import LoopThread
from persistence.dynamodb.faults import translated
from persistence.dynamodb.items import Attributes
from persistence.dynamodb.writes import Expressions
from persistence.items import LAST_CHAR


class Bulk(NamedTuple):
    """Where large answers are read: a loop, and a client that lives on it."""

    loop: LoopThread
    client: Client


class Sorts(NamedTuple):
    """A range of sort keys: > `after`, >= `low`, <= `high`."""

    after: str
    low: str
    high: str

    @classmethod
    def of(cls, after: str, up_to: str | None, prefix: str = "") -> "Sorts":
        """Join bounds into one range, since a query takes one condition on its sort key."""
        high = prefix + LAST_CHAR
        return cls(after, max(after, prefix), high if up_to is None else min(up_to, high))

    @property
    def empty(self) -> bool:
        """Whether no key can be in it."""
        return self.low > self.high or self.high <= self.after

    def condition(self, name: str, expressions: Expressions) -> str:
        """Return the condition on the attribute `name`; `after` itself may still pass."""
        if self.low and self.high != LAST_CHAR:
            low, high = expressions.value(self.low), expressions.value(self.high)
            return f" AND {expressions.name(name)} BETWEEN {low} AND {high}"
        if self.low:
            return f" AND {expressions.name(name)} >= {expressions.value(self.low)}"
        if self.high != LAST_CHAR:
            return f" AND {expressions.name(name)} <= {expressions.value(self.high)}"
        return ""


class Answer(NamedTuple):
    """One page of a query, and where the next begins (None: nowhere)."""

    items: list[Attributes]
    last: Attributes | None
    counted: int


async def ask(
    client: Client, arguments: dict[str, Any], start: Attributes | None, *, whole: bool = False
) -> Answer:
    """Read one page of a query, from its beginning or after `start`; of a `whole` table: a scan."""
    following = {} if start is None else {"ExclusiveStartKey": start}
    call = client.scan if whole else client.query
    with translated(arguments["TableName"]):
        answer = await call(**arguments, **following)
    last = answer.get("LastEvaluatedKey") or None
    return Answer(answer.get("Items", []), last, answer["Count"])
