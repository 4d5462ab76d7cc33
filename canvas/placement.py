"""A placement as it is asked for, before anything was decided about it.

Owns the shape alone. Made by the session for each record of a frame, judged by the rules.
"""

from typing import NamedTuple


class Placement(NamedTuple):
    """One pixel that somebody wants to place; a tuple, since one is made for every record."""

    user_id: str
    address: str
    """The client's IP, for bans; it is never kept."""
    address_key: str
    """A keyed hash that stands for the address or its IPv6 prefix; "" is never limited."""
    x: int
    y: int
    color: int
    generation: int | None
    """The generation that x and y speak of; None: the current one."""
    request: int | None
    """The client's request number (u32), when it gave one."""
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs of it
    """The record's place in its frame."""
