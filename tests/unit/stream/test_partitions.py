"""Where rows go: one partition as the seed has it, or several; what was used stays known."""

import pytest

from server.game.config import found
from server.game.partitions import Partitions, first_partitions, shards_of
from tests.support.games import make_settings


def test_one_shard_is_the_layout_of_the_seed() -> None:
    partitions = Partitions.of("place#main", 1)
    assert partitions == Partitions(("HISTORY",), ("HISTORY",))
    assert {partitions.for_seq(seq) for seq in range(9)} == {"HISTORY"}


def test_more_are_written_to_in_turn() -> None:
    partitions = Partitions.of("place#main", 3)
    names = [partitions.for_seq(seq) for seq in range(1, 7)]
    assert names == ["HISTORY#s01", "HISTORY#s02", "HISTORY#s00"] * 2
    assert shards_of("place#other", 2) == ("HISTORY#place#other#s00", "HISTORY#place#other#s01")


@pytest.mark.parametrize("before", [1, 2, 5])
@pytest.mark.parametrize("after", [1, 2, 5])
def test_what_was_ever_used_is_read_for_ever(before: int, after: int) -> None:
    used = Partitions.of("place#main", before).used
    partitions = Partitions.of("place#main", after, used)
    assert set(partitions.used) == {*used, *partitions.written}
    assert len(set(partitions.used)) == len(partitions.used)
    assert set(first_partitions("place#main")) & set(partitions.used)


@pytest.mark.parametrize("shards", [0, -1, 65])
def test_a_number_that_cannot_be_is_refused(shards: int) -> None:
    with pytest.raises(ValueError, match="1 to 64"):
        shards_of("place#main", shards)


def test_a_new_game_lists_what_it_uses() -> None:
    config = found(
        "place#main",
        width=4,
        height=4,
        settings=make_settings(),
        epoch="e",
        channel=1,
        shards=2,
    )
    item = config.to_item()
    assert item["historyPartitions"] == ["HISTORY#s00", "HISTORY#s01"]
    assert item["historyShards"] == 2
    assert type(config).from_item("place#main", item).to_item() == item
