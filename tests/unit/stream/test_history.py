"""History rows carry the seeds' names and read back as the events they were."""

from dataclasses import replace

import pytest

from canvas.events import Event, PixelPlaced, Resized, SettingsChanged
from server.game.history import at_ms_of_key, from_item, partition_of, sort_key, time_key, to_item

PIXEL = PixelPlaced(
    seq=7,
    at_ms=1_700_000_000_000,
    x=142,
    y=100,
    color=5,
    generation=1,
    offset_x=100,
    offset_y=0,
    previous=15,
    user_id="u1",
    address_key="k",
    request=9,
    index=2,
    cost_ms=300_000,
)
RESIZED = Resized(8, 1_700_000_000_001, 2, 300, 200, 100, 50, 0, 50, "First expansion")
SETTINGS = SettingsChanged(9, 1_700_000_000_001, {"locked": True})


def test_a_placement_is_a_row_of_the_seed() -> None:
    item = to_item(PIXEL, "HISTORY", fence=3)
    assert item["PK"] == "HISTORY"
    assert item["SK"] == "ts#1700000000000#0000000000000007-3"
    assert (item["x_original"], item["y_original"]) == (42, 100)
    assert (item["offset_x"], item["offset_y"], item["colorIndex"]) == (100, 0, 5)
    assert "kind" not in item


@pytest.mark.parametrize("event", [RESIZED, SETTINGS])
def test_a_control_event_is_in_no_index_by_position(event: Event) -> None:
    item = to_item(event, "HISTORY", fence=1)
    assert "x_original" not in item
    assert "userId" not in item


@pytest.mark.parametrize(
    "event",
    [PIXEL, PIXEL._replace(request=None, index=0), RESIZED, SETTINGS, replace(RESIZED, label=None)],
)
def test_a_row_reads_back_as_its_event(event: Event) -> None:
    assert from_item(to_item(event, "HISTORY", fence=1), generation=1) == event


def test_an_unknown_kind_is_an_error_that_names_it() -> None:
    item = {**to_item(SETTINGS, "HISTORY", fence=1), "kind": "later"}
    with pytest.raises(ValueError, match="'later'"):
        from_item(item, generation=0)


def test_keys_are_in_the_order_of_seq_within_a_millisecond() -> None:
    keys = [sort_key(1_700_000_000_000, seq, fence) for seq, fence in [(9, 2), (10, 1), (100, 1)]]
    assert keys == sorted(keys)
    assert time_key(1_700_000_000_000) < keys[0]
    assert at_ms_of_key(keys[0]) == 1_700_000_000_000


def test_the_default_game_has_the_partition_of_the_seed() -> None:
    assert partition_of("place#main") == "HISTORY"
    assert partition_of("place#other") == "HISTORY#place#other"
