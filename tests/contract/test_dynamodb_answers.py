"""DynamoDB's answers get lost, refuse, or come late: nothing is done twice, nothing is made up."""

import asyncio
from dataclasses import replace

import pytest

from persistence.aws.clients import Clients
from persistence.dynamodb import lookup
from persistence.dynamodb.names import TableNames
from persistence.errors import ConditionFailed, PermanentFault, StoreDamaged, TransientFault
from persistence.patient import PAUSES, patient
from persistence.ports import Condition, Delete, Item, Key, Lookback, Put, Rectangle, Store, Update
from persistence.tables import BANS, CONFIG, HISTORY, MAIN
from tests.contract.journal_contract import looked_up, read_all, wanted
from tests.contract.wall import Wall
from tests.support.answers import Answers
from tests.support.aws_proxy import AwsProxy
from tests.support.dynamodb import store_on
from tests.support.stores import control_item, history_item

KEY = Key("GAME", "place#0#main")
NEW = Condition(exists=False)
AT_ZERO = Condition(equals={"n": 0})


def item(**attributes: object) -> Item:
    return {"pk": KEY.partition, "sk": KEY.sort, **attributes}


@pytest.fixture
def dynamodb_endpoint(dynamodb_proxy: AwsProxy) -> str:
    return dynamodb_proxy.url


@pytest.fixture
def wall() -> Wall:
    return Wall(1_760_000_000_000)


@pytest.fixture
def store(clients: Clients, names: TableNames, wall: Wall) -> Store:
    return store_on(clients, names, wall)


async def test_a_put_whose_answer_was_lost_has_won(store: Store, dynamodb_proxy: AwsProxy) -> None:
    answers = Answers(dynamodb_proxy, "PutItem")
    answers.lose()
    assert await store.tables.write(Put(MAIN, item(owner="me"), NEW)) == item(owner="me")
    assert answers.sent == 2


