"""What came over WebSockets, and how they ended, is counted once each."""

from collections import Counter
from collections.abc import Callable

import pytest

from server.transport.counts import BY_CLIENT, LOST
from server.wire.codes import CloseCode
from tests.support.frames import client_frame
from tests.support.websockets import Bench


def ends(bench: Bench) -> Counter[str]:
    return +bench.counts.closed


def test_bytes_and_messages_are_counted_as_they_come() -> None:
    bench = Bench()
    data = client_frame(1, b"a") + client_frame(2, b"b") + client_frame(2, b"c") + b"\x82"
    bench.connection.data_received(data)
    counts = bench.counts
    assert (counts.received_bytes, counts.texts, counts.binaries) == (len(data), 1, 2)


def test_what_is_held_counts_once_it_is_delivered() -> None:
    bench = Bench()
    bench.connection.hold()
    bench.connection.data_received(client_frame(1, b"a"))
    assert bench.counts.texts == 0
    bench.connection.release()
    bench.turn()
    assert bench.counts.texts == 1


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (lambda bench: bench.connection.close(CloseCode.SLOW, "slow"), "4102"),
        (lambda bench: bench.connection.data_received(client_frame(3, b"")), "4404"),
        (lambda bench: bench.connection.data_received(client_frame(8, b"\x03\xe8")), BY_CLIENT),
        (lambda bench: bench.connection.eof_received(), LOST),
        (lambda bench: bench.connection.connection_lost(None), LOST),
    ],
)
def test_an_end_is_counted_once_by_what_ended_it(end: Callable[[Bench], None], how: str) -> None:
    bench = Bench()
    end(bench)
    bench.connection.connection_lost(None)
    assert ends(bench) == {how: 1}


def test_every_code_of_ours_is_there_from_the_start() -> None:
    assert {str(int(code)) for code in CloseCode} <= Bench().counts.closed.keys()
