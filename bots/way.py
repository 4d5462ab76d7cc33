"""What a way of playing is to the crew that plays it.

Owns the two shapes: a `Way` seats bots, and each `Seat` says what its bot places next. `Alone` is
the simple kind, a generator of cells for each bot; team.py has the kind that shares a board.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Protocol

from tesserae_client import Client, GameState, Outcome, Refused

Cell = tuple[int, int, int]
"""x, y, color"""


@dataclass(frozen=True, slots=True)
class Turn:
    """Cells to place at once; `generation` None: that of the bot's own board."""

    cells: Sequence[Cell]
    generation: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a way with an aim has come."""

    left: int
    total: int
    outside: int = 0
    """Wanted cells beyond the board."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Cells that were given up, by the refusal."""
    note: str = ""
    """How it stands, in words."""
    remark: str = ""
    """What is worth saying once."""


class WayError(Exception):
    """A way cannot be played on this board; the text says why and what helps."""


class Seat(Protocol):
    """One bot's part."""

    async def turn(self, most: int) -> Turn | None:
        """Wait for 1 to `most` cells that are to be placed now; None: nothing more to do."""
        ...

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        """Hear what became of the turn, in its order."""
        ...

    def leave(self) -> None:
        """Hear that the bot is gone, perhaps without the outcomes of its turn."""
        ...


class Way(Protocol):
    """One way of playing, for all bots of a crew."""

    def seat(self, rng: Random, client: Client) -> Seat:
        """Make room for one bot."""
        ...


class Seer(Protocol):
    """As much of a client as it takes to choose a cell."""

    @property
    def game_state(self) -> GameState | None:
        """The game as it is; None while it is not known."""
        ...


Play = Callable[[Random, Seer], Iterator[Cell]]
"""Yields cells for one bot, once its client is ready."""


class Alone:
    """A way in which each bot minds its own business, on a board of its own."""

    def __init__(self, play: Play) -> None:
        self._play = play

    def seat(self, rng: Random, client: Client) -> Seat:
        """Make room for one bot."""
        return _AloneSeat(partial(self._play, rng, client))


class _AloneSeat:
    def __init__(self, begin: Callable[[], Iterator[Cell]]) -> None:
        self._begin = begin
        self._cells = begin()

    async def turn(self, most: int) -> Turn | None:  # noqa: ARG002 - one by one, as hands do
        cell = next(self._cells, None)
        return None if cell is None else Turn((cell,))

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        """Whatever became of it, the next cell follows; after another palette, in its colours."""
        if any(isinstance(one, Refused) and one.code == "bad-color" for one in outcomes):
            self._cells = self._begin()

    def leave(self) -> None:
        """Nothing is kept for it."""
