"""IP addresses and networks, each in one spelling: IPv4 within IPv6 is IPv4.

Owns that one decision (a dual-stack socket tells IPv4 clients as `::ffff:192.0.2.7`); knows neither
bans nor limits. Used by bans, by the limits per address and by the configuration.
"""

from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MAPPED_PREFIX_BITS = 96
"""`::ffff:0:0/96` holds the IPv4 addresses."""
MAX_ADDRESS_LENGTH = 45
"""Of IPv4 within IPv6, all written out."""
KEPT_ADDRESSES = 1024
"""A connection's address is parsed four times in a row while it opens, at 8 us each."""


def parse_address(text: str) -> Address | None:
    """Parse an address, without its zone; None when the text is none."""
    text = text.partition("%")[0]
    return _parse_address(text) if len(text) <= MAX_ADDRESS_LENGTH else None


@lru_cache(KEPT_ADDRESSES)
def _parse_address(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped


def parse_network(text: str, *, host_bits: bool = False) -> Network:
    """Parse a network in CIDR form, or an address as a network of its own.

    With `host_bits` 192.0.2.7/24 stands for all of 192.0.2.0/24. Raises ValueError.
    """
    network = ip_network(text, strict=not host_bits)
    if isinstance(network, IPv6Network) and network.prefixlen >= MAPPED_PREFIX_BITS:
        mapped = network.network_address.ipv4_mapped
        if mapped is not None:
            return IPv4Network((mapped, network.prefixlen - MAPPED_PREFIX_BITS))
    return network
