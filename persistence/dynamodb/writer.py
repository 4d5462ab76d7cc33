"""Conditional writes on DynamoDB, alone or many as one transaction; tables and journal use it.

Owns the second look: at a condition that failed though the lost answer was our own, and at items
past their time that still lie there. A transaction's token makes the library's own tries count
once. Never tries again what a rival decided.
"""

from collections.abc import Callable, Mapping, Sequence

from botocore.exceptions import ClientError

from persistence.aws.clients import Client
from persistence.aws.faults import code_of, retried
from persistence.dynamodb.body import take_bodies
from persistence.dynamodb.faults import (
    CANCELLED,
    CONDITION,
    condition_failed,
    reasons_of,
    translated,
)
from persistence.dynamodb.items import Attributes, decoded_item
from persistence.dynamodb.names import TableNames
from persistence.dynamodb.outcomes import contended, ours, revived
from persistence.dynamodb.writes import Request, expired, request_of
from persistence.items import check_transaction
from persistence.ports import Item, Step, Write

ATTEMPTS = 6
"""Of a write that meets remnants, which others may revive or bury meanwhile."""


class Writer:
    """Writes; `wall_ms` tells what has expired, `new_token` names a transaction."""

    def __init__(
        self,
        client: Client,
        names: TableNames,
        *,
        wall_ms: Callable[[], int],
        new_token: Callable[[], str],
    ) -> None:
        take_bodies(client)
        self._client = client
        self._names = names
        self._wall_ms = wall_ms
        self._new_token = new_token

    async def write(self, write: Write) -> Item | None:
        """Do one write; returns the item as it is now. Raises ConditionFailed."""
        attempt: Step = write
        place = self._names.of(write.table)
        for _ in range(ATTEMPTS):
            now_s = self._wall_ms() // 1000
            request = request_of(attempt, self._names, now_s)
            with translated(place):
                try:
                    return _item(await self._call(request))
                except ClientError as error:
                    if code_of(error) != CONDITION:
                        raise
                    stored = error.response.get("Item")
                    remnant = expired(write.table, stored, now_s)
                    if retried(error) and not remnant and ours(attempt, stored):
                        return _item(stored)
                    following = _following([write], [attempt], {0: stored}, now_s)
                    if following is None:
                        raise
                    attempt = following[0]
        raise contended(place)

    async def transact(self, writes: Sequence[Step]) -> None:
        """Do all writes or none. Raises ConditionFailed."""
        check_transaction(writes)
        if not writes:
            return
        attempts, place = list(writes), self._names.of(writes[0].table)
        for _ in range(ATTEMPTS):
            now_s = self._wall_ms() // 1000
            with translated(place):
                try:
                    await self._together(attempts, now_s)
                except ClientError as error:
                    refused = _refused(error)
                    following = _following(writes, attempts, refused, now_s)
                    if not refused or following is None:
                        raise
                    attempts = following
                else:
                    return
        raise contended(place)

    async def _call(self, request: Request) -> Attributes | None:
        kind, arguments = request
        if kind == "Update":
            answer = await self._client.update_item(**arguments, ReturnValues="ALL_NEW")
            updated: Attributes = answer["Attributes"]
            return updated
        if kind == "Put":
            await self._client.put_item(**arguments)
            put: Attributes = arguments["Item"]
            return put
        await self._client.delete_item(**arguments)
        return None

    async def _together(self, writes: Sequence[Step], now_s: int) -> None:
        requests = [request_of(write, self._names, now_s) for write in writes]
        await self._client.transact_write_items(
            TransactItems=[{kind: arguments} for kind, arguments in requests],
            ClientRequestToken=self._new_token(),
        )


def _item(attributes: Attributes | None) -> Item | None:
    return None if attributes is None else decoded_item(attributes)


def _refused(error: ClientError) -> dict[int, Attributes | None]:
    """Return the writes of a cancelled transaction that found something else, and what."""
    if code_of(error) != CANCELLED:
        return {}
    reasons = enumerate(reasons_of(error))
    return {place: reason.get("Item") for place, reason in reasons if condition_failed(reason)}


def _following(
    writes: Sequence[Step],
    attempts: Sequence[Step],
    refused: Mapping[int, Attributes | None],
    now_s: int,
) -> list[Step] | None:
    """Return what to attempt next; None when a refusal stands."""
    following = list(attempts)
    for place, stored in refused.items():
        was_revived = attempts[place] is not writes[place]
        other = writes[place] if was_revived else revived(writes[place], stored, now_s)
        if other is None:
            return None
        following[place] = other
    return following
