"""The rows `wsConnections` over kills and a stop: no ghost outlives the next start."""

from typing import Any

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
    await server.shows("tesserae_connection_rows_due 0.0")


async def rows_of(home: Home) -> list[Item]:
    async with home.opened() as store:
        return (await store.tables.query(MAIN, PARTITION)).items
