"""The rows `wsConnections` over kills and a stop: no ghost outlives the next start."""

import asyncio
from typing import Any

from aiohttp import ClientSession

from persistence.ports import Item
from persistence.tables import MAIN
from server.audience.connection_rows import PARTITION
from tests.support.foreign import Foreign, dialled
from tests.support.homes import Home
from tests.support.processes import ServerProcess, process

GAME = "place#main"


async def test_a_kill_leaves_rows_and_the_next_start_clears_them(home: Home) -> None:
    async with process(home.data, *home.flags) as server:
        async with dialled(server.url) as one, dialled(server.url) as other:
            await greeted(one, guest=True, games=[{"game": GAME}])
            await greeted(other, wantsPresence=False)
            await written(server)
            await server.kill()
        left = {row["wantsPresence"]: row for row in await rows_of(home)}
        assert left[True]["watchingGames"] == {GAME}
        assert left[True]["userId"] != ""
        assert "userId" not in left[False]
        assert left[False]["endpoint"] == left[True]["endpoint"] != ""
        await server.launch()
        await server.ready()
        async with dialled(server.url) as third:
            await greeted(third, guest=True)
            await written(server)
            await server.kill()
        (row,) = await rows_of(home)
        assert row["userId"] not in {left[True]["userId"], ""}
        await server.launch()
        await server.ready()
        async with dialled(server.url) as last:
            await greeted(last)
            await written(server)
            await server.stop()
        assert await rows_of(home) == []


async def greeted(client: Foreign, **fields: Any) -> None:
    await client.ask("subscribe", **fields)


async def written(server: ServerProcess) -> None:
    """Wait until nothing is due; what a connection said is due at once."""
    async with asyncio.timeout(20), ClientSession() as http:
        while True:
            async with http.get(f"http://127.0.0.1:{server.port}/metrics") as answer:
                if "\ntesserae_connection_rows_due 0.0\n" in await answer.text():
                    return
            await asyncio.sleep(0.05)


async def rows_of(home: Home) -> list[Item]:
    async with home.opened() as store:
        return (await store.tables.query(MAIN, PARTITION)).items
