"""Who may not place: users by id, addresses by IP or prefix.

Owns the bans in force and their look-up; whether one has run out is told by `wall_ms`, since people
give bans an end by the calendar. Never stores or announces them. Read by the head and at the door.
"""

from dataclasses import dataclass

from canvas.networks import Network, parse_address, parse_network

REMEMBERED_ADDRESSES = 10_000
"""Looked-up addresses kept; parsing one costs microseconds, and each placement asks."""


@dataclass(frozen=True, slots=True)
class Ban:
    """Why, and until when (wall clock; None: for good)."""

    reason: str
    expires_at_ms: int | None = None

    def holds(self, wall_ms: int) -> bool:
        """Whether it is still in force."""
        return self.expires_at_ms is None or wall_ms < self.expires_at_ms


class Bans:
    """The bans in force."""

    __slots__ = ("_matches", "_networks", "_users", "any")

    def __init__(self) -> None:
        self.any = False
        """Whether there is any ban, in force or run out; most games have none."""
        self._users: dict[str, Ban] = {}
        self._networks: dict[Network, Ban] = {}
        self._matches: dict[str, tuple[Ban, ...]] = {}

    def of_user(self, user: str, wall_ms: int) -> Ban | None:
        """Return the ban of a user, if one holds."""
        ban = self._users.get(user)
        return ban if ban is not None and ban.holds(wall_ms) else None

    def of_address(self, address: str, wall_ms: int) -> Ban | None:
        """Return the longest ban that holds for an address; text that is no IP is never banned."""
        if not self._networks:
            return None
        matches = self._matches.get(address)
        if matches is None:
            matches = self._match(address)
        return next((ban for ban in matches if ban.holds(wall_ms)), None)

    def _match(self, address: str) -> tuple[Ban, ...]:
        if len(self._matches) >= REMEMBERED_ADDRESSES:
            self._matches.clear()
        ip = parse_address(address)
        found = [] if ip is None else [ban for net, ban in self._networks.items() if ip in net]
        found.sort(key=_longest_first)
        matches = self._matches[address] = tuple(found)
        return matches

    def of(self, user: str, address: str, wall_ms: int) -> Ban | None:
        """Return the ban of the user or else of the address, if one holds."""
        return self.of_user(user, wall_ms) or self.of_address(address, wall_ms)

    def add_user(self, user: str, ban: Ban) -> None:
        """Ban a user, in place of an earlier ban."""
        self._users[user] = ban
        self.any = True

    def remove_user(self, user: str) -> bool:
        """Lift a user's ban; False when there was none."""
        lifted = self._users.pop(user, None)
        self.any = bool(self._users or self._networks)
        return lifted is not None

    def add_address(self, address: str, ban: Ban) -> None:
        """Ban an IP or a prefix (`2001:db8::1/64` is all of that /64). Raises ValueError."""
        self._networks[_network(address)] = ban
        self._matches.clear()
        self.any = True

    def remove_address(self, address: str) -> bool:
        """Lift the ban of exactly that IP or prefix; False when there was none."""
        lifted = self._networks.pop(_network(address), None)
        self._matches.clear()
        self.any = bool(self._users or self._networks)
        return lifted is not None


def _network(text: str) -> Network:
    try:
        return parse_network(text, host_bits=True)
    except ValueError as error:
        raise ValueError(
            f"{text!r} is no IP address or prefix; write 192.0.2.7 or 2001:db8::/64"
        ) from error


def _longest_first(ban: Ban) -> float:
    return float("-inf") if ban.expires_at_ms is None else -ban.expires_at_ms
