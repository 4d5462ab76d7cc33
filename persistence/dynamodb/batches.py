"""Many items in few calls on DynamoDB: written 25 at once, read 100 at once.

DynamoDB may leave a part of a batch undone, or all of it when it throttles: that part goes back
into the queue, after a pause that doubles. Gives way with a TransientFault when nothing moves any
more. Writes carry no condition, so that doing them again is harmless.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import orjson
from botocore.exceptions import ClientError

from persistence.aws.clients import Client
from persistence.dynamodb.body import take_bodies, written
from persistence.dynamodb.faults import translated
from persistence.dynamodb.items import Attributes, encoded_attributes, encoded_key
from persistence.errors import PermanentFault, TransientFault
from persistence.items import checked_key, key_of
from persistence.ports import Item, Key, Table

WRITES = 25
READS = 100
BATCH_BYTES = 1024 * 1024
"""DynamoDB takes 16 MB, but a lost answer means to send all of it again."""
IN_FLIGHT = 8
"""Batches at once: 25 items take a round trip each, and more would only queue at the table."""
FIRST_PAUSE = 0.05
LAST_PAUSE = 1.0
MAX_IDLE_ROUNDS = 6
"""Rounds in which nothing of a batch was done; 2.6 s with the pauses between."""
_BUSY = "look for throttling of the table or its indexes; it is tried again by itself"

Sleep = Callable[[float], Awaitable[None]]
ENCODED_AT_ONCE = 100
"""Items encoded in one turn of the loop: 1 ms."""
WriteRequest = bytes
"""One `PutRequest` or `DeleteRequest` as JSON."""


class BatchWriter:
    """Writes to one table; at most `IN_FLIGHT` batches at once, whoever asks."""

    def __init__(self, client: Client, table_name: str, sleep: Sleep = asyncio.sleep) -> None:
        take_bodies(client)
        self._client = client
        self._table_name = table_name
        self._pauses = Pauses(table_name, sleep)
        self._slots = asyncio.Semaphore(IN_FLIGHT)

    async def write(self, requests: Sequence[WriteRequest]) -> None:
        """Return when all is stored. Raises TransientFault, then some of it may be."""
        batches = batches_of(requests)
        results = await asyncio.gather(
            *(self._write(batch) for batch in batches), return_exceptions=True
        )
        faults = [result for result in results if isinstance(result, BaseException)]
        if faults:
            raise next((each for each in faults if isinstance(each, PermanentFault)), faults[0])

    async def _write(self, batch: list[WriteRequest]) -> None:
        async with self._slots:
            await self._pauses.until_done(batch, self._call)

    async def _call(self, batch: list[WriteRequest]) -> list[WriteRequest]:
        body = b'{"RequestItems":{"%b":[%b]}}' % (self._table_name.encode(), b",".join(batch))
        with translated(self._table_name), written(body):
            answer = await self._client.batch_write_item(RequestItems={})
        left = answer.get("UnprocessedItems", {}).get(self._table_name, [])
        return [orjson.dumps(request) for request in left]


async def put_requests(table: Table, items: Sequence[Item]) -> list[WriteRequest]:
    """Encode all items before one is written, a few in each turn; of equal keys the last counts."""
    requests: dict[Key, WriteRequest] = {}
    for first in range(0, len(items), ENCODED_AT_ONCE):
        if first:
            await asyncio.sleep(0)
        for item in items[first : first + ENCODED_AT_ONCE]:
            requests[key_of(table, item)] = put_request(encoded_attributes(item))
    return list(requests.values())


def delete_requests(table: Table, keys: Sequence[Key]) -> list[WriteRequest]:
    """Return what removes items, each once."""
    wanted = [encoded_key(table, *checked_key(key)) for key in dict.fromkeys(keys)]
    return [b'{"DeleteRequest":{"Key":%b}}' % orjson.dumps(key) for key in wanted]


def put_request(item: Attributes) -> WriteRequest:
    """Return the request that writes a whole item."""
    return b'{"PutRequest":{"Item":%b}}' % orjson.dumps(item)


def batches_of(requests: Sequence[WriteRequest]) -> list[list[WriteRequest]]:
    """Share requests out to batches of at most `WRITES` and some `BATCH_BYTES`, in their order."""
    batches: list[list[WriteRequest]] = []
    size_bytes = 0
    for request in requests:
        size_bytes += len(request)
        if not batches or len(batches[-1]) == WRITES or size_bytes > BATCH_BYTES:
            batches.append([])
            size_bytes = len(request)
        batches[-1].append(request)
    return batches


class BatchReader:
    """Reads full items of one table by key, consistently."""

    def __init__(self, client: Client, table_name: str, sleep: Sleep = asyncio.sleep) -> None:
        self._client = client
        self._table_name = table_name
        self._pauses = Pauses(table_name, sleep)

    async def read(self, keys: Sequence[Attributes]) -> list[Attributes]:
        """Return the items that are there, in any order."""
        found: list[Attributes] = []

        async def call(batch: list[Attributes]) -> list[Attributes]:
            wanted = {self._table_name: {"Keys": batch, "ConsistentRead": True}}
            with translated(self._table_name):
                answer = await self._client.batch_get_item(RequestItems=wanted)
            found.extend(answer.get("Responses", {}).get(self._table_name, []))
            left = answer.get("UnprocessedKeys", {}).get(self._table_name, {})
            following: list[Attributes] = left.get("Keys", [])
            return following

        for first in range(0, len(keys), READS):
            await self._pauses.until_done(list(keys[first : first + READS]), call)
        return found


class Pauses(NamedTuple):
    """How a batch waits for what was left undone."""

    table_name: str
    sleep: Sleep

    async def until_done(
        self, batch: list[Any], call: Callable[[list[Any]], Awaitable[list[Any]]]
    ) -> None:
        """Call with what is left, until nothing is."""
        pause, idle = FIRST_PAUSE, 0
        while batch:
            left, fault = await self._attempt(batch, call)
            idle = idle + 1 if len(left) == len(batch) else 0
            if idle == MAX_IDLE_ROUNDS:
                raise fault or TransientFault(f"table {self.table_name} takes nothing", _BUSY)
            batch = left
            if batch:
                await self.sleep(pause)
                pause = min(LAST_PAUSE, pause * 2) if idle else FIRST_PAUSE

    async def _attempt(
        self, batch: list[Any], call: Callable[[list[Any]], Awaitable[list[Any]]]
    ) -> tuple[list[Any], TransientFault | None]:
        try:
            return await call(batch), None
        except TransientFault as fault:
            if not isinstance(fault.__cause__, ClientError):
                raise  # nobody answers: the caller is told at once, and tries again for ever
            return batch, fault
