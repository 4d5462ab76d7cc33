"""A store that takes nothing for a while: what a client may and may not be told meanwhile."""

from tests.support.foreign import GAME, Foreign, dialled
from tests.support.wire import Ack, Pixels


async def nothing_is_told(player: Foreign, heard: int, seq: int) -> None:
    """Check that since its first so many messages a client was shown nothing after `seq`."""
    checksum = await player.ask("checksum", game=GAME)
    assert checksum["seq"] == seq
    assert not [one for one in player.heard[heard:] if isinstance(one, Ack | Pixels)]


async def joining_goes_on(url: str, seq: int) -> None:
    """Check that whoever comes now is given the board as it is at `seq`."""
    async with dialled(url) as late:
        await late.play(guest=False)
        assert late.follower.seq == seq
        assert await late.in_step_by_checksum()
