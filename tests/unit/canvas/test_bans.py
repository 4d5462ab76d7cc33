import pytest

from canvas.bans import REMEMBERED_ADDRESSES, Ban, Bans

BAN = Ban("spam")


def test_a_user_is_banned_until_the_end() -> None:
    bans = Bans()
    bans.add_user("a", Ban("spam", 1000))
    assert bans.of_user("a", 999) == Ban("spam", 1000)
    assert bans.of_user("a", 1000) is None
    assert bans.of_user("b", 999) is None


def test_a_ban_for_good_holds_until_it_is_lifted() -> None:
    bans = Bans()
    bans.add_user("a", BAN)
    assert bans.of_user("a", 10**15) == BAN
    assert (bans.remove_user("a"), bans.remove_user("a")) == (True, False)
    assert (bans.of_user("a", 0), bans.any) == (None, False)


def test_any_tells_of_both_kinds() -> None:
    bans = Bans()
    bans.add_user("a", BAN)
    bans.add_address("192.0.2.7", BAN)
    bans.remove_user("a")
    assert bans.any
    assert (bans.remove_address("192.0.2.7"), bans.any) == (True, False)
    assert not bans.remove_address("192.0.2.7")


@pytest.mark.parametrize(
    ("banned", "address", "holds"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.0/24", "192.0.2.8", True),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("::ffff:192.0.2.0/120", "192.0.2.9", True),
        ("::ffff:192.0.2.0/120", "192.0.3.9", False),
        ("2001:db8::1/64", "2001:db8::ffff:1", True),
        ("2001:db8::1/64", "2001:db8:0:1::1", False),
        ("2001:db8::1/64", "192.0.2.7", False),
        ("192.0.2.7", "", False),
        ("192.0.2.7", "unix:", False),
    ],
)
def test_an_address_is_banned_with_its_prefix(banned: str, address: str, holds: bool) -> None:
    """C56 and its kind."""
    bans = Bans()
    bans.add_address(banned, BAN)
    expected = BAN if holds else None
    assert bans.of_address(address, 0) == expected
    assert bans.of_address(address, 0) == expected
    assert bans.of("someone", address, 0) == expected


def test_the_longest_ban_is_told() -> None:
    bans = Bans()
    bans.add_address("192.0.2.7", Ban("short", 1000))
    bans.add_address("192.0.2.0/24", Ban("long", 2000))
    assert bans.of_address("192.0.2.7", 0) == Ban("long", 2000)
    bans.add_address("192.0.0.0/16", BAN)
    assert bans.of_address("192.0.2.7", 0) == BAN
    assert bans.remove_address("192.0.0.0/16")
    assert bans.of_address("192.0.2.7", 1999) == Ban("long", 2000)
    assert bans.of_address("192.0.2.7", 2000) is None


def test_the_users_own_ban_is_told_before_the_addresss() -> None:
    bans = Bans()
    bans.add_user("a", Ban("you"))
    bans.add_address("192.0.2.7", Ban("here"))
    assert bans.of("a", "192.0.2.7", 0) == Ban("you")
    assert bans.of("b", "192.0.2.7", 0) == Ban("here")


@pytest.mark.parametrize("text", ["", "home", "192.0.2.300", "192.0.2.7/33"])
def test_text_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write 192\.0\.2\.7 or 2001:db8::/64"):
        Bans().add_address(text, BAN)


def test_looked_up_addresses_are_bounded() -> None:
    bans = Bans()
    bans.add_address("10.0.0.0/8", BAN)
    for number in range(REMEMBERED_ADDRESSES + 10):
        bans.of_address(f"10.0.{number >> 8}.{number & 255}", 0)
    assert len(bans._matches) <= REMEMBERED_ADDRESSES
