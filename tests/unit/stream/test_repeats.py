"""Re-sent placements that wait: everybody is answered once, and who has hung up is forgotten."""

from typing import Any

from server.game.repeats import FIRST_SWEEP, Repeats
from tests.support.connections import FakeConnection


class Waiting:
    """An asker with a connection."""

    def __init__(self) -> None:
        self.connection: Any = FakeConnection()

    @property
    def gone(self) -> bool:
        return bool(self.connection.closing)

    def accepted(self, *_: Any) -> None:
        """Not told here."""

    refused = accepted


def test_everybody_who_waits_for_a_seq_is_given_once() -> None:
    repeats, one, other = Repeats(), Waiting(), Waiting()
    repeats.add(7, one, "a")
    repeats.add(7, other, "b")
    repeats.add(8, one, "c")
    assert [(repeat.asker, repeat.tag) for repeat in repeats.take(7)] == [(one, "a"), (other, "b")]
    assert list(repeats.take(7)) == []
    assert len(repeats) == 1


def test_who_comes_back_again_and_again_is_kept_once() -> None:
    repeats, staying = Repeats(), Waiting()
    repeats.add(1, staying, None)
    for visit in range(20 * FIRST_SWEEP):
        leaving = Waiting()
        repeats.add(1 + visit % 5, leaving, visit)
        leaving.connection.closing = True
        assert len(repeats) <= FIRST_SWEEP
    assert staying in [repeat.asker for repeat in repeats.take(1)]


def test_nobody_is_forgotten_whose_connection_is_open() -> None:
    repeats, askers = Repeats(), [Waiting() for _ in range(3 * FIRST_SWEEP)]
    for asker in askers:
        repeats.add(1, asker, None)
    assert len(repeats.take(1)) == len(askers)
