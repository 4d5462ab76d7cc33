"""Bans that lie in the table hold from the first moment after a start."""

import pytest

from persistence.ports import Store
from persistence.tables import BANS
from server.wire.codes import CloseCode
from tests.support.foreign import JSON
from tests.support.memory_store import open_memory
from tests.support.serving import NAME, serving
from tests.support.sockets import until

pytestmark = pytest.mark.integration


@pytest.fixture
async def store() -> Store:
    store = open_memory()
    ban = {"SK": "BAN", "reason": "scribbling", "bannedAt": 1_700_000_000}
    keys = ("BAN#user#ann", "BAN#ip#192.0.2.0/24", "BAN#ip#nobody")
    await store.tables.put_many(BANS, [{"PK": key, **ban} for key in keys])
    return store


async def test_a_banned_user_is_refused_and_others_are_not(store: Store) -> None:
    async with serving(store=store) as room:
        async with room.dial(JSON) as client:
            reply = await client.ask("subscribe", token=room.token("ann"))
            assert reply["error"]["code"] == "forbidden"
            _, code = await client.end()
            assert code == CloseCode.BANNED
        async with room.dial(JSON) as client:
            await client.play(token=room.token("bob"))
        assert room.services.bans.of_address("192.0.2.77", 0) is not None


async def test_a_defective_ban_is_told_of_and_keeps_nobody_from_playing(store: Store) -> None:
    async with serving(store=store, ready=False, held="tables.scan") as room:
        room.faults.release("tables.scan")
        await until(lambda: room.services.games.get(NAME) is not None)
        async with room.dial(JSON) as client:
            await client.play(token=room.token("bob"))
        assert any("a ban has a defect" in warning for warning in room.log.warnings)
