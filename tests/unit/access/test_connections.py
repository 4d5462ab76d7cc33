"""C31: the (N+1)th connection of an address is refused; the count is that of the live set."""

import random
from ipaddress import ip_network

import pytest

from server.access.limits import ConnectionLimits, TooMany

HERE = "203.0.113.7"


def test_c31_exactly_n_of_an_address() -> None:
    limits = ConnectionLimits(total=0, per_address=3)
    assert [limits.join(HERE) for _ in range(4)] == [None, None, None, TooMany.OF_ADDRESS]
    assert limits.join("203.0.113.8") is None
    limits.leave(HERE)
    assert limits.join(HERE) is None
    assert limits.join(HERE) is TooMany.OF_ADDRESS


def test_c31_an_ipv6_client_is_its_64() -> None:
    limits = ConnectionLimits(total=0, per_address=1)
    assert limits.join("2001:db8::1") is None
    assert limits.join("2001:db8::ffff:2") is TooMany.OF_ADDRESS
    assert limits.join("2001:db8:0:1::1") is None


def test_exactly_n_of_the_server() -> None:
    limits = ConnectionLimits(total=2, per_address=0)
    assert [limits.join(f"203.0.113.{n}") for n in range(3)] == [None, None, TooMany.OF_SERVER]
    assert len(limits) == 2


def test_exempt_networks_count_for_the_server_alone() -> None:
    limits = ConnectionLimits(3, 1, [ip_network("203.0.113.0/24")])
    assert [limits.join(HERE) for _ in range(4)] == [None, None, None, TooMany.OF_SERVER]


def test_zero_is_no_limit() -> None:
    limits = ConnectionLimits(0, 0)
    assert all(limits.join(HERE) is None for _ in range(1000))


def test_leaving_without_having_joined_is_a_fault() -> None:
    with pytest.raises(KeyError):
        ConnectionLimits(1, 1).leave(HERE)


def test_the_count_is_the_live_set_and_nothing_is_kept_after() -> None:
    chance, limits = random.Random(7), ConnectionLimits(60, 9)
    live: list[str] = []
    for _ in range(3000):
        address = f"203.0.113.{chance.randrange(12)}"
        if live and chance.random() < 0.48:
            limits.leave(live.pop(chance.randrange(len(live))))
        elif limits.join(address) is None:
            live.append(address)
        assert len(limits) == len(live) <= 60
        assert all(live.count(one) <= 9 for one in live[-1:])
    for address in live:
        limits.leave(address)
    assert len(limits) == 0
    assert limits._of_address == {}
