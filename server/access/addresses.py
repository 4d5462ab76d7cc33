"""Addresses of clients: whom to believe, what counts as one, and the hash that is kept.

Pure; the key of the hash is an argument. An IPv4 address counts by itself, an IPv6 client owns a
/64. Called by the door (who is this), by limits and the session (which bucket), by the journal's
items (what is stored: never the address itself).
"""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address, ip_network

from canvas.networks import Address, Network, parse_address

IPV6_PREFIX_BITS = 64
MAX_HOPS = 16
"""Hops of X-Forwarded-For that are looked at, from the right; a client can prepend any number."""
HASH_BYTES = 16

AddressKey = Callable[[str], str]


def client_address(peer: str, forwarded_for: str | None, trusted: Sequence[Network]) -> str:
    """Tell the client's address: the right-most hop that is no trusted proxy.

    `peer` is the socket's address. A peer that is not trusted is the client, whatever the header
    says. A hop that is no address ends the walk: what stands left of it was not written by a proxy
    of ours. When all hops are trusted, the one furthest from us is the client.
    """
    client = parse_address(peer)
    if client is None:
        return peer
    hops = (forwarded_for or "").rsplit(",", MAX_HOPS)[-MAX_HOPS:]
    for hop in reversed(hops):
        if not contains(trusted, client):
            break
        before = _parse_hop(hop)
        if before is None:
            break
        client = before
    return str(client)


def address_key(address: str, ipv6_prefix: int = IPV6_PREFIX_BITS) -> str:
    """Name the bucket of an address: the IPv4 address, or the IPv6 prefix as `2001:db8::/64`.

    What is no address (a Unix socket's peer) is a bucket by itself.
    """
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, ipv6_prefix), strict=False))
    return address if parsed is None else str(parsed)


def is_exempt(address: str, exceptions: Sequence[Network]) -> bool:
    """Whether the address lies in a network that no limit per address holds for."""
    if not exceptions:
        return False
    parsed = parse_address(address)
    return parsed is not None and contains(exceptions, parsed)


def contains(networks: Sequence[Network], address: Address) -> bool:
    """Whether one of the networks holds the address."""
    return any(address in network for network in networks)


def address_hasher(key: bytes) -> AddressKey:
    """Make the function from an address to what is stored of it: a keyed hash of its bucket.

    The same address gives the same 32 hexadecimal digits as long as the secret stays; without the
    key nobody can try out all addresses.
    """

    def hashed(address: str) -> str:
        bucket = address_key(address).encode()
        return hmac.digest(key, bucket, hashlib.sha256)[:HASH_BYTES].hex()

    return hashed


def _parse_hop(text: str) -> Address | None:
    """Parse a hop as proxies write it: `a`, `a:port`, `[v6]` or `[v6]:port`."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].split("]", 1)[0]
    elif text.count(":") == 1:
        text = text.split(":", 1)[0]
    return parse_address(text)
