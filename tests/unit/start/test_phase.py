"""Where the server stands, and when it says that placements are taken."""

from server.phase import Phase


def ready() -> Phase:
    phase = Phase()
    phase.ready()
    return phase


def test_while_the_store_is_away_placements_are_not_taken() -> None:
    phase = ready()
    phase.store_away("a", "the disk is full")
    assert (phase.takes_placements, phase.reason) == (False, "the disk is full")
    phase.store_back("a")
    assert (phase.takes_placements, phase.reason) == (True, "")


def test_a_fault_for_good_outlives_the_store_s_return() -> None:
    phase = ready()
    phase.store_away("a", "the disk is full")
    phase.impaired("no access")
    phase.store_back("a")
    assert (phase.takes_placements, phase.reason) == (False, "no access")


def test_a_fault_for_good_is_not_hidden_by_a_passing_one() -> None:
    phase = ready()
    phase.impaired("no access")
    phase.store_away("a", "the disk is full")
    phase.store_back("a")
    assert phase.reason == "no access"


def test_a_stop_is_not_undone_by_the_store_s_return() -> None:
    phase = ready()
    phase.store_away("a", "the disk is full")
    phase.draining(1000)
    phase.store_back("a")
    assert "restarting" in phase.reason


def test_one_part_of_the_store_that_is_back_does_not_hide_another_that_is_away() -> None:
    phase = ready()
    phase.store_away("a", "the right to write was not renewed")
    phase.store_away("b", "history is throttled")
    phase.store_back("a")
    assert (phase.takes_placements, phase.reason) == (False, "history is throttled")
    phase.store_back("b")
    assert phase.takes_placements
