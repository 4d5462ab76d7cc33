"""Pages of other hosts: they read what everybody may, and change nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer

from server.config import Settings
from server.http.app import application
from tests.support.http import BOARD, Answer, Site
from tests.support.world import running

ELSEWHERE = "https://elsewhere.example"
FRIEND = "https://friend.example"
ALLOW = "Access-Control-Allow-Origin"


@asynccontextmanager
async def sited(**settings: Any) -> AsyncIterator[Site]:
    async with running() as world:
        server = TestServer(application(world.services, Settings(**settings)))
        async with server, ClientSession(server.make_url("/"), auto_decompress=False) as session:
            yield Site(world, session)


async def post(site: Site, **headers: str) -> Answer:
    token = site.world.token("ada")
    body = {"x": 1, "y": 1, "color": 1}
    return await site.send("POST", f"{BOARD}/pixels", body, token=token, **headers)


async def test_everybody_may_read_and_hears_of_limits() -> None:
    async with sited() as site:
        answer = await site.get("api/games", Origin=ELSEWHERE)
        assert answer.headers[ALLOW] == "*"
        assert "RateLimit" in answer.headers["Access-Control-Expose-Headers"]
        assert "Origin" not in answer.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in answer.headers
        missing = await site.get("api/nothing", Origin=ELSEWHERE)
        assert (missing.status, missing.headers[ALLOW]) == (404, "*")
        assert ALLOW not in (await site.get("", Origin=ELSEWHERE)).headers


async def test_readers_may_be_listed() -> None:
    async with sited(cors_origins=FRIEND) as site:
        friend = await site.get("api/games", Origin=FRIEND)
        assert friend.headers[ALLOW] == FRIEND
        stranger = await site.get("api/games", Origin=ELSEWHERE)
        assert stranger.status == 200
        assert ALLOW not in stranger.headers
        assert "Origin" in ",".join(stranger.headers.getall("Vary"))


async def test_readers_may_be_none() -> None:
    async with sited(cors_origins="off") as site:
        assert ALLOW not in (await site.get("api/games", Origin=ELSEWHERE)).headers


@pytest.mark.parametrize(
    "origin", [ELSEWHERE, "null", "http://127.0.0.1:1", "http://[", "x", "\udcff"]
)
async def test_pages_of_other_hosts_change_nothing(origin: str) -> None:
    async with sited() as site:
        answer = await post(site, Origin=origin)
        assert (answer.status, answer.json()["code"]) == (403, "forbidden")
        assert "--origins" in answer.json()["detail"]
        assert ALLOW not in answer.headers
        assert site.world.game.replica.seq == 0


async def test_pages_of_ours_and_of_listed_hosts_and_bots_do() -> None:
    async with sited(origins=FRIEND) as site:
        friend = await post(site, Origin=FRIEND.upper())
        assert (friend.status, friend.headers[ALLOW]) == (201, FRIEND.upper())
        own = await post(site, Origin="https://board.example", Host="board.example:443")
        assert own.status == 201
        assert (await post(site)).status == 201


async def test_an_origin_may_be_required() -> None:
    async with sited(origin_required=True) as site:
        assert (await post(site)).status == 403
        assert (await site.get("api/games")).status == 200


async def test_preflight_of_a_read_and_of_a_change() -> None:
    asked = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "x"}
    async with sited(origins=FRIEND) as site:
        friend = await site.get(f"{BOARD}/pixels", method="OPTIONS", Origin=FRIEND, **asked)
        assert (friend.status, friend.headers[ALLOW]) == (204, FRIEND)
        assert friend.headers["Access-Control-Allow-Methods"] == "OPTIONS, POST"
        assert "Authorization" in friend.headers["Access-Control-Allow-Headers"]
        stranger = await site.get(f"{BOARD}/pixels", method="OPTIONS", Origin=ELSEWHERE, **asked)
        assert ALLOW not in stranger.headers
        asked["Access_Control_Request_Method"] = "GET"
        reader = await site.get(BOARD, method="OPTIONS", Origin=ELSEWHERE, **asked)
        assert reader.headers[ALLOW] == ELSEWHERE


async def test_options_tells_what_can_be_done() -> None:
    async with sited() as site:
        answer = await site.get(BOARD, method="OPTIONS")
        assert (answer.status, answer.headers["Allow"]) == (204, "GET, HEAD, OPTIONS")
        assert (await site.get("api/nothing", method="OPTIONS")).status == 404
