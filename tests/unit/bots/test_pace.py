"""What a bot makes of an outcome: it keeps to cooldowns and gives up what is for ever."""

import pytest
from tesserae_client import Placed, Refused, Unknown

from bots.pace import AFTER_REFUSAL_S, CLOSED_S, MIN_INTERVAL_S, delay_after_s, delay_s


def placed(left_ms):
    return Placed(seq=1, x=0, y=0, color=1, left_ms=left_ms, stack_left=0, request=1)


def refused(code, left_ms=0):
    return Refused(code, 0, 0, 1, true_color=2, seq=1, left_ms=left_ms, request=1)


@pytest.mark.parametrize(
    ("outcome", "interval_s", "expected"),
    [
        (placed(0), None, MIN_INTERVAL_S),
        (placed(3000), None, 3.0),
        (placed(3000), 1.0, 1.0),
        (refused("cooldown", 2500), None, 2.5),
        (refused("cooldown", 10), 4.0, 4.0),
        (refused("bad-color"), None, AFTER_REFUSAL_S),
        (refused("locked"), None, CLOSED_S),
        (refused("banned", -1), None, None),
        (refused("spectator"), 1.0, None),
        (Unknown(0, 0, 1, request=1), None, MIN_INTERVAL_S),
    ],
)
def test_delay(outcome, interval_s, expected):
    assert delay_s(outcome, interval_s) == expected


def test_every_missing_credit_is_waited_for():
    """The server counts what comes earlier as not listening, and closes the line for it."""
    outcomes = [placed(0)] * 4 + [refused("rate", 50)] * 12
    assert delay_after_s(outcomes, 1000) == pytest.approx(0.6)
    assert delay_after_s([placed(0)] * 16, 1000) == pytest.approx(0.016)
    assert delay_after_s([refused("banned", -1), refused("rate", 50)], 1000) is None
