"""The registry itself: names, permissions, schemas."""

import pytest

from server.commands.all import COMMANDS
from server.commands.dispatch import Dispatcher
from server.commands.ping import COMMAND as PING
from server.commands.registry import (
    Call,
    Command,
    Done,
    Http,
    OnSession,
    Outcome,
    Registry,
    Reply,
    Request,
    SessionCall,
)
from tests.support.world import running


class Nothing(Request):
    """No fields."""


def _answer(call: Call[Nothing]) -> Outcome:
    return Done({"by": call.caller.user_id})


ADMINS_ONLY = Command("rule", "Rule", Nothing, Reply, _answer, roles=frozenset({"admin"}))


def test_two_commands_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="ping"):
        Registry([PING, PING])


def test_requests_and_replies_have_the_names_of_the_wire() -> None:
    command = COMMANDS.get("subscribe")
    assert command is not None
    assert "minIntervalMs" in command.request.model_json_schema()["properties"]
    assert "lastAccepted" in command.reply.model_json_schema()["$defs"]["You"]["properties"]


def test_a_command_that_nothing_serves_is_refused() -> None:
    with pytest.raises(ValueError, match="neither"):
        Registry([Command("idle", "Idle", Nothing, Reply, None)])


def test_a_command_that_needs_a_connection_needs_a_handler_of_its_own_for_http() -> None:
    def on_session(call: SessionCall[Nothing]) -> None:
        """Answer later."""

    route: Http[Nothing] = Http("GET", "/api/wait")
    with pytest.raises(ValueError, match="handler of its own"):
        Registry([Command("wait", "Wait", Nothing, Reply, OnSession(on_session), route)])


def _break(call: Call[Nothing]) -> Outcome:
    raise RuntimeError(f"{call.caller.remote} breaks")


async def test_a_fault_of_a_command_is_internal_and_the_connection_lives() -> None:
    broken = Command("break", "Break", Nothing, Reply, _break)
    async with running() as world:
        world._dispatcher = Dispatcher(Registry([broken, *COMMANDS]))
        client = world.join()
        assert (await client.ask("break"))["error"]["code"] == "internal"
        assert [str(fault) for _, fault in world.faults] == ["192.0.2.1 breaks"]
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
