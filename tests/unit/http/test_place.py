"""Placing over HTTP: the ack, every refusal, re-sending, and whoever does not wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer

from canvas.bans import Ban
from canvas.refusals import Refused
from server.commands import place
from server.config import Settings
from server.http.app import application
from tests.support.http import BOARD
from tests.support.sockets import until
from tests.support.wire import Pixels
from tests.support.world import COMMIT, GAME, World, running

PATH = f"/{BOARD}/pixels"


class Painter:
    """Posts pixels as one user."""

    def __init__(self, world: World, session: ClientSession, user: str = "ada") -> None:
        self.world = world
        self._session = session
        self._headers = {"Authorization": f"Bearer {world.token(user)}"}

    async def post(self, path: str = PATH, **fields: Any) -> tuple[int, Any, Any]:
        body = {"x": 3, "y": 4, "color": 5, **fields}
        async with self._session.post(path, json=body, headers=self._headers) as response:
            return response.status, response.headers, orjson.loads(await response.read())


@asynccontextmanager
async def painting(**options: Any) -> AsyncIterator[Painter]:
    async with running(**options) as world:
        server = TestServer(application(world.services, Settings()))
        async with server, ClientSession(server.make_url("/")) as session:
            yield Painter(world, session)


async def test_the_ack_comes_when_the_pixel_is_published() -> None:
    async with painting(cooldown_ms=60_000) as ada:
        watcher = ada.world.join()
        await watcher.play()
        watcher.heard()
        status, headers, ack = await ada.post(request=7)
        assert (status, ack) == (
            201,
            {
                "game": GAME,
                "request": 7,
                "seq": 1,
                "x": 3,
                "y": 4,
                "color": 5,
                "generation": 0,
                "cooldownLeftMs": 60_000,
                "stackLeft": 0,
            },
        )
        (pixels,) = watcher.heard()
        assert isinstance(pixels, Pixels)
        assert headers["RateLimit-Policy"] == '"requests";q=250;w=25, "cooldown";q=1;w=60'
        assert headers["RateLimit"] == '"requests";r=249;t=1, "cooldown";r=0;t=60'
        assert place.Ack.model_validate_json(orjson.dumps(ack)).seq == 1
        assert ada.world.services.metrics.accepted == 1
        assert headers["Cache-Control"] == "no-store"


async def test_who_has_no_token_is_told_so() -> None:
    async with painting() as ada:
        ada._headers = {}
        status, headers, problem = await ada.post()
        assert (status, problem["code"], headers["WWW-Authenticate"]) == (
            401,
            "unauthorized",
            "Bearer",
        )


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"x": 20}, 422, "out-of-bounds"),
        ({"x": -1}, 422, "out-of-bounds"),
        ({"y": 2**40}, 422, "out-of-bounds"),
        ({"color": 16}, 422, "bad-color"),
        ({"generation": 3}, 409, "stale-generation"),
        ({"x": "3"}, 400, "bad-request"),
        ({"x": 3.0}, 400, "bad-request"),
        ({"x": True}, 400, "bad-request"),
        ({"request": 2**32}, 400, "bad-request"),
        ({"path": "/api/games/place%23other/pixels"}, 404, "unknown-game"),
    ],
)
async def test_refusals_are_problems(fields: dict[str, Any], status: int, code: str) -> None:
    async with painting() as ada:
        found, _, problem = await ada.post(**fields)
        assert (found, problem["code"], problem["status"]) == (status, code, status)
        assert ada.world.game.head.seq == 0
        refused = {why.code for why, count in ada.world.metrics.refused.items() if count}
        assert refused == {code} - {"bad-request"}


async def test_the_cooldown_tells_what_is_left_and_the_true_color() -> None:
    async with painting(cooldown_ms=60_000) as ada:
        await ada.post()
        ada.world.clock.advance(1500)
        status, headers, problem = await ada.post(color=6)
        assert (status, problem["code"], headers["Retry-After"]) == (429, "cooldown", "59")
        assert (problem["leftMs"], problem["seq"], problem["color"]) == (58_500, 1, 5)
        assert headers["RateLimit"].endswith('"cooldown";r=0;t=59')


async def test_the_budget_of_an_address_is_shared_by_both_ways() -> None:
    async with painting(cooldown_ms=60_000, address_budget=1) as ada:
        player = ada.world.join(remote="127.0.0.1")
        await player.play()
        assert (await player.ask("place", game=GAME, x=0, y=0, color=1))["ok"]
        status, _, problem = await ada.post()
        assert (status, problem["code"]) == (429, "address-cooldown")


@pytest.mark.parametrize("whom", ["user", "address"])
async def test_bans_hold(whom: str) -> None:
    async with painting() as ada:
        if whom == "user":
            ada.world.bans.add_user("ada", Ban("spam"))
        else:
            ada.world.bans.add_address("127.0.0.0/8", Ban("spam"))
        status, headers, problem = await ada.post()
        assert (status, problem["code"], problem["leftMs"]) == (403, "banned", None)
        assert "Retry-After" not in headers


async def test_the_same_request_number_gets_the_first_outcome() -> None:
    async with painting(cooldown_ms=60_000) as ada:
        first = await ada.post(request=7)
        again = await ada.post(request=7, color=9)
        assert (again[0], again[2]) == (201, first[2])
        assert ada.world.game.replica.seq == 1


async def test_both_who_ask_while_it_is_being_committed_are_answered() -> None:
    async with painting() as ada:
        ada.world.script.hold(COMMIT)
        waiting = [asyncio.create_task(ada.post(request=7)) for _ in range(2)]
        await until(lambda: len(ada.world.game._repeats) == 1)
        ada.world.script.release(COMMIT)
        answers = await asyncio.gather(*waiting)
        assert [(status, ack["seq"]) for status, _, ack in answers] == [(201, 1)] * 2


async def test_who_hangs_up_leaves_a_pixel_and_nothing_else() -> None:
    async with painting() as ada:
        ada.world.script.hold(COMMIT)
        waiting = [asyncio.create_task(ada.post(request=7)) for _ in range(2)]
        await until(lambda: len(ada.world.game._repeats) == 1)
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        ada.world.script.release(COMMIT)
        await until(lambda: ada.world.game.replica.seq == 1)
        assert len(ada.world.game._repeats) == 0
        assert (await ada.post(request=7))[2]["seq"] == 1


async def test_a_draining_server_is_busy() -> None:
    async with painting() as ada:
        ada.world.game.stop_taking()
        status, headers, problem = await ada.post()
        assert (status, problem["code"]) == (503, "busy")
        assert int(headers["Retry-After"]) * 1000 >= problem["retryAfterMs"] > 0


async def test_a_store_that_takes_its_time_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(place, "LONGEST_WAIT", 0.0)
    async with painting() as ada:
        ada.world.script.hold(COMMIT)
        status, headers, problem = await ada.post(request=7)
        assert (status, problem["code"], headers["Retry-After"]) == (503, "busy", "5")
        ada.world.script.release(COMMIT)
        monkeypatch.undo()
        assert (await ada.post(request=7))[2]["seq"] == 1


async def test_credits_run_out_and_come_back() -> None:
    async with painting() as ada:
        codes = [(await ada.post(x=-1))[2]["code"] for _ in range(251)]
        assert (codes[249], codes[250]) == ("out-of-bounds", "rate")
        assert ada.world.metrics.refused[Refused.RATE] == 1
        _, headers, problem = await ada.post()
        assert (problem["scope"], problem["retryAfterMs"]) == ("requests", 100)
        assert headers["RateLimit"].startswith('"requests";r=0;t=25')
        ada.world.clock.advance(100)
        assert (await ada.post())[0] == 201
