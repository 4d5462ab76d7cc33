"""Staying in step, as a state machine: whatever is cut, repeated or lost, boards converge."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tesserae_client.errors import BadFrame
from tesserae_client.messages import GameState
from tesserae_client.records import from_triples
from tesserae_client.snapshot import SnapshotHead
from tesserae_client.sync import GameSync, Step
from tesserae_client.wire import BandFrame, PixelsFrame

from tests.support.fake_server import FakeGame


class Converging(RuleBasedStateMachine):
    """A server that keeps to the protocol, a line that loses what it likes, one client."""

    def __init__(self):
        super().__init__()
        self.game = FakeGame(5, 4)
        self.sync = GameSync()
        self.log = []  # the message of each seq, from 1
        self.sent = 0  # newest seq that the connection was told or lost
        self.connected = False

    def tell(self, message):
        if isinstance(message, dict):
            self.heed(self.sync.numbered(message))
        else:
            self.heed(self.sync.pixels(message))

    def heed(self, step):
        """Answer what the client asks for, as a server does."""
        if step is Step.RESYNC:
            self.resume(self.sync.position)
        elif step is Step.SNAPSHOT:
            self.resume(None)

    def resume(self, since):
        if since is None or since["epoch"] != self.game.epoch:
            self.sync.begin(GameState.from_json(self.game.state("snapshot")))
            self.snapshot()
        elif since["seq"] == self.game.seq:
            self.heed(self.sync.begin(GameState.from_json(self.game.state("current"))))
        else:
            self.heed(self.sync.begin(GameState.from_json(self.game.state("events"))))
            for message in self.log[since["seq"] :]:
                self.tell(message)
        self.sent = self.game.seq

    def snapshot(self):
        game = self.game
        head = SnapshotHead(game.epoch, game.seq, game.generation, game.width, game.height, 1, None)
        self.sync.snapshot(head)
        band = BandFrame(7, game.generation, game.seq, 0, game.height, False, game.packed())
        assert self.sync.band(band) is Step.REPLACED

    @rule(x=st.integers(0, 4), y=st.integers(0, 3), color=st.integers(0, 15))
    def place(self, x, y, color):
        seq = self.game.place(x, y, color)
        records = from_triples([(x, y, color)])
        self.log.append(PixelsFrame(7, self.game.generation, seq, seq, False, records))

    @precondition(lambda self: self.game.width < 12)
    @rule()
    def grow(self):
        self.log.append(self.game.grow_left(1))

    @rule()
    def do_what_nobody_knows(self):
        self.game.place(0, 0, 1)
        self.log.append({"event": "lightning", "game": "place#main", "seq": self.game.seq})

    @precondition(lambda self: self.connected)
    @rule()
    def deliver(self):
        while self.sent < self.game.seq:
            self.sent += 1
            self.tell(self.log[self.sent - 1])

    @precondition(lambda self: self.connected)
    @rule(back=st.integers(1, 5))
    def deliver_again(self, back):
        for message in self.log[max(0, self.sent - back) : self.sent]:
            self.tell(message)

    @precondition(lambda self: self.connected)
    @rule(count=st.integers(1, 3), x=st.integers(0, 4), color=st.integers(0, 14))
    def lose_some_then_tell_one(self, count, x, color):
        self.deliver()
        for n in range(count):
            self.place(x, n, color)
        self.sent = self.game.seq
        self.place(0, 3, color)
        self.deliver()

    @rule()
    def cut(self):
        self.sync.cut()
        self.connected = False

    @rule()
    def connect(self):
        self.sync.cut()
        self.connected = True
        self.resume(self.sync.position)

    @rule()
    def replace_history(self):
        self.game = FakeGame(5, 4, epoch=self.game.epoch + "'")
        self.log = []
        self.connect()

    @invariant()
    def a_synced_board_is_the_servers(self):
        if self.connected and self.sync.synced and self.sync.seq == self.game.seq:
            assert self.sync.board is not None
            assert self.sync.board.packed() == self.game.packed()
            assert self.sync.generation == self.game.generation

    @invariant()
    def after_connecting_nothing_is_left_open(self):
        if self.connected and self.sent == self.game.seq == self.sync.seq:
            assert self.sync.synced

    def teardown(self):
        self.connect()
        assert self.sync.synced
        assert self.sync.seq == self.game.seq
        assert self.sync.board is not None
        assert self.sync.board.packed() == self.game.packed()


Converging.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
test_boards_converge = Converging.TestCase


def state(**changes):
    return GameState.from_json({**FakeGame().state("events"), **changes})


def following(*, track=True):
    sync = GameSync(track=track)
    sync.begin(state(resume="snapshot"))
    sync.snapshot(SnapshotHead("e1", 0, 0, 7, 3, 1, None))
    if track:
        sync.band(BandFrame(7, 0, 0, 0, 3, False, FakeGame().packed()))
    return sync


def frame(first, last, cells, *, conflated=False):
    return PixelsFrame(7, 0, first, last, conflated, from_triples(cells))


def test_resyncs_that_lead_nowhere_end_in_a_snapshot_and_then_in_a_fault():
    sync = following()

    def gap():
        step = sync.pixels(frame(5, 5, [(0, 0, 1)]))
        sync.begin(state(seq=5))
        return step

    assert [gap() for _ in range(9)] == [Step.RESYNC] * 3 + [Step.SNAPSHOT] * 6
    with pytest.raises(BadFrame, match="led nowhere"):
        gap()


def test_a_current_that_is_not_ours_asks_for_the_board():
    sync = following()
    assert sync.begin(state(resume="current", seq=3)) is Step.SNAPSHOT


def test_pixels_of_another_generation_ask_for_the_board():
    assert following().pixels(frame(1, 1, [])._replace(generation=4)) is Step.SNAPSHOT


def test_a_pixel_outside_is_a_fault():
    with pytest.raises(BadFrame, match="outside"):
        following().pixels(frame(1, 1, [(7, 0, 1)]))


def test_without_a_board_the_numbers_are_followed_through_anything():
    sync = following(track=False)
    assert sync.pixels(frame(1, 2, [(9, 9, 1), (0, 0, 1)])) is Step.APPLIED
    assert sync.numbered({"event": "lightning", "seq": 3, "generation": 2}) is Step.APPLIED
    assert sync.begin(state(resume="current", seq=8)) is Step.REPLACED
    assert (sync.seq, sync.synced, sync.board) == (8, True, None)


def test_what_waits_for_a_fetch_is_bounded():
    sync = following()
    sync.begin(state(resume="snapshot"))
    sync.snapshot(SnapshotHead("e1", 0, 0, 7, 3, 0, "/canvas.bin"))
    steps = {sync.pixels(frame(seq, seq, [(0, 0, 1)])) for seq in range(1, 4097)}
    assert steps == {Step.IGNORED}
    assert sync.pixels(frame(4097, 4097, [(0, 0, 1)])) is Step.SNAPSHOT


def test_a_fetched_board_of_the_wrong_size_is_a_fault():
    sync = following()
    sync.begin(state(resume="snapshot"))
    head = SnapshotHead("e1", 0, 0, 7, 3, 0, "/canvas.bin")
    sync.snapshot(head)
    with pytest.raises(BadFrame, match="3 bytes"):
        sync.fetched(head, b"abc")


def test_an_older_snapshot_is_in_step_only_after_what_follows_it():
    sync = GameSync()
    sync.begin(state(resume="snapshot", seq=1))
    sync.snapshot(SnapshotHead("e1", 0, 0, 7, 3, 1, None))
    assert sync.band(BandFrame(7, 0, 0, 0, 3, False, FakeGame().packed())) is Step.REPLACED
    assert not sync.synced
    assert sync.pixels(frame(1, 1, [(0, 0, 1)])) is Step.APPLIED
    assert sync.synced
