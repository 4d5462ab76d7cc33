"""The door on a fake transport: what it does with time and with those that it refuses."""

import asyncio

from server.transport.counts import Turned
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


class Porch:
    """One door, its transport, and a lobby with a clock."""

    def __init__(self, admit: int | None = None, *, belongs_to_tls: bool = False) -> None:
        self.clock = FakeClock()
        self.lobby = Lobby(capacity=4, timeout_ms=10_000)
        self.live: set[WebSocket] = set()
        settings = TransportSettings(max_head_bytes=500)
        self.http: list[bytes] = []
        environment = Environment(settings, self.clock, self._fault, print, self.live)
        self.counts = environment.counts
        gate = Gate(admit=lambda: admit, address_of=lambda peer, _: peer)
        self.door = Door(
            Doorway(
                environment,
                self.lobby,
                Usher(self.clock.precise, lambda _: None),
                self._make_http,
                Upgrades(gate, lambda: "c1", FakePeer),
            ),
            belongs_to_tls=belongs_to_tls,
        )
        self.transport = FakeTransport()
        self.transport.set_protocol(self.door)
        self.door.connection_made(self.transport)

    @property
    def turned(self) -> list[Turned]:
        """Why somebody was turned away, each reason once."""
        return [Turned(why) for why, count in self.counts.turned.items() if count]

    def pass_time(self) -> None:
        self.clock.advance(10_000)
        self.lobby.sweep(self.clock.monotonic_ms())

    def _fault(self, fault: Exception) -> None:
        raise fault

    def _make_http(self) -> asyncio.Protocol:
        taken = self.http

        class Handler(asyncio.Protocol):
            def data_received(self, data: bytes) -> None:
                taken.append(data)

        return Handler()


def test_a_silent_connection_is_dropped_without_a_word() -> None:
    porch = Porch()
    porch.pass_time()
    assert porch.transport.aborted
    assert porch.transport.take_written() == b""


def test_who_resets_while_being_refused_is_no_fault() -> None:
    porch = Porch()
    porch.transport.is_reset = True
    porch.door.data_received(b"no http\r\n\r\n")
    assert porch.transport.aborted


def test_a_slow_request_is_told_408() -> None:
    porch = Porch()
    porch.door.data_received(b"GET / HT")
    porch.pass_time()
    assert porch.transport.take_written().startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert porch.transport.closed


def test_an_upgraded_connection_has_left_the_lobby() -> None:
    porch = Porch()
    porch.door.data_received(upgrade_request())
    porch.pass_time()
    assert len(porch.live) == 1
    assert not porch.transport.is_closing()
    assert isinstance(porch.transport.protocol, WebSocket)


def test_http_gets_the_request_and_nothing_of_the_next() -> None:
    porch = Porch()
    porch.door.data_received(b"GET /a HTTP/1.1\r\n\r\nGET /ws HTTP/1.1\r\n\r\n")
    porch.pass_time()
    assert porch.http == [b"GET /a HTTP/1.1\r\nconnection: close\r\n\r\n"]
    assert not porch.transport.is_closing()


def test_the_refused_are_heard_no_more_and_dropped_when_they_stay() -> None:
    porch = Porch(admit=3)
    porch.door.data_received(upgrade_request())
    answer = porch.transport.take_written()
    assert answer.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
    assert b"retry-after: 3\r\n" in answer
    assert porch.transport.eof_written
    porch.door.data_received(upgrade_request())
    assert porch.transport.take_written() == b""
    porch.pass_time()
    assert porch.transport.aborted


def test_a_head_is_bounded_whether_it_ends_or_not() -> None:
    for request in (b"GET / HTTP/1.1\r\nA: " + b"b" * 500, upgrade_request("A: " + "b" * 500)):
        porch = Porch()
        porch.door.data_received(request)
        assert porch.transport.take_written().startswith(b"HTTP/1.1 431 ")


def test_a_lost_connection_has_left_the_lobby() -> None:
    porch = Porch()
    porch.transport.lose()
    assert len(porch.lobby) == 0
    porch.door.expire()
    assert not porch.transport.aborted
    assert porch.turned == []


def test_who_is_turned_away_is_counted_by_the_reason() -> None:
    asked = {
        Turned.HEAD: b"no http\r\n\r\n",
        Turned.ORIGIN: upgrade_request("Origin: http://elsewhere"),
        Turned.HANDSHAKE: upgrade_request("Sec-WebSocket-Protocol: another"),
        Turned.SLOW: b"GET / HT",
    }
    for why, request in asked.items():
        porch = Porch()
        porch.door.data_received(request)
        porch.pass_time()
        assert porch.turned == [why]
        assert porch.counts.turned[why] == 1


def test_too_many_handshakes_are_counted_as_such() -> None:
    porch = Porch(admit=3)
    porch.door.data_received(upgrade_request())
    porch.pass_time()
    assert porch.turned == [Turned.RATE]


def test_plain_words_to_a_port_of_tls_are_counted_as_such() -> None:
    porch = Porch(belongs_to_tls=True)
    porch.door.data_received(upgrade_request())
    assert porch.turned == [Turned.PLAIN]
