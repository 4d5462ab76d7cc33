from ipaddress import ip_address, ip_network

import pytest

from canvas.networks import parse_address, parse_network


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::1"),
        ("2001:db8::1", "2001:db8::1"),
    ],
)
def test_an_address_has_one_spelling(text: str, address: str) -> None:
    assert parse_address(text) == ip_address(address)


@pytest.mark.parametrize("text", ["", "localhost", "192.0.2.0/24", "192.0.2.256"])
def test_other_text_is_no_address(text: str) -> None:
    assert parse_address(text) is None


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("192.0.2.7", "192.0.2.7/32"),
        ("::ffff:192.0.2.0/120", "192.0.2.0/24"),
        ("::/0", "::/0"),
    ],
)
def test_a_network_has_one_spelling(text: str, network: str) -> None:
    assert parse_network(text) == ip_network(network)


def test_host_bits_are_allowed_only_when_asked_for() -> None:
    assert parse_network("192.0.2.7/24", host_bits=True) == ip_network("192.0.2.0/24")
    with pytest.raises(ValueError, match="host bits"):
        parse_network("192.0.2.7/24")