async def test_a_rivals_item_is_not_taken_for_ones_own(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    await store.tables.write(Put(MAIN, item(owner="rival")))
    answers = Answers(dynamodb_proxy, "PutItem")
    answers.lose()
    with pytest.raises(ConditionFailed):
        await store.tables.write(Put(MAIN, item(owner="me"), NEW))
    assert answers.sent == 2
    assert await store.tables.get(MAIN, KEY) == item(owner="rival")


async def test_an_addition_on_condition_counts_once(store: Store, dynamodb_proxy: AwsProxy) -> None:
    await store.tables.write(Put(MAIN, item(n=0)))
    Answers(dynamodb_proxy, "UpdateItem").lose()
    update = Update(MAIN, KEY, add={"n": 1}, set={"by": "me"}, condition=AT_ZERO)
    assert await store.tables.write(update) == item(n=1, by="me")
    with pytest.raises(ConditionFailed):
        await store.tables.write(update)


async def test_an_addition_to_an_unknown_number_is_not_guessed(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    await store.tables.write(Put(MAIN, item(n=0, open=True)))
    Answers(dynamodb_proxy, "UpdateItem").lose()
    closing = Condition(equals={"open": True})
    with pytest.raises(TransientFault):
        await store.tables.write(
            Update(MAIN, KEY, add={"n": 1}, set={"open": False}, condition=closing)
        )


async def test_members_that_were_added_or_taken_out_unheard_are_so(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    await store.tables.write(Put(MAIN, item(open=True, who=frozenset({"ann"}))))
    answers = Answers(dynamodb_proxy, "UpdateItem")
    bob = {"who": frozenset({"bob"})}
    for change in ("add", "discard"):
        answers.lose()
        closing = Condition(equals={"open": True})
        closed = Update(MAIN, KEY, set={"open": False}, condition=closing)
        write = replace(closed, add=bob) if change == "add" else replace(closed, discard=bob)
        now = await store.tables.write(write)
        assert now == await store.tables.get(MAIN, KEY)
        assert now is not None
        assert ("bob" in now["who"]) == (change == "add")
        await store.tables.write(Put(MAIN, now | {"open": True}))


async def test_a_rivals_members_are_not_taken_for_ones_own(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    await store.tables.write(Put(MAIN, item(open=False, who=frozenset({"ann"}))))
    Answers(dynamodb_proxy, "UpdateItem").lose()
    add = {"who": frozenset({"bob"})}
    write = Update(
        MAIN, KEY, set={"open": False}, add=add, condition=Condition(equals={"open": True})
    )
    with pytest.raises(ConditionFailed):
        await store.tables.write(write)
    assert await store.tables.get(MAIN, KEY) == item(open=False, who=frozenset({"ann"}))


async def test_what_is_left_of_many_is_sent_again(store: Store, dynamodb_proxy: AwsProxy) -> None:
    items = [{"pk": "P", "sk": f"{n:02}"} for n in range(60)]
    answers = Answers(dynamodb_proxy, "BatchWriteItem")
    answers.refuse("ProvisionedThroughputExceededException", times=4)
    await store.tables.put_many(MAIN, items)
    assert (await store.tables.query(MAIN, "P")).items == items
    asked = Answers(dynamodb_proxy, "BatchGetItem")
    asked.refuse("ThrottlingException", times=4)
    keys = [Key("P", each["sk"]) for each in items]
    assert await store.tables.get_many(MAIN, keys) == items


async def test_another_programs_value_is_named_with_its_item(
    store: Store, clients: Clients, names: TableNames
) -> None:
    foreign = {"PK": {"S": "BAN#user#ann"}, "SK": {"S": "BAN"}, "tags": {"NS": ["1"]}}
    await clients.dynamodb.put_item(TableName=names.of(BANS), Item=foreign)
    key = Key("BAN#user#ann", "BAN")
    for read in (
        store.tables.get(BANS, key),
        store.tables.get_many(BANS, [key]),
        store.tables.scan(BANS),
        store.tables.query(BANS, key.partition),
    ):
        with pytest.raises(
            StoreDamaged, match="BAN#user#ann / BAN: the attribute 'tags'"
        ) as damage:
            await read
        assert "tesserae store check" in damage.value.hint


async def test_a_delete_whose_answer_was_lost_is_done(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    await store.tables.write(Put(MAIN, item()))
    Answers(dynamodb_proxy, "DeleteItem").lose()
    assert await store.tables.write(Delete(MAIN, KEY, Condition(exists=True))) is None
    assert await store.tables.get(MAIN, KEY) is None


async def test_a_transaction_whose_answer_was_lost_counts_once(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    answers = Answers(dynamodb_proxy, "TransactWriteItems")
    answers.lose()
    await store.tables.transact([Update(MAIN, KEY, add={"n": 1})])
    assert answers.sent == 2
    assert await store.tables.get(MAIN, KEY) == item(n=1)


async def test_a_control_event_is_committed_again_without_a_second_change(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    event, config = control_item(1, "settings"), Key("CONFIG", "SINGLETON")
    write = Update(CONFIG, config, add={"growths": 1})
    Answers(dynamodb_proxy, "TransactWriteItems").lose(times=3)
    with pytest.raises(TransientFault):
        await store.journal.commit([event], [write])
    await store.journal.commit([event], [write])
    assert await store.tables.get(CONFIG, config) == {"PK": "CONFIG", "SK": "SINGLETON"} | {
        "growths": 1
    }
    with pytest.raises(ConditionFailed):
        await store.journal.commit([event | {"fence": 2}], [write])
    assert await read_all(store.journal, "HISTORY") == [event]


async def test_control_events_without_writes_are_all_there_or_none(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    events = [control_item(seq, "cells") for seq in (1, 2)]
    answers = Answers(dynamodb_proxy, "TransactWriteItems")
    await store.journal.commit(events)
    await store.journal.commit(events)
    assert answers.sent == 2
    assert await read_all(store.journal, "HISTORY") == events


async def test_a_large_transaction_is_sent_again_whole(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    events = [control_item(seq, "cells") | {"records": "x" * 350_000} for seq in range(1, 6)]
    answers = Answers(dynamodb_proxy, "TransactWriteItems")
    answers.lose()
    await store.journal.commit(events)
    assert answers.sent == 2
    assert await read_all(store.journal, "HISTORY") == events


async def test_throttled_batches_wait_and_are_stored(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    answers = Answers(dynamodb_proxy, "BatchWriteItem")
    answers.refuse("ProvisionedThroughputExceededException", times=4)
    items = [history_item(seq) for seq in range(1, 31)]
    await store.journal.commit(items)
    assert answers.sent == 2 + 4
    assert await read_all(store.journal, "HISTORY") == items


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceNotFoundException"])
async def test_what_cannot_succeed_is_told_with_its_remedy(
    store: Store, dynamodb_proxy: AwsProxy, code: str
) -> None:
    Answers(dynamodb_proxy, "BatchWriteItem").refuse(code, times=100)
    with pytest.raises(PermanentFault) as refused:
        await store.journal.commit([history_item(1)])
    assert "-history" in str(refused.value)
    assert refused.value.hint


async def test_a_number_beyond_what_stores_hold_keeps_all_of_a_commit_out(store: Store) -> None:
    items = [history_item(seq) for seq in range(1, 60)]
    for bad in (float("nan"), float("inf"), 1e300, 2**64):
        with pytest.raises(PermanentFault):
            await store.journal.commit([*items, history_item(60) | {"previous": bad}])
    assert await store.journal.count(["HISTORY"]) == 0


async def test_one_key_twice_in_a_commit_is_stored_as_the_last(store: Store) -> None:
    first, last = history_item(1), history_item(1) | {"colorIndex": 9}
    await store.journal.commit([first, last])
    await store.journal.delete([Key(last["PK"], last["SK"])] * 2 + [Key("HISTORY", "x")])
    assert await read_all(store.journal, "HISTORY") == []


async def test_an_area_too_wide_for_the_index_is_walked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookup, "INDEX_ANSWERS", 0)
    monkeypatch.setattr(lookup, "WALK_CHUNKS", 1)
    shards = ["HISTORY", "HISTORY#s00"]
    items = [
        history_item(seq, partition=shards[seq % 2], x=seq % 4, y=seq % 3) for seq in range(1, 60)
    ]
    await store.journal.commit(items)
    expected = [each for each in items if wanted("area", each)][::-1]
    for limit in (1, 3, 100):
        assert await looked_up(store.journal, "area", limit) == expected


async def test_a_walk_goes_on_from_a_page_that_found_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookup, "INDEX_ANSWERS", 0)
    monkeypatch.setattr(lookup, "WALK_CHUNKS", 1)
    filler = [history_item(seq, x=5) | {"note": "x" * 200_000} for seq in range(2, 16)]
    await store.journal.commit([history_item(1), *filler])
    pages, cursor = 0, None
    found: list[Item] = []
    while pages < 20:
        page = await store.journal.within(
            ["HISTORY"], Rectangle(0, 0, 0, 0), Lookback(cursor=cursor)
        )
        found += page.items
        pages, cursor = pages + 1, page.cursor
        if cursor is None:
            break
    assert found == [history_item(1)]
    assert pages > 2


async def test_a_remnant_is_revived_by_one_of_many(store: Store, wall: Wall) -> None:
    await store.tables.write(Put(MAIN, item(expiresAt=wall.ms // 1000, n=7)))
    adds = [store.tables.write(Update(MAIN, KEY, add={"n": 1})) for _ in range(6)]
    results = await asyncio.gather(*adds)
    assert sorted(each["n"] for each in results if each) == [1, 2, 3, 4, 5, 6]


async def test_a_remnant_in_a_transaction_counts_as_absent(store: Store, wall: Wall) -> None:
    await store.tables.write(Put(MAIN, item(expiresAt=wall.ms // 1000, n=7)))
    other = Put(HISTORY, history_item(1))
    with pytest.raises(ConditionFailed):
        await store.tables.transact(
            [other, Update(MAIN, KEY, add={"n": 1}, condition=Condition(exists=True))]
        )
    await store.tables.transact([other, Update(MAIN, KEY, add={"n": 1}, condition=NEW)])
    assert await store.tables.get(MAIN, KEY) == item(n=1)


async def test_expired_rows_do_not_end_a_query(store: Store, wall: Wall) -> None:
    for name in "abcdefgh":
        expires_s = wall.ms // 1000 + (0 if name in "abcdg" else 9)
        await store.tables.write(Put(MAIN, {"pk": "P", "sk": name, "expiresAt": expires_s}))
    page = await store.tables.query(MAIN, "P", limit=2)
    assert [each["sk"] for each in page.items] == ["e", "f"]
    page = await store.tables.query(MAIN, "P", limit=2, cursor=page.cursor)
    assert [each["sk"] for each in page.items] == ["h"]


async def test_a_reading_of_the_history_goes_on_where_it_was_throttled(
    store: Store, dynamodb_proxy: AwsProxy
) -> None:
    items = [history_item(seq) for seq in range(1, 61)]
    await store.journal.commit(items)
    told, slept = list[str](), list[float]()

    async def sleep(pause: float) -> None:
        slept.append(pause)

    reading = patient(store, lambda fault: told.append(str(fault)), sleep)
    answers = Answers(dynamodb_proxy, "Query")
    found: list[Item] = []
    async for page in reading.journal.read(["HISTORY"], page=10):
        found += page
        if answers.sent == 2:
            answers.refuse("ProvisionedThroughputExceededException", times=12)
    assert found == items
    assert slept == list(PAUSES[: len(slept)])
    assert "ProvisionedThroughputExceededException" in told[0]
