"""Credits over HTTP: whose they are, how many purses are remembered, and the headers that tell."""

import pytest

from canvas.networks import parse_network
from server.access.limits import CreditRule
from server.http.purses import HttpPurse, Purses
from server.http.rate_headers import Limit, cooldown_limit, limit_of, rate_headers
from server.session.allowance import Bucket
from tests.support.clock import FakeClock

RULE = CreditRule(2, 5)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def _empty(purse: HttpPurse) -> None:
    assert purse.charge(RULE.burst) is None
    assert purse.charge(1) is not None


def test_an_identity_pays_for_itself_wherever_it_is(clock: FakeClock) -> None:
    purses = Purses(RULE, clock)
    _empty(purses.of_user("ada"))
    assert purses.of_user("ada").charge(1) is not None
    assert purses.of_user("bob").charge(1) is None
    assert purses.of_address("192.0.2.1").charge(1) is None


def test_an_address_is_an_ipv4_address_or_an_ipv6_64(clock: FakeClock) -> None:
    purses = Purses(RULE, clock)
    _empty(purses.of_address("2001:db8::1"))
    assert purses.of_address("2001:db8::ffff").charge(1) is not None
    assert purses.of_address("2001:db8:0:1::1").charge(1) is None
    assert purses.of_address("192.0.2.1").charge(1) is None


def test_exempt_networks_have_no_limit(clock: FakeClock) -> None:
    purses = Purses(RULE, clock, [parse_network("10.0.0.0/8")])
    purse = purses.of_address("10.1.2.3")
    assert [purse.charge(1000) for _ in range(3)] == [None] * 3
    assert limit_of(purse, Bucket.MESSAGES) is None
    assert purse.to_json() == {}
    assert len(purses) == 0


def test_who_asked_longest_ago_is_forgotten(clock: FakeClock) -> None:
    purses = Purses(RULE, clock, max_purses=2)
    for user in ("ada", "bob"):
        _empty(purses.of_user(user))
    purses.of_user("ada")
    purses.of_user("cyd")
    assert len(purses) == 2
    assert purses.of_user("ada").charge(1) is not None
    assert purses.of_user("bob").charge(1) is None


def test_a_refusal_tells_when_and_of_what(clock: FakeClock) -> None:
    purse = HttpPurse(RULE, clock)
    _empty(purse)
    refusal = purse.charge(2)
    assert refusal is not None
    assert (refusal.left_ms, refusal.scope) == (1000, "requests")
    clock.advance(1000)
    assert purse.charge(2) is None


def test_asking_for_limits_has_a_bucket_of_its_own(clock: FakeClock) -> None:
    purse = HttpPurse(RULE, clock)
    _empty(purse)
    assert purse.charge(1, Bucket.LIMITS) is None
    assert purse.to_json() == {
        "requests": {"left": 0, "burst": 5, "perSecond": 2, "fullInMs": 2500},
        "limits": {"left": 4, "burst": 5, "perSecond": 2, "fullInMs": 500},
    }


def test_headers_of_a_bucket(clock: FakeClock) -> None:
    purse = HttpPurse(RULE, clock)
    purse.charge(3)
    limit = limit_of(purse, Bucket.MESSAGES)
    assert limit == Limit("requests", 5, 2500, 2, 1500)
    assert rate_headers([limit]) == {
        "RateLimit-Policy": '"requests";q=5;w=3',
        "RateLimit": '"requests";r=2;t=2',
    }


def test_headers_of_a_cooldown_stand_beside(clock: FakeClock) -> None:
    cooldown = {"rule": "stack", "ms": 60_000, "maxStack": 3, "stack": 0, "leftMs": 59_001}
    limit = cooldown_limit(cooldown)
    assert limit is not None
    purse = limit_of(HttpPurse(RULE, clock), Bucket.MESSAGES)
    assert purse is not None
    assert rate_headers([purse, limit]) == {
        "RateLimit-Policy": '"requests";q=5;w=3, "cooldown";q=3;w=180',
        "RateLimit": '"requests";r=5;t=0, "cooldown";r=0;t=60',
    }
    assert cooldown_limit({**cooldown, "ms": 0}) is None
    assert rate_headers([]) == {}
