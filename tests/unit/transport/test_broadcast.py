"""One frame to many sockets: whole, in order, and by plain writes wherever a ring is of no use."""

import errno
import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from server.ports import write_each
from server.transport import broadcast, io_uring
from server.transport.broadcast import RingBroadcast, choose_broadcast, self_test
from server.transport.io_uring import NOT_SENT, Ring
from tests.support.connections import FakeConnection

FRAME = b"0123456789" * 20
Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def ring() -> Iterator[Ring]:
    try:
        made = Ring(8)
    except OSError as error:
        pytest.skip(f"io_uring is not to be had here: {error}")
    yield made
    made.close()


@pytest.fixture
def pairs() -> Iterator[list[Pair]]:
    made = [socket.socketpair() for _ in range(20)]
    for one, other in made:
        one.setblocking(False)
        other.setblocking(False)
    yield made
    for pair in made:
        for one in pair:
            one.close()


class Socketed(FakeConnection):
    """A connection on a real socket, for which nothing waits unless a test says so."""

    def __init__(self, number: int, fd: int) -> None:
        super().__init__(f"c{number}")
        self.fd = fd

    def free_fd(self) -> int:
        return self.fd


def fill(one: socket.socket) -> None:
    try:
        while one.send(FRAME):
            pass
    except BlockingIOError:
        return


def written(connection: FakeConnection) -> bytes:
    return b"".join(connection.written)


def test_what_is_sent_arrives_however_often_the_ring_goes_round(
    ring: Ring, pairs: list[Pair]
) -> None:
    told = [b"frame %d;" % number for number in range(50)]
    for frame in told:
        assert list(ring.send([one.fileno() for one, _ in pairs[:7]], frame)) == [len(frame)] * 7
    assert [other.recv(10_000) for _, other in pairs[:7]] == [b"".join(told)] * 7


def test_a_full_a_dead_and_a_closed_socket_are_told_apart(ring: Ring, pairs: list[Pair]) -> None:
    (full, _), (dead, dead_end), (good, _) = pairs[:3]
    fill(full)
    dead_end.close()
    taken = ring.send([full.fileno(), dead.fileno(), 9_999, good.fileno()], FRAME)
    assert list(taken) == [-errno.EAGAIN, -errno.EPIPE, -errno.EBADF, len(FRAME)]


def test_what_a_socket_did_not_take_is_its_transports_in_order(
    ring: Ring, pairs: list[Pair]
) -> None:
    connections = [Socketed(n, one.fileno()) for n, (one, _) in enumerate(pairs[:5])]
    large = bytes(range(256)) * 8_000
    RingBroadcast(ring)(connections, large)
    for (_, other), connection in zip(pairs, connections, strict=False):
        received = other.recv(len(large))
        assert 0 < len(received) < len(large)
        assert received + written(connection) == large


def test_more_than_the_ring_holds_go_in_several_submissions(ring: Ring, pairs: list[Pair]) -> None:
    connections = [Socketed(n, one.fileno()) for n, (one, _) in enumerate(pairs)]
    assert len(connections) > ring.entries
    RingBroadcast(ring)(connections, FRAME)
    assert [other.recv(1000) for _, other in pairs] == [FRAME] * len(pairs)
    assert all(connection.written == [] for connection in connections)


def test_a_socket_for_which_something_waits_goes_the_plain_way(
    ring: Ring, pairs: list[Pair]
) -> None:
    connections = [Socketed(n, one.fileno()) for n, (one, _) in enumerate(pairs[:6])]
    connections[2].fd = -1
    RingBroadcast(ring)(connections, FRAME)
    assert [written(one) for one in connections] == [b"", b"", FRAME, b"", b"", b""]


def test_a_few_go_the_plain_way(ring: Ring, pairs: list[Pair]) -> None:
    connections = [Socketed(n, one.fileno()) for n, (one, _) in enumerate(pairs[:3])]
    RingBroadcast(ring)(connections, FRAME)
    assert [written(one) for one in connections] == [FRAME] * 3


def test_a_ring_that_breaks_loses_nothing_and_is_not_used_again(
    ring: Ring, pairs: list[Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EBUSY, "busy")

    monkeypatch.setattr(ring, "_call", refuse)
    connections = [Socketed(n, one.fileno()) for n, (one, _) in enumerate(pairs[:6])]
    tell = RingBroadcast(ring)
    tell(connections, FRAME)
    assert ring.broken
    monkeypatch.setattr(ring, "send", None)
    tell(connections, b"next")
    assert [written(one) for one in connections] == [FRAME + b"next"] * 6


def test_a_good_ring_passes_its_test_and_is_chosen(ring: Ring) -> None:
    assert self_test(ring) == ""
    chosen, how = choose_broadcast(wanted=True)
    assert isinstance(chosen, RingBroadcast)
    assert how == "io_uring"
    chosen._ring.close()


class Wrong:
    """A ring whose answers are not true."""

    broken = False
    closed = False

    def __init__(self, answers: list[int]) -> None:
        self.answers = answers

    def send(self, _fds: list[int], _frame: bytes) -> Any:
        return np.array(self.answers, np.int32)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("answers", [[8, 8, 8], [NOT_SENT] * 3, [8, -errno.EAGAIN, 8]])
def test_a_ring_that_fails_its_test_is_given_back(
    monkeypatch: pytest.MonkeyPatch, answers: list[int]
) -> None:
    wrong = Wrong(answers)
    monkeypatch.setattr(broadcast, "Ring", lambda: wrong)
    chosen, how = choose_broadcast(wanted=True)
    assert chosen is write_each
    assert how.startswith("plain writes; io_uring answers [")
    assert wrong.closed


def test_a_ring_that_sends_nothing_but_says_so_fails_its_test() -> None:
    silent = Wrong([8, -errno.EAGAIN, -errno.EPIPE])
    assert "sends b''" in self_test(silent)  # type: ignore[arg-type]  # as much as is used


@pytest.mark.parametrize("fault", [PermissionError(1, "forbidden"), OSError(38, "no such call")])
def test_where_the_kernel_forbids_it_writes_are_plain(
    monkeypatch: pytest.MonkeyPatch, fault: OSError
) -> None:
    def refuse(*_: object) -> int:
        raise fault

    monkeypatch.setattr(io_uring.Ring, "_call", refuse)
    chosen, how = choose_broadcast(wanted=True)
    assert chosen is write_each
    assert str(fault) in how


def test_whoever_does_not_want_it_has_plain_writes() -> None:
    assert choose_broadcast(wanted=False)[0] is write_each
