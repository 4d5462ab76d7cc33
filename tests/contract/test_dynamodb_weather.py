"""DynamoDB under strain, by a proxy before the peer: half-done batches, throttling, cancellations.

What was said to be stored is there once, in order; what was not said may be tried again.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from random import Random

import pytest

from persistence.aws.clients import Clients
from persistence.dynamodb import batches
from persistence.dynamodb.names import TableNames
from persistence.errors import PermanentFault, TransientFault
from persistence.ports import Condition, Key, Put, Store, Update
from persistence.tables import CONFIG, MAIN
from tests.contract.journal_contract import read_all
from tests.contract.wall import Wall
from tests.support.answers import Answers
from tests.support.aws_proxy import AwsProxy, throttled, unprocessed
from tests.support.dynamodb import store_on
from tests.support.stores import control_item, history_item

WRITES = ("BatchWriteItem", "TransactWriteItems", "PutItem", "UpdateItem")
ITEMS = [history_item(seq) for seq in range(1, 141)]
KEY = Key("CONFIG", "SINGLETON")
TRIES = 50


@pytest.fixture
def dynamodb_endpoint(dynamodb_proxy: AwsProxy) -> str:
    return dynamodb_proxy.url


@pytest.fixture
def store(clients: Clients, names: TableNames, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(batches, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(batches, "LAST_PAUSE", 0.001)
    return store_on(clients, names, Wall(1_760_000_000_000))


async def insisting(call: Callable[[], Awaitable[object]]) -> None:
    """Do it as the committer does: again, while the fault may pass."""
    for _ in range(TRIES):
        try:
            await call()
        except TransientFault:
            continue
        return
    raise AssertionError("it never passed")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.7])
async def test_what_a_batch_leaves_undone_is_done(
    store: Store, dynamodb_proxy: AwsProxy, share: float
) -> None:
    dynamodb_proxy.acts["BatchWriteItem"] = unprocessed(Random(share), share)
    await insisting(lambda: store.journal.commit(ITEMS))
    assert await read_all(store.journal, "HISTORY") == ITEMS
    await insisting(lambda: store.journal.delete([Key(i["PK"], i["SK"]) for i in ITEMS[:-1]]))
    assert await read_all(store.journal, "HISTORY") == ITEMS[-1:]


async def test_a_table_that_takes_nothing_is_told_and_takes_it_later(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    dynamodb_proxy.acts["BatchWriteItem"] = unprocessed(Random(1), 1)
    with pytest.raises(TransientFault, match="takes nothing") as told:
        await store.journal.commit(ITEMS)
    assert told.value.hint
    assert await read_all(store.journal, "HISTORY") == []
    del dynamodb_proxy.acts["BatchWriteItem"]
    await store.journal.commit(ITEMS)
    assert await read_all(store.journal, "HISTORY") == ITEMS


async def test_with_half_of_all_calls_throttled_all_is_stored_once(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    await store.tables.write(Put(CONFIG, {"PK": KEY.partition, "SK": KEY.sort, "seq": 0}))
    for operation in (*WRITES, "Query", "BatchGetItem"):
        dynamodb_proxy.acts[operation] = throttled(Random(operation), 0.5)
    placed = [item for item in ITEMS if item["seq"] % 60]
    await insisting(lambda: store.journal.commit(placed))
    for seq in (60, 120):
        before = Condition(equals={"seq": seq - 60})
        write = Update(CONFIG, KEY, add={"seq": 60}, condition=before)
        event = control_item(seq, "settings")
        await insisting(partial(store.journal.commit, [event], [write]))
    dynamodb_proxy.acts.clear()
    stored = await read_all(store.journal, "HISTORY")
    assert [item["seq"] for item in stored] == list(range(1, 141))
    config = await store.tables.get(CONFIG, KEY)
    assert config is not None
    assert config["seq"] == 120


@pytest.mark.parametrize(
    "reasons",
    [
        ["TransactionConflict", "None"],
        ["None", "ThrottlingError"],
        ["ProvisionedThroughputExceeded"],
    ],
)
async def test_a_transaction_that_others_cancel_is_tried_again(
    store: Store, dynamodb_proxy: AwsProxy, reasons: list[str]
) -> None:
    answers = Answers(dynamodb_proxy, "TransactWriteItems")
    told = [{"Code": code} for code in reasons]
    answers.refuse("TransactionCanceledException", CancellationReasons=told)
    event, write = control_item(1, "settings"), Update(CONFIG, KEY, add={"growths": 1})
    with pytest.raises(TransientFault, match=reasons[-1]):
        await store.journal.commit([event], [write])
    await store.journal.commit([event], [write])
    await store.journal.commit([event], [write])
    config = await store.tables.get(CONFIG, KEY)
    assert config is not None
    assert config["growths"] == 1


@pytest.mark.parametrize(
    ("code", "message", "kind", "remedy"),
    [
        ("ExpiredTokenException", "The security token is expired", PermanentFault, "token"),
        ("UnrecognizedClientException", "not valid", PermanentFault, "AWS_ACCESS_KEY_ID"),
        ("InvalidSignatureException", "does not match", PermanentFault, "AWS_SECRET_ACCESS_KEY"),
        (
            "InvalidSignatureException",
            "Signature expired: 1 is now earlier",
            TransientFault,
            "clock",
        ),
    ],
)
async def test_credentials_and_clocks_are_told_with_what_helps(
    store: Store,
    dynamodb_proxy: AwsProxy,
    code: str,
    message: str,
    kind: type[Exception],
    remedy: str,
) -> None:
    for operation in WRITES:
        Answers(dynamodb_proxy, operation).refuse(code, times=100, message=message)
    calls = (
        store.journal.commit(ITEMS[:1]),
        store.journal.commit([control_item(1, "settings")], [Update(CONFIG, KEY, set={"a": 1})]),
        store.tables.write(Put(MAIN, {"pk": "P", "sk": "S"})),
    )
    for call in calls:
        with pytest.raises(kind) as refused:
            await call
        assert remedy in getattr(refused.value, "hint", "")
    dynamodb_proxy.acts.clear()
    assert await read_all(store.journal, "HISTORY") == []
