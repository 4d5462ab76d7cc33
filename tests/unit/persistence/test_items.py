"""Broken items in the embedded file are named; sets of strings keep apart from what looks alike."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from persistence.embedded.store import DATABASE_NAME
from persistence.errors import PermanentFault, StoreDamaged
from persistence.ports import Key, Put, Update
from persistence.tables import BANS
from persistence.values import check_values, decoded, encoded
from tests.support.stores import embedded

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["$set", '{"$set":', '"$set":["a"]', '\\"$set']
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | TEXTS | st.frozensets(TEXTS, min_size=1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)
BAN = Key("BAN#user#ann", "BAN")


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_is_written_down_comes_back_or_is_refused(item: dict[str, Any]) -> None:
    try:
        check_values(item)
    except PermanentFault as refusal:
        assert "$set" in str(refusal)  # noqa: PT017 - most are not refused
    else:
        if "$set" not in item:
            assert decoded(encoded(item)) == item


async def test_an_item_that_is_no_json_is_named(tmp_path: Path) -> None:
    async with embedded(tmp_path) as store:
        for name in ("amy", "ann", "bob"):
            await store.tables.write(Put(BANS, {"PK": f"BAN#user#{name}", "SK": "BAN"}))
    connection = sqlite3.connect(tmp_path / DATABASE_NAME)
    connection.execute(
        "UPDATE bans SET item = substr(item, 1, length(item) - 1) WHERE PK = ?", (BAN.partition,)
    )
    connection.commit()
    connection.close()
    async with embedded(tmp_path) as store:
        for read in (
            store.tables.get(BANS, BAN),
            store.tables.get_many(BANS, [BAN]),
            store.tables.query(BANS, BAN.partition),
            store.tables.scan(BANS),
            store.tables.write(Update(BANS, BAN, set={"reason": "x"})),
        ):
            with pytest.raises(StoreDamaged, match="BAN#user#ann") as damage:
                await read
            assert "tesserae store check" in damage.value.hint
