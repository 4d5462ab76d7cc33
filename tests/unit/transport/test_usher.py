"""A crowd at the door is let in in turns, each in its order, and nobody twice."""

import asyncio
from collections.abc import Callable

from server.transport.door import Door, Doorway, Upgrades
from server.transport.handshake import Gate
from server.transport.lobby import Lobby
from server.transport.settings import TransportSettings
from server.transport.usher import Usher
from server.transport.websocket import Environment, WebSocket
from tests.support.clock import FakeClock
from tests.support.connections import FakePeer
from tests.support.sockets import upgrade_request
from tests.support.transports import FakeTransport


class Street:
    """Doors whose every upgrade takes two milliseconds."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.lobby = Lobby(capacity=100, timeout_ms=10_000)
        self.live: set[WebSocket] = set()
        self.later: list[Callable[[], None]] = []
        self.usher = Usher(self.clock.precise, self.later.append)
        self.shown_in: list[str] = []
        environment = Environment(TransportSettings(), self.clock, self._fault, print, self.live)
        gate = Gate(admit=self._admit, address_of=self._address_of)
        upgrades = Upgrades(gate, lambda: f"c{len(self.live)}", FakePeer)
        self.doorway = Doorway(environment, self.lobby, self.usher, asyncio.Protocol, upgrades)

    def _fault(self, fault: Exception) -> None:
        raise fault

    def _admit(self) -> None:
        self.clock.advance(2)

    def _address_of(self, peer: str, _forwarded: str | None) -> str:
        self.shown_in.append(peer)
        return peer

    def dial(self, address: str) -> FakeTransport:
        """Somebody comes, and asks at once."""
        transport = FakeTransport((address, 1))
        door = Door(self.doorway)
        transport.set_protocol(door)
        door.connection_made(transport)
        door.data_received(upgrade_request())
        return transport

    def next_turn(self) -> None:
        """Let the loop turn once."""
        later, self.later[:] = list(self.later), []
        for callback in later:
            callback()


def test_a_crowd_is_let_in_in_turns_in_its_order() -> None:
    street = Street()
    transports = [street.dial(f"192.0.2.{number}") for number in range(8)]
    assert len(street.shown_in) == 3, "six milliseconds, the turn being five"
    assert [transport.reading for transport in transports] == [True] * 3 + [False] * 5
    assert len(street.lobby) == len(street.usher) == 5
    for inside in (6, 8):
        street.next_turn()
        assert len(street.shown_in) == inside
    assert street.shown_in == [f"192.0.2.{number}" for number in range(8)]
    assert all(transport.reading for transport in transports)
    assert all(b" 101 " in transport.take_written() for transport in transports)
    assert len(street.live) == 8
    assert len(street.lobby) == len(street.usher) == 0


def test_whoever_comes_while_others_wait_goes_behind_them() -> None:
    street = Street()
    for number in range(8):
        street.dial(f"192.0.2.{number}")
    street.next_turn()
    street.dial("192.0.2.99")
    while street.later:
        street.next_turn()
    assert street.shown_in[-1] == "192.0.2.99"


def test_one_alone_never_waits() -> None:
    street = Street()
    for number in range(5):
        street.dial(f"192.0.2.{number}")
        assert len(street.shown_in) == number + 1
        street.next_turn()
    assert street.later == []


def test_who_hangs_up_or_is_sent_away_while_waiting_is_not_let_in() -> None:
    street = Street()
    transports = [street.dial(f"192.0.2.{number}") for number in range(6)]
    gone, late, stays = transports[3:]
    gone.protocol.connection_lost(None)
    late.protocol.expire()
    while street.later:
        street.next_turn()
    assert street.shown_in == ["192.0.2.0", "192.0.2.1", "192.0.2.2", "192.0.2.5"]
    assert b" 101 " in stays.take_written()
    assert b" 408 " in late.take_written()
