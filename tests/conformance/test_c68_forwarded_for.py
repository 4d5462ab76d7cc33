"""C68: X-Forwarded-For counts from trusted networks only, by its right-most untrusted hop."""

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.access.addresses import MAX_HOPS, client_address

TRUSTED = [ip_network("10.0.0.0/8"), ip_network("fd00::/8")]
CLIENT = "203.0.113.9"


@pytest.mark.parametrize(
    ("peer", "header", "client"),
    [
        (CLIENT, None, CLIENT),
        (CLIENT, "198.51.100.1", CLIENT),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", CLIENT, CLIENT),
        ("10.0.0.1", f"198.51.100.1, {CLIENT}", CLIENT),
        ("10.0.0.1", f"{CLIENT}, 10.0.0.2", CLIENT),
        ("10.0.0.1", f"1.1.1.1,{CLIENT} , 10.1.1.1,10.2.2.2", CLIENT),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", f"{CLIENT}, unknown", "10.0.0.1"),
        ("10.0.0.1", f"{CLIENT}, unknown, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", f"{CLIENT}:4711", CLIENT),
        ("10.0.0.1", "[2001:db8::9]:4711", "2001:db8::9"),
        ("10.0.0.1", "[2001:db8::9]", "2001:db8::9"),
        ("10.0.0.1", "2001:db8::9", "2001:db8::9"),
        ("::ffff:10.0.0.1", f"::ffff:{CLIENT}", CLIENT),
        ("fd00::1", CLIENT, CLIENT),
        ("fe80::1%eth0", CLIENT, "fe80::1"),
        ("", CLIENT, ""),
    ],
)
def test_c68_the_client_behind_proxies(peer: str, header: str | None, client: str) -> None:
    assert client_address(peer, header, TRUSTED) == client


def test_c68_nobody_is_trusted_unless_configured() -> None:
    assert client_address("10.0.0.1", CLIENT, []) == "10.0.0.1"


def test_c68_a_header_without_end_is_not_walked_to_its_end() -> None:
    header = CLIENT + ", 10.9.9.9" * 1000 + ", 10.0.0.2" * MAX_HOPS
    assert client_address("10.0.0.1", header, TRUSTED) == "10.0.0.2"


@given(st.text(max_size=80))
def test_c68_an_untrusted_peer_cannot_choose_its_address(header: str) -> None:
    assert client_address(CLIENT, header, TRUSTED) == CLIENT


@given(st.text(max_size=40), st.ip_addresses(v=4).filter(lambda ip: ip not in TRUSTED[0]))
def test_c68_what_a_client_prepends_changes_nothing(lie: str, client: object) -> None:
    assert client_address("10.0.0.1", f"{lie}, {client}", TRUSTED) == str(client)
