"""The registry itself: names, permissions, schemas."""

import pytest

from server.commands.all import COMMANDS
from server.commands.dispatch import Dispatcher
from server.commands.ping import COMMAND as PING
from server.commands.registry import Call, Command, Done, Outcome, Registry, Request
from tests.support.world import running


class Nothing(Request):
    """No fields."""


def _answer(call: Call[Nothing]) -> Outcome:
    return Done({"by": call.session.user_id})


ADMINS_ONLY = Command("rule", "Rule", Nothing, _answer, roles=frozenset({"admin"}))


def test_two_commands_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="ping"):
        Registry([PING, PING])


def test_every_command_has_a_schema_with_the_names_of_the_wire() -> None:
    schemas = COMMANDS.schemas()
    assert list(schemas) == [command.name for command in COMMANDS]
    assert "minIntervalMs" in schemas["subscribe"]["properties"]


def _break(call: Call[Nothing]) -> Outcome:
    raise RuntimeError(f"{call.id} breaks")


async def test_a_fault_of_a_command_is_internal_and_the_connection_lives() -> None:
    broken = Command("break", "Break", Nothing, _break)
    async with running() as world:
        world._dispatcher = Dispatcher(Registry([broken, *COMMANDS]))
        client = world.join()
        assert (await client.ask("break"))["error"]["code"] == "internal"
        assert [str(fault) for _, fault in world.faults] == ["1 breaks"]
        world.faults.clear()
        assert (await client.ask("ping"))["ok"] is True


@pytest.mark.parametrize(
    ("games", "field", "message"),
    [
        ([5], "games.0", "Input should be a JSON object"),
        ([{"game": "a#b", "since": 5}], "games.0.since", "Input should be a JSON object"),
        ([{"game": "a#b"}, {"game": "a#b"}], "games", "each game may be named once"),
    ],
)
async def test_what_is_wrong_is_told_in_words_of_the_protocol(
    games: list[object], field: str, message: str
) -> None:
    async with running() as world:
        error = (await world.join().ask("watchGames", games=games))["error"]
        assert error == {
            "code": "bad-request",
            "message": f"{field}: {message}",
            "field": field,
        }


async def test_a_command_for_some_roles_is_forbidden_to_others() -> None:
    async with running() as world:
        world._dispatcher = Dispatcher(Registry([ADMINS_ONLY, *COMMANDS]))
        client = world.join()
        await client.play()
        error = (await client.ask("rule"))["error"]
        assert error["code"] == "forbidden"
        assert "admin" in error["message"]
