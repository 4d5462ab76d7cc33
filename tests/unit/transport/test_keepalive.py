import pytest

from server.transport.keepalive import (
    FLOOD_RETRY_MS,
    MAX_ODD_FRAMES,
    SLICE,
    SLICE_GAP_MS,
    Keepalive,
    Pulse,
)
from server.wire.codes import CloseCode
from server.wire.frames import PING_FRAME
from tests.support.connections import FakeConnection

PING_MS = 1000
STEP_MS = 100


class FakeKept(FakeConnection):
    """A connection as the keepalive sees it."""

    def __init__(self, now_ms: int = 0) -> None:
        super().__init__()
        self.pulse = Pulse(now_ms, PING_MS)
        self.close_by_ms = 0
        self.aborted = False
        self.odd_frames = 0
        self.waiting_bytes = 0

    @property
    def held(self) -> bool:
        return self.holds > 0

    def buffered_bytes(self) -> int:
        return self.waiting_bytes

    def take_odd_frames(self) -> int:
        count, self.odd_frames = self.odd_frames, 0
        return count

    def abort(self) -> None:
        self.aborted = True


class Line:
    """One connection and the keepalive over it, moved by hand."""

    def __init__(self) -> None:
        self.connection = FakeKept()
        self.now_ms = 0
        self.keepalive = Keepalive([self.connection], PING_MS)

    def run(self, ms: int) -> int:
        """Let time pass in steps; returns how many pings were sent."""
        for _ in range(0, ms, STEP_MS):
            self.now_ms += STEP_MS
            assert self.keepalive.turn(self.now_ms) == STEP_MS
        pings = self.connection.written.count(PING_FRAME)
        self.connection.written.clear()
        return pings


def test_the_silent_are_pinged_every_period() -> None:
    line = Line()
    assert line.run(PING_MS - STEP_MS) == 0
    assert line.run(STEP_MS) == 1
    line.connection.pulse.heard = True
    assert line.run(PING_MS - STEP_MS) == 0
    assert line.run(STEP_MS) == 1


def test_the_talkative_are_not_pinged() -> None:
    line = Line()
    for _ in range(40):
        line.connection.pulse.heard = True
        assert line.run(STEP_MS) == 0


def test_c4_two_silent_periods_are_the_end() -> None:
    line = Line()
    line.run(2 * PING_MS - STEP_MS)
    assert not line.connection.closing
    line.run(STEP_MS)
    assert line.connection.close_code is CloseCode.SLOW
    line.run(STEP_MS)
    assert line.connection.aborted


def test_a_stall_of_this_process_is_not_held_against_anybody() -> None:
    line = Line()
    line.run(STEP_MS)
    line.now_ms += 5 * PING_MS
    assert line.run(2 * PING_MS) > 0, "they are asked anew"
    assert not line.connection.closing
    line.run(STEP_MS)
    assert line.connection.close_code is CloseCode.SLOW


def test_draining_is_a_sign_of_life() -> None:
    line = Line()
    line.connection.waiting_bytes = 100_000
    line.connection.writable = False
    for _ in range(5):
        line.run(2 * PING_MS - STEP_MS)
        line.connection.waiting_bytes -= 1
        line.run(STEP_MS)
    assert not line.connection.closing
    line.run(2 * PING_MS)
    assert line.connection.close_code is CloseCode.SLOW


def test_what_cannot_be_written_is_not_pinged() -> None:
    line = Line()
    line.connection.writable = False
    assert line.run(2 * PING_MS) == 0


def test_who_is_held_is_pinged_and_not_ended() -> None:
    line = Line()
    line.connection.hold()
    assert line.run(5 * PING_MS) == 5
    line.connection.release()
    line.run(2 * PING_MS - STEP_MS)
    assert not line.connection.closing


def test_a_close_is_waited_for_so_long() -> None:
    line = Line()
    line.connection.closing = True
    line.connection.close_by_ms = 3 * PING_MS
    line.run(3 * PING_MS - STEP_MS)
    assert not line.connection.aborted
    line.run(STEP_MS)
    assert line.connection.aborted


def test_a_flood_of_odd_frames_is_ended() -> None:
    line = Line()
    line.connection.odd_frames = MAX_ODD_FRAMES
    line.run(STEP_MS)
    assert not line.connection.closing
    line.connection.odd_frames = MAX_ODD_FRAMES + 1
    line.run(STEP_MS)
    assert line.connection.close_code is CloseCode.RATE
    assert line.connection.retry_after_ms == FLOOD_RETRY_MS


def test_no_turn_walks_more_than_a_slice() -> None:
    connections = [FakeKept() for _ in range(2 * SLICE + 1)]
    keepalive = Keepalive(connections, PING_MS)

    def pinged() -> int:
        return sum(len(connection.written) for connection in connections)

    assert keepalive.turn(PING_MS) == SLICE_GAP_MS
    assert pinged() == SLICE
    assert keepalive.turn(PING_MS) == SLICE_GAP_MS
    assert keepalive.turn(PING_MS) == STEP_MS
    assert pinged() == 2 * SLICE + 1


@pytest.mark.parametrize(("ping_ms", "step_ms"), [(1, 1), (20, 2), (20_000, 1_000)])
def test_the_step_follows_the_period_within_bounds(ping_ms: int, step_ms: int) -> None:
    assert Keepalive([], ping_ms).turn(0) == step_ms
