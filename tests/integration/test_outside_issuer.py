"""A real server that trusts an outside issuer: over both ways, with new keys, and with it away."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from server.access.auth_keys import MIN_BETWEEN_MS
from server.wire.codes import CloseCode
from tests.support.clock import FakeClock
from tests.support.foreign import JSON
from tests.support.issuer import AUDIENCE, ISSUER, answering, key_set, public_jwk, token
from tests.support.serving import Serving, serving

pytestmark = pytest.mark.integration


class Issuer:
    """Answers with a document, or with a status."""

    def __init__(self) -> None:
        self.document = key_set(public_jwk("RS256"))
        self.status = 200
        self.asked = 0

    async def answer(self, _request: web.Request) -> web.Response:
        self.asked += 1
        return web.Response(status=self.status, body=self.document)


@asynccontextmanager
async def trusting(issuer: Issuer, **settings: Any) -> AsyncIterator[tuple[Serving, FakeClock]]:
    clock = FakeClock()
    async with answering(issuer.answer) as url:
        named = {"jwks_url": url, "jwks_issuer": ISSUER, "jwks_audience": AUDIENCE, **settings}
        async with serving(clock=clock, **named) as room:
            yield room, clock


async def session(room: Serving, bearer: str) -> tuple[int, dict[str, Any]]:
    answer = await room.send("POST", "api/session", token=bearer)
    return answer.status, answer.json()


async def test_an_outsider_plays_over_both_ways() -> None:
    async with trusting(Issuer()) as (room, _), room.dial(JSON) as client:
        you = (await client.play(token=token()))["you"]
        assert (you["id"], you["name"], you["roles"]) == ("ext:alice", "Alice", ["player"])
        assert (await client.place(1, 1, 1))["ok"]
        status, body = await session(room, token(sub="bob", name="Bob"))
        assert (status, body["id"]) == (201, "ext:bob")


async def test_outsiders_are_let_in_where_guests_are_not() -> None:
    async with trusting(Issuer(), guests=False) as (room, _), room.dial(JSON) as client:
        assert (await client.play(token=token()))["ok"]


async def test_a_new_key_is_fetched_before_its_first_token_is_judged() -> None:
    issuer = Issuer()
    async with trusting(issuer) as (room, clock), room.dial(JSON) as client:
        await client.play(token=token())
        issuer.document = key_set(public_jwk("ES256", "k2"))
        clock.advance(MIN_BETWEEN_MS)
        async with room.dial(JSON) as other:
            assert (await other.play(token=token("ES256", "k2", sub="bob")))["ok"]
        assert issuer.asked == 2


async def test_a_forged_token_ends_the_connection_and_a_made_up_key_only_waits() -> None:
    issuer = Issuer()
    async with trusting(issuer) as (room, _):
        async with room.dial(JSON) as client:
            reply = await client.ask("subscribe", token=token(number=1))
            assert reply["error"]["code"] == "unauthorized"
            assert (await client.end())[1] == CloseCode.TOKEN
        async with room.dial(JSON) as client:
            for number in range(20):
                error = (await client.ask("subscribe", token=token(key_id=f"n{number}")))["error"]
                assert (error["code"], error["retryAfterMs"]) == ("busy", MIN_BETWEEN_MS)
        status, problem = await session(room, token(key_id="n20"))
        assert (status, problem["code"]) == (503, "busy")
        status, problem = await session(room, token(number=1))
        assert (status, problem["code"]) == (401, "unauthorized")
        assert issuer.asked == 1


async def test_with_the_issuer_away_the_server_starts_says_so_once_and_recovers() -> None:
    issuer = Issuer()
    issuer.status = 503
    async with trusting(issuer) as (room, clock), room.dial(JSON) as client:
        error = (await client.ask("subscribe", token=token()))["error"]
        assert error["code"] == "busy"
        clock.advance(MIN_BETWEEN_MS)
        assert (await client.ask("subscribe", token=token()))["error"]["code"] == "busy"
        assert len([one for one in room.log.warnings if "issuer" in one]) == 1
        assert (await client.ask("subscribe", guest=True))["ok"], "guests do not wait for it"
        issuer.status = 200
        clock.advance(MIN_BETWEEN_MS)
        async with room.dial(JSON) as outsider:
            assert (await outsider.play(token=token()))["ok"]


async def test_a_token_that_runs_out_ends_the_connection() -> None:
    async with trusting(Issuer()) as (room, clock), room.dial(JSON) as client:
        await client.play(token=token())
        clock.advance(3_600_000 + 30_000)
        await client.say("ping")
        assert (await client.end())[1] == CloseCode.TOKEN
