"""An endpoint that is no AWS, as a proxy's or a router's page: told at the start, with the URL."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from persistence.aws.clients import AwsSettings, Clients, open_clients
from persistence.dynamodb.admin import describe
from persistence.dynamodb.names import TableNames
from persistence.errors import PermanentFault
from persistence.s3.blobs import S3Blobs
from tests.support.peers import CREDENTIALS

pytestmark = pytest.mark.integration

PAGE = f"<html>{'<p>Welcome to the network of this hotel</p>' * 100}</html>"
Ask = Callable[[Clients], Awaitable[object]]


def tables(clients: Clients) -> Awaitable[object]:
    return describe(clients.dynamodb, TableNames())


def bucket(clients: Clients) -> Awaitable[object]:
    return S3Blobs(clients.bulk, clients.bulk_s3, "bucket").list("canvas/")


@pytest.fixture(params=[200, 404, 405])
async def page(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[str]:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=request.param, text=PAGE, content_type="text/html")

    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as server:
        yield str(server.make_url(""))


@pytest.mark.parametrize("ask", [tables, bucket])
async def test_a_page_in_place_of_aws_is_no_answer(page: str, ask: Ask) -> None:
    async with open_clients(AwsSettings("eu-central-1", page, page)) as clients:
        with pytest.raises(PermanentFault) as told:
            await ask(clients)
    assert "endpoint's URL" in told.value.hint
    assert len(str(told.value)) < 1000
