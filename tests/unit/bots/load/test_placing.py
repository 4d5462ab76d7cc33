"""What a placer has sent and not heard of."""

from random import Random

from bots.load.placing import MOST_UNANSWERED, REMEMBERED, Placing


def request_of(frame: bytes) -> int:
    return int.from_bytes(frame[4:8], "little")


def test_an_answer_tells_when_it_was_sent_and_counts_once() -> None:
    placing = Placing(Random(1))
    frame = placing.place(3, 0, 77, 1.5)
    assert (frame[0], frame[2:4], frame[12:]) == (0x10, b"\x03\0", (77).to_bytes(4, "little"))
    assert placing.answered(request_of(frame)) == 1.5
    assert placing.answered(request_of(frame)) is None
    assert placing.unanswered == 0


def test_it_is_full_at_its_bound() -> None:
    placing = Placing(Random(1))
    for _ in range(MOST_UNANSWERED):
        assert not placing.full
        placing.place(1, 0, 0, 0.0)
    assert placing.full


def test_after_a_cut_the_newest_are_sent_again_and_the_others_given_up() -> None:
    placing = Placing(Random(1))
    frames = [placing.place(1, 0, cell, 0.0) for cell in range(REMEMBERED + 3)]
    assert placing.forget_old() == 3
    assert list(placing.again()) == frames[3:]
    assert placing.answered(request_of(frames[0])) is None
