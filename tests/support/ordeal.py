"""The kill test: a crowd plays while its server is killed again and again, then all is audited.

Used by the test, which wants no complaint, and by the bench, which wants the figures.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from persistence.ports import Store
from tests.support.crowd import FLAGS, Account, Crowd, gathered
from tests.support.ledger import ledger_of
from tests.support.processes import ServerProcess
from tests.support.stores import beside

WINDOW_S = (0.3, 4.0)
"""Between the moment when placements are taken and the kill."""
START_WINDOW_S = (0.2, 1.5)
"""Between the launch of a process and its kill, when it dies before it is ready."""
DIES_STARTING = 5
"""Every so many kills one finds the server still starting."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A server on a store, and that store as somebody opens it who only reads."""

    server: ServerProcess
    reading: Callable[[], AbstractAsyncContextManager[Store]]


def embedded_scene(data: Path) -> Scene:
    """A server on a data directory."""
    return Scene(ServerProcess(data, *FLAGS), lambda: beside(data))


async def ordeal(scene: Scene, *, kills: int, bots: int, spectators: int, seed: int) -> Account:
    """Play, kill, start again, stop, and compare everything with everything."""
    began_s = time.monotonic()
    server = scene.server
    await server.start()
    try:
        async with gathered(server.url, bots, spectators) as crowd:
            await crowd.play_during(_kill_often(server, Random(seed), kills, crowd))
            await crowd.converge(server.port)
    finally:
        code = await server.stop()
    account = crowd.account
    if code != 0:
        account.complaints.append(f"the server ended with {code}")
    async with scene.reading() as store:
        crowd.audit(await ledger_of(store))
    account.seconds = time.monotonic() - began_s
    return account


async def _kill_often(server: ServerProcess, chance: Random, kills: int, crowd: Crowd) -> None:
    account = crowd.account
    early = [number % DIES_STARTING == 1 for number in range(kills)]
    account.kills, account.kills_while_starting = kills, sum(early)
    account.takings += kills - sum(early)
    for starting, next_starting in zip(early, [*early[1:], False], strict=True):
        await _kill(server, chance, starting=starting)
        if not next_starting:
            await server.ready()


async def _kill(server: ServerProcess, chance: Random, *, starting: bool) -> None:
    """Kill it at random and launch it again; `starting`: before it takes placements."""
    await asyncio.sleep(chance.uniform(*(START_WINDOW_S if starting else WINDOW_S)))
    await server.kill()
    await server.launch()
