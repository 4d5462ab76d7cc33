import asyncio
import socket

import pytest

from server.transport.door import Upgrades
from server.transport.errors import ListenError
from server.transport.handshake import Gate
from server.transport.listener import Listener
from server.transport.settings import TransportSettings
from tests.support.clock import FakeClock
from tests.support.connections import FakePeer
from tests.support.sockets import until


class CountingClock(FakeClock):
    """Counts how often it was read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def monotonic_ms(self) -> int:
        self.reads += 1
        return super().monotonic_ms()


def listener(clock: FakeClock) -> Listener:
    return Listener(
        make_http=asyncio.Protocol,
        upgrades=Upgrades(Gate(lambda: None, lambda peer, _: peer), lambda: "c1", FakePeer),
        clock=clock,
        on_fault=print,
        settings=TransportSettings(ping_ms=10),
    )


async def test_it_is_on_no_port_until_it_listens() -> None:
    door = listener(FakeClock())
    assert door.port == 0
    await door.start("127.0.0.1", 0)
    assert door.port > 0
    door.stop()
    assert door.port == 0


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize("reached_by", ["127.0.0.1", "::1"])
async def test_the_any_address_of_ipv6_listens_to_ipv4_too(reached_by: str) -> None:
    door = listener(FakeClock())
    await door.start("::", 0)
    _, writer = await asyncio.open_connection(reached_by, door.port)
    writer.close()
    await writer.wait_closed()
    door.stop()


async def test_a_port_that_is_taken_is_told_on_the_any_address_too() -> None:
    first = listener(FakeClock())
    await first.start("::", 0)
    with pytest.raises(ListenError, match=str(first.port)) as refused:
        await listener(FakeClock()).start("::", first.port)
    first.stop()
    assert "--port" in refused.value.hint


async def test_an_address_that_is_not_ours_is_told() -> None:
    with pytest.raises(ListenError, match=r"192\.0\.2\.1") as refused:
        await listener(FakeClock()).start("192.0.2.1", 0)
    assert "--host" in refused.value.hint


async def test_a_fault_in_a_turn_is_not_the_last_turn() -> None:
    told: list[BaseException] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: told.append(context["exception"])
    )
    clock = CountingClock()
    door = listener(clock)

    class Broken:
        closing = True

        @property
        def close_by_ms(self) -> int:
            raise KeyError("broken")

    await door.start("127.0.0.1", 0)
    door.live.add(Broken())  # type: ignore[arg-type]
    await until(lambda: bool(told))
    door.live.clear()
    before = clock.reads
    await until(lambda: clock.reads > before)
    door.stop()
    assert [str(fault) for fault in told] == [repr("broken")]
