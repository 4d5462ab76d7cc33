"""Which bucket an address belongs to, and what is stored of it."""

from ipaddress import ip_network

import pytest

from server.access.addresses import address_hasher, address_key, is_exempt


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:DB8:0:0:ffff:1:2:3", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("unix:", "unix:"),
    ],
)
def test_the_bucket_of_an_address(address: str, key: str) -> None:
    assert address_key(address) == key


def test_another_prefix_can_be_asked_for() -> None:
    assert address_key("2001:db8:1:2::3", ipv6_prefix=48) == "2001:db8:1::/48"


def test_exempt_networks() -> None:
    networks = [ip_network("192.0.2.0/24"), ip_network("2001:db8::/32")]
    assert is_exempt("192.0.2.9", networks)
    assert is_exempt("::ffff:192.0.2.9", networks)
    assert is_exempt("2001:db8:5::1", networks)
    assert not is_exempt("192.0.3.9", networks)
    assert not is_exempt("not an address", networks)
    assert not is_exempt("192.0.2.9", [])


def test_the_hash_is_of_the_bucket_and_of_the_key() -> None:
    one, other = address_hasher(b"k" * 32), address_hasher(b"j" * 32)
    assert one("2001:db8::1") == one("2001:db8::2")
    assert one("203.0.113.7") == one("::ffff:203.0.113.7")
    assert one("203.0.113.7") != one("203.0.113.8")
    assert one("203.0.113.7") != other("203.0.113.7")
    assert len(one("203.0.113.7")) == 32
