"""The limit on guests holds however many subscribe at once."""

import asyncio

from tests.support.world import GAME, running


async def test_guests_that_subscribe_at_once_do_not_pass_the_limit() -> None:
    """C47: preparing a snapshot lets others run between the test of the limit and the guest."""
    async with running(guests_per_address=3) as world:
        clients = [world.join() for _ in range(10)]
        replies = await asyncio.gather(
            *[client.ask("subscribe", guest=True, games=[{"game": GAME}]) for client in clients]
        )
        accepted = [reply for reply in replies if reply["ok"]]
        refused = [reply["error"]["code"] for reply in replies if not reply["ok"]]
        assert len(accepted) == 3
        assert refused == ["rate"] * 7
