"""`POST` and `PATCH /api/session`: guests without a WebSocket, who they are, and their names."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import Any

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer

from canvas.bans import Ban
from server.access.auth import Unauthorized
from server.access.auth_keys import IssuerAway
from server.access.limits import GUEST_KEEP_MS
from server.config import Settings
from server.http.app import application
from tests.support.http import Site
from tests.support.world import running

SESSION = "api/session"
HERE = "127.0.0.1"
FAR = "203.0.113.9"


@asynccontextmanager
async def sited(*, trusted: bool = False, **options: Any) -> AsyncIterator[Site]:
    proxies = (ip_network("127.0.0.0/8"),) if trusted else ()
    async with running(size=(7, 3), **options) as world:
        app = application(world.services, Settings(trusted_proxies=proxies))
        async with TestServer(app) as server, ClientSession(server.make_url("/")) as session:
            yield Site(world, session)


async def test_a_guest_is_made_and_its_token_is_good_everywhere() -> None:
    async with sited() as site:
        answer = await site.send("POST", SESSION)
        you = answer.json()
        assert answer.status == 201
        assert you["id"].startswith("g_")
        assert (you["roles"], you["anonymous"]) == (["player"], False)
        assert you["expiresAt"] == site.world.auth.verify(you["token"]).expires_at_ms
        welcome = await site.world.join().ask("subscribe", token=you["token"])
        assert welcome["you"]["id"] == you["id"]


async def test_a_token_is_told_whom_it_names() -> None:
    async with sited() as site:
        answer = await site.send("POST", SESSION, token=site.world.token("ann"))
        assert answer.status == 201
        assert (answer.json()["id"], answer.json()["name"]) == ("ann", "Ann")
        assert "token" not in answer.json()


@pytest.mark.parametrize(
    ("fault", "status"), [(IssuerAway(9000), 503), (Unauthorized("this is no token"), 401)]
)
async def test_trying_tokens_is_paid_for_by_the_address(
    fault: Exception, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def prepare(token: str) -> None:
        raise fault

    async with sited() as site:
        monkeypatch.setattr(site.world.auth, "prepare", prepare)
        answer = await site.send("POST", SESSION, token="x")
        assert (answer.status, answer.headers["RateLimit"][:18]) == (status, '"requests";r=249;t')


@pytest.mark.parametrize(
    ("body", "token", "status", "code"),
    [
        ({"guest": True}, None, 201, None),
        ({"guest": False}, None, 401, "unauthorized"),
        ({"guest": False}, "ann", 201, None),
        ({"guest": True}, "ann", 400, "bad-request"),
        ({"guest": 1}, None, 400, "bad-request"),
        ([], None, 400, "bad-request"),
    ],
)
async def test_what_is_asked_for(body: Any, token: str | None, status: int, code: Any) -> None:
    async with sited() as site:
        given = None if token is None else site.world.token(token)
        answer = await site.send("POST", SESSION, body, token=given)
        assert (answer.status, answer.json().get("code")) == (status, code)


async def test_a_bad_token_makes_no_guest() -> None:
    async with sited(guests_per_address=1) as site:
        answer = await site.send("POST", SESSION, token="x.y.z")
        assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert site.world.services.guest_limit.wait_ms(HERE) == 0


async def test_where_guests_are_off_none_is_made() -> None:
    async with sited(guests=False) as site:
        answer = await site.send("POST", SESSION)
        assert (answer.status, answer.json()["code"]) == (403, "forbidden")
        assert (await site.send("POST", SESSION, token=site.world.token("ann"))).status == 201


async def test_c47_guests_by_http_count_as_any_others_do() -> None:
    async with sited(guests_per_address=3) as site:
        statuses = [(await site.send("POST", SESSION)).status for _ in range(5)]
        assert statuses == [201] * 3 + [429] * 2
        refused = await site.send("POST", SESSION)
        assert refused.json()["scope"] == "guests-per-address"
        assert refused.headers["Retry-After"] == str(GUEST_KEEP_MS // 1000)
        error = (await site.world.join(remote=HERE).ask("subscribe", guest=True))["error"]
        assert (error["code"], error["scope"]) == ("rate", "guests-per-address")
        site.world.clock.advance(GUEST_KEEP_MS)
        assert (await site.send("POST", SESSION)).status == 201


async def test_a_guest_by_http_who_connects_is_counted_once() -> None:
    async with sited(guests_per_address=2) as site:
        you = (await site.send("POST", SESSION)).json()
        client = site.world.join(remote=HERE)
        await client.ask("subscribe", token=you["token"])
        assert (await site.send("POST", SESSION)).status == 201
        client.hang_up()
        assert (await site.send("POST", SESSION)).status == 429


@pytest.mark.parametrize("key", ["user", "address"])
async def test_bans_hold(key: str) -> None:
    async with sited() as site:
        ban = Ban("spam", site.world.clock.wall_ms() + 60_000)
        if key == "user":
            site.world.bans.add_user("ann", ban)
        else:
            site.world.bans.add_address("127.0.0.0/8", ban)
        token = site.world.token("ann") if key == "user" else None
        answer = await site.send("POST", SESSION, token=token)
        problem = answer.json()
        assert (answer.status, problem["code"], problem["leftMs"]) == (403, "banned", 60_000)


async def test_c68_addresses_are_those_that_trusted_proxies_tell() -> None:
    async with sited(trusted=True, guests_per_address=1) as site:
        statuses = [
            (await site.send("POST", SESSION, X_Forwarded_For=forwarded)).status
            for forwarded in (FAR, FAR, f"198.51.100.1, {FAR}", "203.0.113.10", f"{FAR}, 127.0.0.9")
        ]
        assert statuses == [201, 429, 429, 201, 429]


async def test_c68_a_stranger_does_not_choose_its_address() -> None:
    async with sited(guests_per_address=1) as site:
        statuses = [
            (await site.send("POST", SESSION, X_Forwarded_For=f"203.0.113.{n}")).status
            for n in range(3)
        ]
        assert statuses == [201, 429, 429]


async def test_an_entry_of_another_kind_is_asked_over_every_way() -> None:
    asked: list[str] = []

    class Closed:
        async def admit(self, address: str) -> str | None:
            asked.append(address)
            return "solve the riddle at the door first"

    async with sited(entry=Closed()) as site:
        answer = await site.send("POST", SESSION)
        assert (answer.status, answer.json()["detail"][:5]) == (403, "solve")
        error = (await site.world.join(remote=HERE).ask("subscribe", guest=True))["error"]
        assert (error["code"], error["message"][:5]) == ("forbidden", "solve")
        assert (await site.send("POST", SESSION, token=site.world.token("ann"))).status == 201
        assert (await site.world.join().ask("subscribe", token=site.world.token("ann")))["ok"]
        assert (await site.world.join().ask("subscribe"))["ok"], "to watch asks nobody"
        assert asked == [HERE, HERE]


async def test_a_guest_is_renamed_on_all_its_sockets() -> None:
    async with sited() as site:
        you = (await site.send("POST", SESSION)).json()
        client = site.world.join()
        await client.ask("subscribe", token=you["token"])
        client.heard()
        answer = await site.send("PATCH", SESSION, {"name": "Ann"}, token=you["token"])
        assert answer.status == 200
        assert client.heard() == [{"event": "you", **answer.json()}]
        assert (await site.send("POST", SESSION, token=answer.json()["token"])).json()[
            "name"
        ] == "Ann"


async def test_a_rename_needs_the_token_of_a_guest() -> None:
    async with sited() as site:
        assert (await site.send("PATCH", SESSION, {"name": "Ann"})).status == 401
        issued = site.world.token("ann")
        answer = await site.send("PATCH", SESSION, {"name": "Ann"}, token=issued)
        assert (answer.status, answer.json()["code"]) == (403, "forbidden")
        guest = (await site.send("POST", SESSION)).json()["token"]
        answer = await site.send("PATCH", SESSION, {"name": "Admin"}, token=guest)
        assert (answer.status, answer.json()["field"]) == (400, "name")
