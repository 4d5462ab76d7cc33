"""JSON in pieces is the same JSON."""

from typing import Any

import orjson
import pytest

from server.recovery.pieces import AT_ONCE, encoded


@pytest.mark.parametrize("count", [0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE])
def test_it_reads_back_whatever_its_size(count: int) -> None:
    members: dict[str, Any] = {
        "seq": 7,
        "cooldowns": {f'"{number}"': number for number in range(count)},
        "requests": [[number, "größer", None, {"a": [1]}] for number in range(count)],
    }
    whole = orjson.dumps(members)
    assert encoded(members) == whole
    assert members == {"seq": 7, "cooldowns": {}, "requests": []}


def test_nothing_is_an_object() -> None:
    assert encoded({}) == b"{}"


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError):
        encoded({"requests": [object()]})
