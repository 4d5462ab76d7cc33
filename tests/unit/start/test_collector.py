"""The collector is silent while the standing heap is built, and on afterwards, but calmer."""

import gc

import pytest

from server.collector import YOUNG_OBJECTS, building_what_stays


def test_what_is_built_is_never_looked_at_again() -> None:
    threshold, frozen = gc.get_threshold(), gc.get_freeze_count()
    try:
        with building_what_stays():
            assert not gc.isenabled()
            kept = [[number] for number in range(1000)]
        assert gc.isenabled()
        assert gc.get_freeze_count() >= frozen + len(kept)
        assert gc.get_threshold() == (YOUNG_OBJECTS, *threshold[1:])
    finally:
        gc.unfreeze()
        gc.set_threshold(*threshold)


def test_a_failed_recovery_leaves_it_on() -> None:
    threshold = gc.get_threshold()
    try:
        with pytest.raises(ZeroDivisionError), building_what_stays():
            _ = 1 // 0
        assert gc.isenabled()
    finally:
        gc.unfreeze()
        gc.set_threshold(*threshold)
