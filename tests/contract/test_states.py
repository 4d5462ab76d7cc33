"""Any order of calls leaves Tables and Journal as a plain dict would be, in both stores."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import persistence.sqlite.journal
import persistence.sqlite.lookup
from persistence.embedded.store import open_embedded
from persistence.errors import ConditionFailed
from persistence.ports import (
    Condition,
    Delete,
    Item,
    Key,
    Lookback,
    Page,
    Put,
    Rectangle,
    Store,
    Update,
    Write,
)
from persistence.tables import HISTORY, MAIN
from tests.contract.wall import Wall
from tests.support.memory_store import Rows, open_memory

Result = TypeVar("Result")

SORTS = st.sampled_from(["a", "a#", "a#1", "b", "é", "😀"])
NAMES = st.sampled_from(["n", "m", "t"])
VALUES = st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.sampled_from(["", "x"]))
MEMBERS = st.sampled_from(["ann", "", "ü"])
ATTRIBUTES = st.dictionaries(NAMES, VALUES, max_size=2)
CONDITIONS = st.one_of(
    st.none(),
    st.builds(Condition, exists=st.booleans()),
    st.builds(Condition, equals=st.dictionaries(NAMES, VALUES, min_size=1, max_size=1)),
    st.builds(Condition, absent=st.tuples(NAMES)),
    st.builds(Condition, at_least=st.dictionaries(NAMES, st.integers(0, 2), max_size=1)),
    st.builds(Condition, at_most=st.dictionaries(NAMES, st.integers(0, 2), max_size=1)),
    st.builds(Condition, equals=st.fixed_dictionaries({"who": st.frozensets(MEMBERS)})),
)
SHARDS = ["HISTORY", "HISTORY#s00"]


def write_of(
    sort: str,
    kind: str,
    attributes: dict[str, Any],
    members: frozenset[str],
    condition: Condition | None,
) -> Write:
    match kind:
        case "put":
            return Put(MAIN, {"pk": "P", "sk": sort, **attributes}, condition)
        case "update":
            return Update(MAIN, Key("P", sort), attributes, add={"count": 1}, condition=condition)
        case "join":
            return Update(MAIN, Key("P", sort), add={"who": members}, condition=condition)
        case "leave":
            gone = {"who": members}
            return Update(MAIN, Key("P", sort), discard=gone, condition=condition)
        case _:
            return Delete(MAIN, Key("P", sort), condition)


WRITES = st.builds(
    write_of,
    SORTS,
    st.sampled_from(["put", "update", "join", "leave", "delete"]),
    ATTRIBUTES,
    st.frozensets(MEMBERS, min_size=1),
    CONDITIONS,
)
PLACEMENTS = st.builds(
    lambda seq, shard, x, y, user: {
        "PK": SHARDS[shard],
        "SK": f"ts#{seq:04d}",
        "x_original": x - 1,
        "y_original": y - 1,
        "userId": f"u{user}",
        "seq": seq,
    },
    st.integers(1, 12),
    st.integers(0, 1),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 1),
)


def holds(condition: Condition | None, item: Item | None) -> bool:
    """Conditions said once more, and differently."""
    if condition is None:
        return True
    found = {} if item is None else item
    wanted = [
        name in found and (type(found[name]), found[name]) == (type(value), value)
        for name, value in condition.equals.items()
    ]
    return (
        all(wanted)
        and not set(condition.absent) & set(found)
        and condition.exists in (None, item is not None)
        and all(type(found.get(n)) is int and found[n] >= v for n, v in condition.at_least.items())
        and all(type(found.get(n)) is int and found[n] <= v for n, v in condition.at_most.items())
    )


def changed(item: Item, update: Update) -> Item:
    """An update said once more, and differently."""
    changed = {**item, **update.set}
    if "count" in update.add:
        changed["count"] = changed.get("count", 0) + 1
        return changed
    joining, leaving = update.add.get("who", frozenset()), update.discard.get("who", frozenset())
    assert isinstance(joining, frozenset)
    who = {*changed.pop("who", ()), *joining} - leaving
    return {**changed, "who": who} if who else changed


class StoreMachine(RuleBasedStateMachine):
    """One store beside two dicts."""

    def open(self) -> None:
        raise NotImplementedError

    @initialize()
    def begin(self) -> None:
        self.wall = Wall(1_760_000_000_000)
        self.runner = asyncio.Runner()
        self.resources = AsyncExitStack()
        self.main: dict[str, Item] = {}
        self.history: dict[tuple[str, str], Item] = {}
        self.directory = tempfile.TemporaryDirectory()
        self.store: Store
        self.open()

    def run(self, awaitable: Awaitable[Result]) -> Result:
        async def awaited() -> Result:
            return await awaitable

        return self.runner.run(awaited())

    def expect(self, writes: list[Write]) -> bool:
        """Do the writes to the dict; whether they hold."""
        after = dict(self.main)
        for write in writes:
            sort = write.item["sk"] if isinstance(write, Put) else write.key.sort
            if not holds(write.condition, self.main.get(sort)):
                return False
            match write:
                case Put():
                    after[sort] = write.item
                case Delete():
                    after.pop(sort, None)
                case Update():
                    after[sort] = changed(after.get(sort, {"pk": "P", "sk": sort}), write)
        self.main = after
        return True

    @rule(write=WRITES)
    def write_one(self, write: Write) -> None:
        if self.expect([write]):
            sort = write.item["sk"] if isinstance(write, Put) else write.key.sort
            assert self.run(self.store.tables.write(write)) == self.main.get(sort)
        else:
            self.refused(self.store.tables.write(write))

    @rule(writes=st.lists(WRITES, max_size=3, unique_by=lambda write: str(key_sort(write))))
    def transact(self, writes: list[Write]) -> None:
        if self.expect(writes):
            self.run(self.store.tables.transact(writes))
        else:
            self.refused(self.store.tables.transact(writes))

    @rule(items=st.lists(PLACEMENTS, max_size=5), write=st.one_of(st.none(), WRITES))
    def commit(self, items: list[Item], write: Write | None) -> None:
        writes = [] if write is None else [write]
        if not self.expect(writes):
            self.refused(self.store.journal.commit(items, writes))
            return
        self.run(self.store.journal.commit(items, writes))
        self.history.update({(item["SK"], item["PK"]): item for item in items})

    @rule(seq=st.integers(1, 12), shard=st.integers(0, 1))
    def delete(self, seq: int, shard: int) -> None:
        key = Key(SHARDS[shard], f"ts#{seq:04d}")
        self.run(self.store.journal.delete([key]))
        self.history.pop((key.sort, key.partition), None)

    @rule()
    def open_again(self) -> None:
        self.run(self.resources.aclose())
        self.open()

    def refused(self, awaitable: Awaitable[object]) -> None:
        try:
            self.run(awaitable)
        except ConditionFailed:
            return
        raise AssertionError("the condition was said to hold")

    @invariant()
    def tables_agree(self) -> None:
        found = self.run(self.store.tables.query(MAIN, "P"))
        assert found.items == [self.main[sort] for sort in sorted(self.main)]

    @invariant()
    def journal_agrees(self) -> None:
        expected = [item for _, item in sorted(self.history.items(), key=lambda pair: pair[0])]
        assert self.run(self.read_all()) == expected
        area = Rectangle(-1, -1, 0, 1)
        inside = [item for item in expected if item["x_original"] <= 0][::-1]
        mine = [item for item in expected if item["userId"] == "u1"][::-1]
        journal = self.store.journal
        assert self.looked_up(partial(journal.within, SHARDS, area)) == inside
        assert self.looked_up(partial(journal.by_user, "u1")) == mine
        assert self.looked_up(partial(journal.newest, SHARDS)) == expected[::-1]

    def looked_up(self, look: Callable[[Lookback], Awaitable[Page]]) -> list[Item]:
        page = self.run(look(Lookback(limit=2)))
        items = page.items
        while page.cursor is not None:
            assert len(items) < 100
            page = self.run(look(Lookback(limit=2, cursor=page.cursor)))
            items = items + page.items
        return items

    async def read_all(self) -> list[Item]:
        pages = [page async for page in self.store.journal.read(SHARDS, page=3)]
        return [item for page in pages for item in page]

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.run(self.resources.aclose())
            self.runner.close()
            self.directory.cleanup()


def key_sort(write: Write) -> str:
    return str(write.item["sk"]) if isinstance(write, Put) else write.key.sort


class MemoryMachine(StoreMachine):
    rows: Rows

    def open(self) -> None:
        if not hasattr(self, "rows"):
            self.rows = {}
        self.store = open_memory(self.wall, self.rows)
        assert all(name in (MAIN.name, HISTORY.name) for name, _ in self.rows)


class EmbeddedMachine(StoreMachine):
    """With segments so small that a lookup goes through many, two of them a call."""

    def open(self) -> None:
        if not hasattr(self, "patches"):
            self.patches = pytest.MonkeyPatch()
            self.patches.setattr(persistence.sqlite.journal, "SEGMENT_ITEMS", 2)
            self.patches.setattr(persistence.sqlite.lookup, "MAX_SEGMENTS", 2)
        opening = open_embedded(Path(self.directory.name), wall_ms=self.wall)
        self.store = self.run(self.resources.enter_async_context(opening))

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "patches"):
            self.patches.undo()


SETTINGS = settings(
    max_examples=15,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestMemoryStates = MemoryMachine.TestCase
TestMemoryStates.settings = SETTINGS
TestEmbeddedStates = EmbeddedMachine.TestCase
TestEmbeddedStates.settings = SETTINGS
