"""C47: a class fits behind one address, a farm of guests does not; memory stays bounded."""

from ipaddress import ip_network

import pytest

from server.access.limits import GUEST_KEEP_MS, GuestLimit
from tests.support.clock import FakeClock

HERE = "203.0.113.7"


def enter(limit: GuestLimit, guest: str, address: str = HERE) -> bool:
    if limit.wait_ms(address):
        return False
    limit.join(address, guest)
    return True


def test_c47_a_class_of_thirty_fits() -> None:
    limit = GuestLimit(40, FakeClock().monotonic_ms)
    assert all(enter(limit, f"g_{n}") for n in range(30))


def test_c47_a_farm_gets_no_more_than_n_even_when_it_hangs_up() -> None:
    clock = FakeClock()
    limit = GuestLimit(40, clock.monotonic_ms)
    minted = 0
    for n in range(200):
        if enter(limit, f"g_{n}"):
            minted += 1
            limit.leave(HERE, f"g_{n}")
        clock.advance(1000)
    assert minted == 40


def test_the_wait_that_is_told_is_when_the_first_place_is_free() -> None:
    clock = FakeClock()
    limit = GuestLimit(2, clock.monotonic_ms)
    enter(limit, "g_a")
    enter(limit, "g_b")
    limit.leave(HERE, "g_b")
    clock.advance(1000)
    limit.leave(HERE, "g_a")
    assert limit.wait_ms(HERE) == GUEST_KEEP_MS - 1000
    clock.advance(GUEST_KEEP_MS - 1001)
    assert limit.wait_ms(HERE) == 1
    clock.advance(1)
    assert limit.wait_ms(HERE) == 0


def test_while_all_are_connected_the_wait_is_the_longest() -> None:
    limit = GuestLimit(1, FakeClock().monotonic_ms)
    enter(limit, "g_a")
    assert limit.wait_ms(HERE) == GUEST_KEEP_MS


def test_a_guest_in_three_tabs_is_one_until_the_last_closes() -> None:
    clock = FakeClock()
    limit = GuestLimit(2, clock.monotonic_ms)
    for _ in range(3):
        limit.join(HERE, "g_a")
    assert limit.wait_ms(HERE) == 0
    limit.leave(HERE, "g_a")
    limit.leave(HERE, "g_a")
    clock.advance(2 * GUEST_KEEP_MS)
    limit.join(HERE, "g_b")
    assert limit.wait_ms(HERE) > 0


def test_who_comes_back_is_counted_once_and_never_refused() -> None:
    clock = FakeClock()
    limit = GuestLimit(1, clock.monotonic_ms)
    enter(limit, "g_a")
    limit.leave(HERE, "g_a")
    clock.advance(GUEST_KEEP_MS // 2)
    limit.join(HERE, "g_a")
    clock.advance(GUEST_KEEP_MS)
    assert limit.wait_ms(HERE) > 0
    limit.leave(HERE, "g_a")
    clock.advance(GUEST_KEEP_MS)
    assert limit.wait_ms(HERE) == 0


def test_addresses_do_not_share_and_an_ipv6_64_does() -> None:
    limit = GuestLimit(1, FakeClock().monotonic_ms)
    assert enter(limit, "g_a")
    assert enter(limit, "g_b", "203.0.113.8")
    assert enter(limit, "g_c", "2001:db8::1")
    assert not enter(limit, "g_d", "2001:db8::2")


def test_exempt_networks_and_zero_are_no_limit() -> None:
    clock = FakeClock()
    exempt = GuestLimit(1, clock.monotonic_ms, [ip_network("203.0.113.0/24")])
    off = GuestLimit(0, clock.monotonic_ms)
    assert all(enter(exempt, f"g_{n}") and enter(off, f"g_{n}") for n in range(100))


def test_who_left_is_forgotten_in_the_end() -> None:
    clock = FakeClock()
    limit = GuestLimit(5, clock.monotonic_ms)
    for n in range(50):
        limit.join(f"198.51.100.{n}", f"g_{n}")
        limit.leave(f"198.51.100.{n}", f"g_{n}")
    clock.advance(GUEST_KEEP_MS)
    assert limit.wait_ms(HERE) == 0
    assert limit._connections == {}
    assert limit._departed == {}


def test_the_departed_are_bounded() -> None:
    limit = GuestLimit(5, FakeClock().monotonic_ms, max_departed=10)
    for n in range(1000):
        limit.join(f"2001:db8:0:{n:x}::1", f"g_{n}")
        limit.leave(f"2001:db8:0:{n:x}::1", f"g_{n}")
    assert len(limit._departed) == len(limit._connections) == 10


def test_leaving_without_having_joined_is_a_fault() -> None:
    limit = GuestLimit(5, FakeClock().monotonic_ms)
    with pytest.raises(KeyError):
        limit.leave(HERE, "g_a")
    enter(limit, "g_a")
    limit.leave(HERE, "g_a")
    with pytest.raises(KeyError):
        limit.leave(HERE, "g_a")
