"""The OpenAPI document: it says what the routes do, all of them and nothing else."""

import re
from typing import Any

import orjson
import pytest

from canvas.refusals import Refused
from server.commands.all import COMMANDS
from server.config import Settings
from server.http.app import application
from server.http.openapi.document import document
from server.wire.codes import ErrorCode
from tests.support.http import Site
from tests.support.world import running

DOCUMENT = document(COMMANDS)
OF_OPERATORS = {"/metrics"}
PAGES = {"/", "/{path}"}


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    ]


async def test_it_tells_all_routes_and_no_other() -> None:
    async with running() as world:
        app = application(world.services, Settings())
    served = {
        (route.resource.canonical, route.method.lower())
        for route in app.router.routes()
        if route.resource is not None and route.method != "HEAD"
    }
    told = {(path, method) for path, method, _ in operations()}
    assert {(path, method) for path, method in served if path not in OF_OPERATORS | PAGES} == told


def test_every_reference_leads_somewhere_and_every_shape_is_used() -> None:
    text = orjson.dumps(DOCUMENT).decode()
    used = set(re.findall(r'"#/components/(\w+)/([\w-]+)"', text))
    given = {(kind, name) for kind, of_kind in DOCUMENT["components"].items() for name in of_kind}
    assert used == given - {("securitySchemes", "token")}
    assert not any("__" in name for _, name in given), "two shapes have one name"


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(set(names)) == len(names)
    assert all(operation["summary"] for _, _, operation in operations())


def test_fields_that_may_be_left_out_of_a_reply_are_no_nulls() -> None:
    ack = DOCUMENT["components"]["schemas"]["Ack"]
    assert ack["properties"]["request"] == {"type": "integer"}
    assert "request" not in ack["required"]
    assert "cooldownLeftMs" in ack["required"]


def test_texts_under_fields_are_their_descriptions() -> None:
    placed = DOCUMENT["components"]["schemas"]["Placed"]["properties"]
    assert placed["at"]["description"] == "When, in ms since the epoch."
    place = DOCUMENT["paths"]["/api/games/{game}/pixels"]["post"]["requestBody"]
    fields = place["content"]["application/json"]["schema"]["properties"]
    assert "game" not in fields
    assert "current one" in fields["generation"]["description"]


def test_parameters_of_a_query_are_no_nulls_either() -> None:
    (game,) = DOCUMENT["paths"]["/api/limits"]["get"]["parameters"]
    assert game["schema"] == {"type": "string", "maxLength": 129}
    assert (game["in"], game["required"]) == ("query", False)


def test_who_needs_a_token() -> None:
    paths = DOCUMENT["paths"]
    assert paths["/api/games/{game}/pixels"]["post"]["security"] == [{"token": []}]
    assert paths["/api/games"]["get"]["security"] == [{}, {"token": []}]
    assert paths["/healthz"]["get"]["security"] == []


def test_problems_name_every_code() -> None:
    codes = DOCUMENT["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    assert codes == [*(why.code for why in Refused), *(code.value for code in ErrorCode)]


async def test_it_is_served_made_once_and_revalidated(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await site.get("api/openapi.json")
    assert first.json() == orjson.loads(orjson.dumps(DOCUMENT))
    monkeypatch.setattr("server.http.openapi.route.document", None)
    again = await site.get("api/openapi.json", If_None_Match=first.headers["ETag"])
    assert again.status == 304


async def test_the_page_that_shows_it(site: Site) -> None:
    page = await site.get("api")
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"reference/api.js" in page.body
    for part in ("reference/api.js", "reference/schema.js", "reference/api.css"):
        assert (await site.get(part)).status == 200
