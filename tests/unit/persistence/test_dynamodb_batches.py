"""Batches: shared out, sent again as far as they were left undone, given up when nothing moves."""

from typing import Any

import orjson
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from botocore.hooks import HierarchicalEmitter

from persistence.dynamodb.batches import (
    BATCH_BYTES,
    MAX_IDLE_ROUNDS,
    BatchReader,
    BatchWriter,
    batches_of,
    put_request,
)
from persistence.dynamodb.body import MAX_PLAIN_BYTES
from persistence.errors import PermanentFault, TransientFault

TABLE = "t-history"


class FakeClient:
    """Takes as many of each batch as it is told to, and answers with faults."""

    def __init__(self, *taken: int | Exception) -> None:
        self.taken = list(taken)
        self.stored: list[Any] = []
        self.calls = 0
        self.meta = self
        self.events = HierarchicalEmitter()

    def take(self, batch: list[Any]) -> list[Any]:
        """What is left of a batch."""
        self.calls += 1
        told = self.taken.pop(0) if self.taken else len(batch)
        if isinstance(told, Exception):
            raise told
        self.stored += batch[:told]
        return batch[told:]

    async def batch_write_item(self, *, RequestItems: dict[str, Any]) -> dict[str, Any]:  # noqa: N803
        params = {"body": orjson.dumps({"RequestItems": RequestItems})}
        self.events.emit("before-call.dynamodb.BatchWriteItem", params=params)
        left = self.take(orjson.loads(params["body"])["RequestItems"][TABLE])
        return {"UnprocessedItems": {TABLE: left} if left else {}}

    async def batch_get_item(self, *, RequestItems: dict[str, Any]) -> dict[str, Any]:  # noqa: N803
        batch = RequestItems[TABLE]["Keys"]
        left = self.take(batch)
        found = batch[: len(batch) - len(left)]
        unprocessed = {TABLE: {"Keys": left, "ConsistentRead": True}} if left else {}
        return {"Responses": {TABLE: found}, "UnprocessedKeys": unprocessed}


class Pauses:
    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


def items(count: int) -> list[dict[str, Any]]:
    return [{"SK": {"S": str(n)}} for n in range(count)]


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "told"}}, "BatchWriteItem")


async def write(client: FakeClient, pauses: Pauses, count: int) -> None:
    await BatchWriter(client, TABLE, pauses).write([put_request(item) for item in items(count)])


def stored(client: FakeClient) -> list[dict[str, Any]]:
    return [request["PutRequest"]["Item"] for request in client.stored]


async def test_what_is_left_undone_is_sent_again() -> None:
    client, pauses = FakeClient(10, 0, 4), Pauses()
    await write(client, pauses, 25)
    assert sorted(map(str, stored(client))) == sorted(map(str, items(25)))
    assert client.calls == 4
    assert len(pauses.slept) == 3


async def test_throttling_is_waited_out_ever_longer() -> None:
    throttled = [refused("ThrottlingException") for _ in range(MAX_IDLE_ROUNDS - 1)]
    client, pauses = FakeClient(*throttled), Pauses()
    await write(client, pauses, 3)
    assert stored(client) == items(3)
    assert pauses.slept == sorted(pauses.slept)
    assert pauses.slept[-1] > pauses.slept[0]


async def test_a_table_that_takes_nothing_is_given_up() -> None:
    client = FakeClient(*[0] * 100)
    with pytest.raises(TransientFault):
        await write(client, Pauses(), 3)
    assert client.calls == MAX_IDLE_ROUNDS
    client = FakeClient(*[refused("ThrottlingException")] * 100)
    with pytest.raises(TransientFault):
        await write(client, Pauses(), 3)


async def test_who_gets_no_answer_is_told_at_once() -> None:
    client = FakeClient(EndpointConnectionError(endpoint_url="http://away"))
    with pytest.raises(TransientFault):
        await write(client, Pauses(), 3)
    assert client.calls == 1


async def test_what_cannot_succeed_counts_more_than_what_may() -> None:
    away, missing = refused("InternalServerError"), refused("ResourceNotFoundException")
    client = FakeClient(EndpointConnectionError(endpoint_url="http://away"), missing, away)
    with pytest.raises(PermanentFault):
        await write(client, Pauses(), 75)


async def test_reads_go_on_until_all_is_answered() -> None:
    client = FakeClient(60, 0, 20)
    found = await BatchReader(client, TABLE, Pauses()).read(items(250))
    assert sorted(map(str, found)) == sorted(map(str, items(250)))


def test_batches_are_bounded_in_items_and_bytes() -> None:
    small = [b"x"] * 60
    assert [len(batch) for batch in batches_of(small)] == [25, 25, 10]
    large = [b"x" * 350_000] * 7
    assert [len(batch) for batch in batches_of(large)] == [2, 2, 2, 1]
    assert BATCH_BYTES <= MAX_PLAIN_BYTES
    assert batches_of([]) == []
    assert [len(batch) for batch in batches_of([b"x" * 2 * BATCH_BYTES, b"y"])] == [1, 1]
