"""Commands over HTTP: where their fields come from, who asks, and what is refused how."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from pydantic import Field

from canvas.refusals import Refused
from server.access.limits import CreditRule
from server.commands.all import COMMANDS
from server.commands.registry import (
    Call,
    Command,
    Done,
    Failed,
    Http,
    Outcome,
    Registry,
    Reply,
    Request,
)
from server.http import commands, fields, problems
from server.http.caller import Callers
from server.http.purses import Purses
from server.http.statuses import STATUS_OF, code_of
from server.wire.codes import ErrorCode
from tests.support.http import BOARD, Site
from tests.support.world import World, running


class Note(Request):
    """Fields of every kind, one of them in the path."""

    room: str
    text: str | None = Field(default=None, max_length=5)
    big_number: int = 0
    loud: bool = False


async def _note(call: Call[Note]) -> Outcome:
    return Done({"by": call.caller.user_id, **call.request.model_dump(by_alias=True)})


def _refuse(call: Call[Note]) -> Outcome:
    return Failed(Refused.COOLDOWN.code, "wait", {"leftMs": 1500, "seq": 3})


FAULTS = {
    fault.__name__: fault("broken") for fault in (RuntimeError, TimeoutError, ConnectionError)
}


def _break(call: Call[Note]) -> Outcome:
    raise FAULTS[call.request.room]


ADMIN = frozenset({"admin"})
TRIALS = Registry(
    (
        Command("ask", "Ask", Note, Reply, _note, Http("GET", "/api/rooms/{room}")),
        Command(
            "tell", "Tell", Note, Reply, _note, Http("POST", "/api/rooms/{room}", max_body_bytes=64)
        ),
        Command(
            "own",
            "Own",
            Note,
            Reply,
            None,
            Http("GET", "/api/own/{room}", handler=_note, needs_token=True),
        ),
        Command("rule", "Rule", Note, Reply, _note, Http("GET", "/api/rule/{room}"), roles=ADMIN),
        Command("refuse", "Refuse", Note, Reply, _refuse, Http("GET", "/api/refuse/{room}")),
        Command("break", "Break", Note, Reply, _break, Http("GET", "/api/break/{room}")),
    )
)


@asynccontextmanager
async def _serving(world: World) -> AsyncIterator[ClientSession]:
    app = web.Application(middlewares=[problems.middleware(world.note_fault)])
    app.add_routes(
        commands.routes(
            TRIALS,
            Callers(world.services, lambda peer, _: peer, Purses(CreditRule(0, 0), world.clock)),
        )
    )
    server = TestServer(app)
    async with server, ClientSession(server.make_url("/")) as session:
        yield session


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with running() as world:
        yield world


@pytest.fixture
async def trial(world: World) -> AsyncIterator[ClientSession]:
    async with _serving(world) as session:
        yield session


async def _get(trial: ClientSession, path: str, **headers: str) -> tuple[int, Any]:
    async with trial.get(path, headers=headers) as response:
        return response.status, orjson.loads(await response.read())


async def _post(
    trial: ClientSession, data: bytes, kind: str = "application/json"
) -> tuple[int, Any]:
    async with trial.post("api/rooms/a", data=data, headers={"Content-Type": kind}) as response:
        return response.status, orjson.loads(await response.read())


async def test_fields_from_path_and_query(trial: ClientSession) -> None:
    status, found = await _get(trial, "api/rooms/a%23b?bigNumber=-12&loud=true&text=12")
    assert status == 200
    assert found == {"by": None, "room": "a#b", "bigNumber": -12, "loud": True, "text": "12"}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("bigNumber=1.0", "bigNumber"),
        ("bigNumber=%201", "bigNumber"),
        ("bigNumber=1_0", "bigNumber"),
        ("bigNumber=", "bigNumber"),
        ("loud=yes", "loud"),
        ("text=sixsix", "text"),
        ("colour=1", "colour"),
        ("room=b", "room"),
        ("loud=true&loud=true", "loud"),
    ],
)
async def test_what_is_wrong_in_a_query_is_named(
    trial: ClientSession, query: str, field: str
) -> None:
    status, problem = await _get(trial, f"api/rooms/a?{query}")
    assert (status, problem["code"], problem["field"]) == (400, "bad-request", field)
    assert problem["detail"].startswith(f"{field}: ")


async def test_fields_from_a_body(trial: ClientSession) -> None:
    status, found = await _post(trial, b'{"bigNumber": 5, "more": 1}')
    assert (status, found["room"], found["bigNumber"]) == (200, "a", 5)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"", "body"),
        (b"{", "body"),
        (b"[1]", "body"),
        (b'{"bigNumber": "5"}', "bigNumber"),
        (b'{"bigNumber": 5.0}', "bigNumber"),
        (b'{"room": "b"}', "room"),
    ],
)
async def test_what_is_wrong_in_a_body_is_named(
    trial: ClientSession, data: bytes, field: str
) -> None:
    status, problem = await _post(trial, data)
    assert (status, problem["field"]) == (400, field)


async def test_bodies_are_json_and_bounded(trial: ClientSession) -> None:
    assert (await _post(trial, b"{}", "text/plain"))[0] == 415
    assert (await _post(trial, b'{"text": "%s"}' % (b"x" * 64)))[0] == 413

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(65):
            yield b" "

    headers = {"Content-Type": "application/json"}
    async with trial.post("api/rooms/a", data=chunks(), headers=headers) as response:
        assert response.status == 413


async def test_bodies_come_uncompressed(trial: ClientSession) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    async with trial.post("api/rooms/a", data=gzip.compress(b"{}"), headers=headers) as response:
        assert response.status == 415
        assert "uncompressed" in await response.text()


async def test_a_body_that_does_not_come_is_not_waited_for(
    trial: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fields, "FIRST", 0.0)
    never = asyncio.Event()

    async def chunks() -> AsyncIterator[bytes]:
        yield b"{"
        await never.wait()

    headers = {"Content-Type": "application/json"}
    async with trial.post("api/rooms/a", data=chunks(), headers=headers) as response:
        assert response.status == 408
        never.set()


async def test_fields_of_a_post_are_not_taken_from_its_query(trial: ClientSession) -> None:
    async with trial.post("api/rooms/a?loud=true", json={}) as response:
        assert (response.status, (await response.json(content_type=None))["field"]) == (400, "loud")


async def test_who_asks_is_told_by_the_token(world: World, trial: ClientSession) -> None:
    given = f"bearer {world.token('ada')}"
    assert (await _get(trial, "api/own/a", Authorization=given))[1]["by"] == "ada"
    for wrong in ("Bearer nothing", "Basic YTpi", "Bearer", "Bearer \xff"):
        status, problem = await _get(trial, "api/own/a", Authorization=wrong)
        assert (status, problem["code"]) == (401, "unauthorized")
    async with trial.get("api/own/a") as response:
        assert (response.status, response.headers["WWW-Authenticate"]) == (401, "Bearer")


async def test_guests_of_former_days_are_nobody_where_guests_are_off() -> None:
    async with running(guests=False) as world, _serving(world) as trial:
        _, token = world.auth.mint_guest()
        assert (await _get(trial, "api/rooms/a", Authorization=f"Bearer {token}"))[0] == 401


async def test_permission(world: World, trial: ClientSession) -> None:
    given = f"Bearer {world.token('ada')}"
    status, problem = await _get(trial, "api/rule/a", Authorization=given)
    assert (status, problem["code"]) == (403, "forbidden")
    assert "admin" in problem["detail"]


async def test_a_refusal_keeps_its_code_and_tells_when(trial: ClientSession) -> None:
    async with trial.get("api/refuse/a") as response:
        problem = orjson.loads(await response.read())
        assert (response.status, response.headers["Retry-After"]) == (429, "2")
    assert (problem["code"], problem["leftMs"], problem["seq"]) == ("cooldown", 1500, 3)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_a_command_is_internal_and_logged_once(
    world: World, trial: ClientSession, fault: str
) -> None:
    status, problem = await _get(trial, f"api/break/{fault}")
    assert (status, problem["code"]) == (500, "internal")
    assert [str(fault) for _, fault in world.faults] == ["broken"]
    world.faults.clear()


def test_every_code_has_a_status() -> None:
    codes = [why.code for why in Refused] + [code.value for code in ErrorCode]
    assert sorted(STATUS_OF) == sorted(codes)
    assert all(code_of(status) in codes for status in STATUS_OF.values())


async def test_a_pixel_and_what_is_left(site: Site) -> None:
    player = await site.place((1, 2, 4))
    found = (await site.get(f"{BOARD}/pixel?x=1&y=2")).json()
    assert (found["seq"], found["color"], found["by"]) == (1, 4, player.session.user_id)
    outside = await site.get(f"{BOARD}/pixel?x=7&y=0")
    assert (outside.status, outside.json()["code"]) == (422, "out-of-bounds")
    left = (await site.get("api/limits?game=place%23main")).json()
    assert (left["game"], left["cooldown"]["leftMs"]) == ("place#main", 0)


async def test_replies_have_the_shapes_that_are_declared(site: Site) -> None:
    await site.place((1, 2, 4))
    for command, path in (
        ("games", "api/games"),
        ("game", BOARD),
        ("pixel", f"{BOARD}/pixel?x=1&y=2"),
        ("pixel", f"{BOARD}/pixel?x=0&y=0"),
        ("limits", "api/limits"),
    ):
        answer = await site.get(path)
        found = COMMANDS.get(command)
        assert found is not None
        found.reply.model_validate_json(answer.body)
