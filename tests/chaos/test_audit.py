"""The audit of the kill test sees what it is there to see."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tesserae_client import PixelsChanged, Placed

from canvas.records import record
from persistence.ports import Item
from tests.support.ledger import Ledger
from tests.support.witness import Witness

CELLS = [(1, 1, 1), (2, 2, 2), (1, 1, 3)]


def row(seq: int, x: int, y: int, color: int, **changed: Any) -> Item:
    offsets = {"offset_x": 0, "offset_y": 0}
    asked = {"userId": "u", "request": 100 + seq, "index": 0}
    place = {"x_original": x, "y_original": y, "colorIndex": color}
    return {
        "SK": f"ts#1#{seq:016d}-1",
        "seq": seq,
        "fence": 1,
        **place,
        **offsets,
        **asked,
    } | changed


def ledger(rows: Sequence[Item] | None = None) -> Ledger:
    stored = list(rows or [row(seq, *cell) for seq, cell in enumerate(CELLS, 1)])
    return Ledger(stored, records(*CELLS), "e", fence=1, presence_seq=0)


def records(*cells: tuple[int, int, int]) -> Any:
    return np.array([record(*cell) for cell in cells], dtype=np.uint32)


def witness(*seen: PixelsChanged, placed: Placed | None = None) -> Witness:
    one = Witness("ws://127.0.0.1:1/ws", 0, plays=False)
    one.seen = list(seen)
    one.placed = [] if placed is None else [("u", placed)]
    return one


def change(first: int, *cells: tuple[int, int, int], last: int | None = None) -> PixelsChanged:
    end = first + len(cells) - 1 if last is None else last
    return PixelsChanged(first, end, 0, last is not None, records(*cells))


@pytest.mark.parametrize(
    ("seen", "wrong"),
    [
        (change(1, *CELLS), 0),
        (change(2, CELLS[1]), 0),
        (change(1, *CELLS[1:], last=3), 0),
        (change(1, (1, 1, 2)), 1),
        (change(3, CELLS[2], (5, 5, 5)), 1),
        (change(1, CELLS[0], CELLS[1], last=3), 1),
    ],
)
def test_what_was_seen_is_held_against_the_history(seen: PixelsChanged, wrong: int) -> None:
    assert len(ledger().against(witness(seen))) == wrong


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [({}, 0), ({"seq": 4}, 1), ({"color": 9}, 1), ({"request": 5}, 1), ({"x": 0}, 1)],
)
def test_what_was_acknowledged_is_held_against_the_history(
    changed: dict[str, int], wrong: int
) -> None:
    told = {"seq": 2, "x": 2, "y": 2, "color": 2, "left_ms": 0, "stack_left": 0, "request": 102}
    placed = Placed(**{**told, **changed})
    assert len(ledger().against(witness(placed=placed))) == wrong


def test_holes_and_repeats_are_seen() -> None:
    rows = [row(1, *CELLS[0]), row(3, *CELLS[1]), row(4, *CELLS[2], request=101)]
    assert len(ledger(rows).holes()) == 1
    assert len(ledger(rows).twice()) == 1
    assert ledger().holes() + ledger().twice() == []
