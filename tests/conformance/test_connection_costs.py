"""What one connection more costs: no task, no timer, no queue of its own, and no parser."""

import asyncio
import gc
from collections import Counter

import pytest

from tests.support.bare import Bare, crowd
from tests.support.foreign import place_frame
from tests.support.frames import client_frame
from tests.support.serving import NAME, Serving, serving
from tests.support.sockets import until

OWN = ("Task", "Future", "Queue", "Event", "deque", "TimerHandle", "Handle", "ServerProtocol")
"""What a server with a task, a timer or a queue for each connection has more of with each."""
WHAT_IT_IS = ("WebSocket", "Session", "Placing", "Inbox", "Allowance")
FEW, MANY = 10, 60
SOME = 5
"""Of the loop's own, which come and go by the turn."""


async def use(room: Serving, clients: list[Bare]) -> None:
    """Let a third of them watch, a third place, a third have a pace; and all say something."""
    for number, client in enumerate(clients):
        pace = {"minIntervalMs": 60_000} if number % 3 == 2 else {}
        await client.subscribe(guest=number % 3 > 0, **pace)
        await client.send(client_frame(9, b"ping") + client_frame(1, b'{"do":"ping","id":2}'))
        if number % 3:
            frame = place_frame((number % 20, 3, 1), request=number + 1)
            await client.send(client_frame(2, frame))
    await until(lambda: room.head.seq == sum(number % 3 > 0 for number in range(len(clients))))
    await room.published()


def kinds_of(names: tuple[str, ...]) -> Counter[str]:
    """How many things of such names there are."""
    kinds = Counter(type(one).__name__ for one in gc.get_objects())
    return Counter({name: kinds[name] for name in names})


def own_things() -> Counter[str]:
    gc.collect()
    return kinds_of(OWN)


async def held_by(count: int) -> tuple[int, Counter[str]]:
    """Tasks and such while so many connections are in use."""
    async with serving() as room, crowd(room.port, count) as clients:
        await use(room, clients)
        assert room.services.hub.watchers(NAME) == count
        for _ in range(SOME):
            await asyncio.sleep(0)
        return len(asyncio.all_tasks()), own_things()


async def test_a_connection_has_no_task_and_no_queue_of_its_own() -> None:
    few_tasks, few = await held_by(FEW)
    many_tasks, many = await held_by(MANY)
    assert many_tasks == few_tasks
    more = {kind: many[kind] - few[kind] for kind in OWN}
    assert max(more.values()) <= SOME, more


@pytest.mark.parametrize("how", ["close", "reset"])
async def test_who_is_gone_is_forgotten_without_the_garbage_collector(how: str) -> None:
    async with serving() as room, room.dial() as stays, crowd(room.port, MANY) as clients:
        await stays.play()
        assert kinds_of(WHAT_IT_IS)["Session"] == 1 + MANY
        await use(room, clients)
        gc.disable()
        try:
            for client in clients:
                client.close() if how == "close" else client.reset()
            await until(lambda: room.online == 1)
            await stays.put((1, 1, 1))  # a game remembers whom it has answered last
            for _ in range(SOME):
                await asyncio.sleep(0)
            assert set(kinds_of(WHAT_IT_IS).values()) == {1}
            assert kinds_of(("TCPTransport",)).total() == 2, "one at each end"
        finally:
            gc.enable()
