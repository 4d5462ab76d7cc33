"""A world with its HTTP side on a loopback port."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer

from server.config import Settings
from server.http.app import application
from tests.support.http import Site
from tests.support.world import running


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with running(size=(7, 3)) as world:
        server = TestServer(application(world.services, Settings()))
        async with server, ClientSession(server.make_url("/"), auto_decompress=False) as session:
            yield Site(world, session)
