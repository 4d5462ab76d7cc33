import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from presence.tracker import Diff, Person, Snapshot, Tracker

ANN, BOB = Person("a", "Ann"), Person("b", "Bob")


def test_one_user_in_three_tabs_joins_once_and_leaves_once() -> None:
    """C30."""
    tracker = Tracker()
    for tab in ("1", "2", "3"):
        tracker.connect(tab, *ANN)
    assert tracker.flush() == Diff((ANN,), (), 1, 0)
    tracker.disconnect("2")
    tracker.disconnect("1")
    assert tracker.flush() is None
    tracker.disconnect("3")
    assert tracker.flush() == Diff((), ("a",), 0, 0)


def test_coming_and_going_within_a_window_tells_nothing() -> None:
    tracker = Tracker()
    tracker.connect("1", *ANN)
    tracker.flush()
    tracker.disconnect("1")
    tracker.connect("2", *ANN)
    tracker.connect("3", *BOB)
    tracker.disconnect("3")
    assert tracker.flush() is None


def test_an_invisible_user_counts_and_is_never_named() -> None:
    """C30."""
    tracker = Tracker()
    tracker.connect("1", *ANN, invisible=True)
    assert tracker.flush() == Diff((), (), 1, 0)
    assert tracker.snapshot(10) == Snapshot((), 0, 1, 0)
    tracker.disconnect("1")
    assert tracker.flush() == Diff((), (), 0, 0)


def test_hiding_in_one_tab_hides_the_user() -> None:
    tracker = Tracker()
    tracker.connect("1", *ANN)
    tracker.flush()
    tracker.connect("2", *ANN, invisible=True)
    assert tracker.flush() == Diff((), ("a",), 1, 0)
    tracker.disconnect("2")
    assert tracker.flush() == Diff((ANN,), (), 1, 0)


def test_a_spectator_becomes_somebody() -> None:
    tracker = Tracker()
    tracker.connect("1", None)
    assert tracker.flush() == Diff((), (), 0, 1)
    tracker.change("1", *ANN)
    assert tracker.flush() == Diff((ANN,), (), 1, 0)
    tracker.change("1", "a", "Anna")
    assert tracker.flush() == Diff((Person("a", "Anna"),), (), 1, 0)
    tracker.change("1", None)
    assert tracker.flush() == Diff((), ("a",), 0, 1)


def test_a_rename_holds_for_all_tabs_and_is_a_join_of_one_who_is_here() -> None:
    tracker = Tracker()
    for tab in ("1", "2", "3"):
        tracker.connect(tab, *ANN)
    tracker.flush()
    tracker.rename("a", "Anna")
    anna = Person("a", "Anna")
    assert tracker.flush() == Diff((anna,), (), 1, 0)
    assert tracker.snapshot(10).visible == (anna,)
    tracker.disconnect("3")
    assert tracker.flush() is None, "no tab has kept the old name"


def test_a_rename_there_and_back_tells_nothing() -> None:
    tracker = Tracker()
    tracker.connect("1", *ANN)
    tracker.flush()
    tracker.rename("a", "Anna")
    tracker.rename("a", "Ann")
    assert tracker.flush() is None


def test_a_rename_shows_nobody_who_is_invisible_or_gone() -> None:
    tracker = Tracker()
    tracker.connect("1", *ANN)
    tracker.connect("2", *ANN, invisible=True)
    tracker.flush()
    tracker.rename("a", "Anna")
    tracker.rename("b", "Bob")
    assert tracker.flush() is None
    assert tracker.snapshot(10).visible == ()
    tracker.disconnect("2")
    assert tracker.flush() == Diff((Person("a", "Anna"),), (), 1, 0)


def test_what_is_gone_is_left_alone() -> None:
    """C29: nothing is counted twice, and nothing goes below zero."""
    tracker = Tracker()
    tracker.disconnect("1")
    tracker.change("1", *ANN)
    tracker.connect("2", None)
    tracker.disconnect("2")
    tracker.disconnect("2")
    assert tracker.flush() is None
    assert tracker.snapshot(10) == Snapshot((), 0, 0, 0)


def test_a_connection_comes_once() -> None:
    tracker = Tracker()
    tracker.connect("1", None)
    with pytest.raises(ValueError, match="connection 1 is here already"):
        tracker.connect("1", *ANN)
    assert tracker.snapshot(10) == Snapshot((), 0, 0, 1)


def test_a_snapshot_tells_how_many_more() -> None:
    tracker = Tracker()
    for number in range(5):
        tracker.connect(str(number), f"u{number}", f"name {number}")
    snapshot = tracker.snapshot(2)
    assert snapshot.visible == (Person("u0", "name 0"), Person("u1", "name 1"))
    assert (snapshot.more, snapshot.total) == (3, 5)


def test_no_ghost_stays_from_a_snapshot() -> None:
    tracker = Tracker()
    tracker.connect("1", *ANN)
    assert tracker.snapshot(10).visible == (ANN,)
    tracker.disconnect("1")
    assert tracker.flush() == Diff((), ("a",), 0, 0)


CONNECTIONS = st.sampled_from("123456")
USERS = st.none() | st.sampled_from("abc")


class TrackerMachine(RuleBasedStateMachine):
    """Clients that follow by differences, from any snapshot on, see who is visible, and as whom."""

    def __init__(self) -> None:
        super().__init__()
        self.tracker = Tracker()
        self.live: dict[str, tuple[str | None, bool]] = {}
        self.clients: list[dict[str, str]] = [{}]
        self.shown: set[str] = set()

    def visible(self) -> set[str]:
        users = {user for user, _ in self.live.values() if user is not None}
        return users - {user for user, invisible in self.live.values() if invisible and user}

    @rule(connection=CONNECTIONS, user=USERS, invisible=st.booleans())
    def come(self, connection: str, user: str | None, invisible: bool) -> None:
        if connection in self.live:
            self.tracker.change(connection, user, f"name {user}", invisible=invisible)
        else:
            self.tracker.connect(connection, user, f"name {user}", invisible=invisible)
        self.live[connection] = (user, invisible)
        self.shown |= self.visible()

    @rule(connection=CONNECTIONS)
    def go(self, connection: str) -> None:
        self.tracker.disconnect(connection)
        self.live.pop(connection, None)
        self.shown |= self.visible()

    @rule()
    def join(self) -> None:
        self.clients.append(dict(self.tracker.snapshot(10).visible))

    @rule(user=st.sampled_from("abc"), name=st.sampled_from(["Ann", "Bob"]))
    def rename(self, user: str, name: str) -> None:
        self.tracker.rename(user, name)

    @rule()
    def flush(self) -> None:
        diff = self.tracker.flush()
        for client in self.clients:
            if diff is not None:
                client.update(diff.joins)
                for user in diff.leaves:
                    client.pop(user, None)
            assert client.keys() == self.visible()
            assert client == dict(self.tracker.snapshot(10).visible)
        if diff is not None:
            assert {*diff.leaves, *(person.id for person in diff.joins)} <= self.shown

    @invariant()
    def the_count_is_the_live_set(self) -> None:
        users = {user for user, _ in self.live.values() if user is not None}
        spectators = sum(user is None for user, _ in self.live.values())
        assert self.tracker.snapshot(0) == Snapshot((), len(self.visible()), len(users), spectators)


TrackerMachine.TestCase.settings = settings(max_examples=30, stateful_step_count=20)
TestTrackerMachine = TrackerMachine.TestCase
