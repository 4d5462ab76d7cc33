"""The command that the how-to shows works as it stands there."""

import re
from typing import Any

from server.commands.all import COMMANDS
from server.commands.dispatch import Dispatcher
from server.commands.registry import Command, Registry
from tests.support.games import NAME
from tests.support.source import read
from tests.support.world import running

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shown_command() -> Command[Any]:
    found = BLOCK.search(read("docs/how-to/add-a-command.md"))
    assert found is not None
    names: dict[str, Any] = {"__name__": "shown"}
    exec(compile(found[1], "add-a-command.md", "exec"), names)  # noqa: S102  # our own page
    command = names["COMMAND"]
    assert isinstance(command, Command)
    return command


async def test_the_shown_command_counts_painted_cells() -> None:
    async with running() as world:
        world._dispatcher = Dispatcher(Registry([*COMMANDS, shown_command()]))
        client = world.join()
        await client.play()
        before = await client.ask("painted", game=NAME)
        await client.ask("place", game=NAME, x=1, y=1, color=3)
        after = await client.ask("painted", game=NAME)
    assert before["cells"] == 0
    assert (after["seq"], after["cells"]) == (before["seq"] + 1, 1)
