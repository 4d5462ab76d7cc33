"""What the numbered JSON events do to a board; pure.

Owns one small function for each event that this version knows. `apply` says False for any other,
which calls for a snapshot. Called by sync.
"""

from binascii import a2b_base64
from collections.abc import Callable

import numpy as np

from tesserae_client.board import Board
from tesserae_client.messages import Json, side, strict

NOT_NUMBERED = frozenset({"snapshot", "band", "game"})
"""Events that carry a seq without being numbered."""


@strict
def seq_of(event: Json) -> int:
    """Read the number of an event."""
    return int(event["seq"])


@strict
def generation_of(event: Json, current: int) -> int:
    """Read the generation that holds after an event."""
    return int(event.get("generation", current))


def is_numbered(event: Json) -> bool:
    """Tell whether an event takes part in a game's numbering, known or not."""
    return "seq" in event and "game" in event and event["event"] not in NOT_NUMBERED


@strict
def apply(event: Json, board: Board, empty: int) -> bool:
    """Do to the board what a known event says; False when it is not known."""
    effect = _EFFECTS.get(event["event"])
    if effect is None:
        return False
    effect(event, board, empty)
    return True


def _resize(event: Json, board: Board, empty: int) -> None:
    shift_x, shift_y = int(event["shiftX"]), int(event["shiftY"])
    board.resize(side(event["width"]), side(event["height"]), shift_x, shift_y, empty)


def _settings(_event: Json, _board: Board, _empty: int) -> None:
    """Settings change no cell."""


def _fill(event: Json, board: Board, _empty: int) -> None:
    board.fill(event["x1"], event["y1"], event["x2"], event["y2"], event["color"])


def _cells(event: Json, board: Board, _empty: int) -> None:
    board.apply(np.frombuffer(a2b_base64(event["records"]), dtype="<u4"))


_EFFECTS: dict[str, Callable[[Json, Board, int], None]] = {
    "resize": _resize,
    "settings": _settings,
    "fill": _fill,
    "cells": _cells,
}
