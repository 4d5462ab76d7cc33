"""Items in DynamoDB's notation: everything comes back equal, and what would not is refused."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from persistence.dynamodb.items import (
    decoded_item,
    decoded_value,
    encoded_attributes,
    encoded_value,
    size_bytes,
)
from persistence.errors import PermanentFault, StoreDamaged
from persistence.items import MAX_ITEM_BYTES
from persistence.values import MAX_INTEGER, MAX_REAL, MIN_INTEGER

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(MIN_INTEGER, MAX_INTEGER) | st.floats(
    -MAX_REAL, MAX_REAL, allow_subnormal=False
).filter(lambda number: number == 0 or abs(number) > 1e-120)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS | st.sets(TEXTS, min_size=1),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def as_dynamodb_tells(value: Any) -> Any:
    """A number as DynamoDB gives it back: no point without a fraction, no exponent."""
    ((kind, content),) = value.items()
    if kind == "N" and "e" in content:
        return {"N": f"{float(content):.150f}".rstrip("0").rstrip(".")}
    return value


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_every_item_comes_back_equal(item: dict[str, Any]) -> None:
    assert decoded_item(encoded_attributes(item)) == item


@given(NUMBERS)
def test_numbers_come_back_equal_from_dynamodbs_own_notation(number: float) -> None:
    told = as_dynamodb_tells(encoded_value(number))
    assert math.isclose(decoded_value(told), number, rel_tol=1e-15)


@given(st.booleans() | NUMBERS)
def test_true_is_no_number(value: Any) -> None:
    assert isinstance(decoded_value(encoded_value(value)), bool) == isinstance(value, bool)


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        1e126,
        5e-324,
        2**64,
        -(2**63) - 1,
        10**40,
        b"bytes",
        pytest.param(object(), id="object"),
        set(),
        {1},
        {1: "x"},
        [{"deep": [math.nan]}],
        "\ud800",
    ],
    ids=repr,
)
def test_what_would_not_come_back_is_refused(value: Any) -> None:
    with pytest.raises(PermanentFault) as refused:
        encoded_attributes({"x": value})
    assert refused.value.hint


@pytest.mark.parametrize("value", [{"B": b"x"}, {"NS": ["1"]}, {"BS": [b"x"]}, {"?": 1}], ids=repr)
def test_another_programs_values_are_named(value: Any) -> None:
    with pytest.raises(StoreDamaged, match="type"):
        decoded_item({"x": value})


def test_an_item_is_as_large_as_dynamodb_says() -> None:
    item = {"PK": "HISTORY", "n": 12, "yes": True, "list": ["ab", 1], "map": {"k": None}}
    assert size_bytes(encoded_attributes(item)) == 9 + 4 + 4 + (4 + 3 + 3 + 3) + (3 + 3 + 2 + 1)


def test_the_largest_item_fits_and_no_larger() -> None:
    encoded_attributes({"x": "y" * (MAX_ITEM_BYTES - 1)})
    encoded_attributes({"x": "ü" * (MAX_ITEM_BYTES // 2 - 1)})
    with pytest.raises(PermanentFault):
        encoded_attributes({"x": "y" * MAX_ITEM_BYTES})
