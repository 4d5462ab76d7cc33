"""The page and its files."""

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer

from server.config import Settings
from server.http.app import application
from server.http.pages import load_assets
from tests.support.http import Site
from tests.support.world import running


async def test_the_page_and_its_modules(site: Site) -> None:
    page = await site.get("")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["Server"] == "tesserae"
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    module = await site.get("main.js")
    assert module.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert (await site.get("index.html")).body == page.body


async def test_files_are_revalidated(site: Site) -> None:
    page = await site.get("")
    assert page.headers["Cache-Control"] == "no-cache"
    again = await site.get("", If_None_Match=page.headers["ETag"])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "client/",
        "client",
        "../pyproject.toml",
        "%2e%2e/session.py",
        "..%2fsession.py",
        "package.json",
        "__init__.py",
        "main.js/",
        "%00",
    ],
)
async def test_nothing_else_can_be_reached(site: Site, path: str) -> None:
    answer = await site.get(path)
    assert answer.status == 404
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_every_file_has_a_type_and_none_is_a_folder() -> None:
    assets = load_assets()
    assert {"index.html", "main.js", "favicon.svg"} <= set(assets)
    assert not any(name.endswith("/") for name in assets)


@pytest.mark.parametrize(
    ("host", "named"),
    [
        ("a.example:8080", True),
        ("[::1]:80", True),
        ("A.Example", True),
        ("a; script-src *", False),
        ('a"><script>', False),
        ("a.example/x", False),
        ("", False),
    ],
)
async def test_the_host_is_named_only_when_it_is_one(site: Site, host: str, *, named: bool) -> None:
    page = await site.get("", Host=host)
    policy = page.headers["Content-Security-Policy"]
    assert (f"wss://{host.lower()}" in policy) is named
    assert "script-src" not in policy
    image = (
        f'content="http://{host.lower().removesuffix(":80")}/api/games/place%23main/preview.png"'
    )
    assert (image.encode() in page.body) is named
    assert b'content="/api/games/' in page.body or named
    assert b"{{" not in page.body


@pytest.mark.parametrize(
    ("trusted", "told", "scheme"),
    [
        ("127.0.0.0/8", "https", "https"),
        ("127.0.0.0/8", "http, https", "https"),
        ("127.0.0.0/8", "javascript", "http"),
        ("10.0.0.0/8", "https", "http"),
    ],
)
async def test_a_trusted_proxy_tells_the_scheme(trusted: str, told: str, scheme: str) -> None:
    async with running() as world:
        app = application(world.services, Settings(trusted_proxies=trusted))
        async with TestServer(app) as server, ClientSession(server.make_url("/")) as session:
            page = await Site(world, session).get("", Host="a.example", X_Forwarded_Proto=told)
    assert f'content="{scheme}://a.example/"'.encode() in page.body


async def test_each_address_of_the_page_has_its_own_etag(site: Site) -> None:
    one, other = [(await site.get("", Host=host)).headers["ETag"] for host in ("a.x", "b.x")]
    assert one != other
    assert (await site.get("", Host="a.x", If_None_Match=one)).status == 304
