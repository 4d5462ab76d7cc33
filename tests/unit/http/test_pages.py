"""The page and its files."""

import pytest

from server.http.pages import content_security_policy, load_assets
from tests.support.http import Site


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
    ("host", "allowed"),
    [("a.example:8080", True), ("[::1]:80", True), ("a; script-src *", False), ("", False)],
)
def test_the_host_is_named_only_when_it_is_one(*, host: str, allowed: bool) -> None:
    policy = content_security_policy(host)
    assert (f"wss://{host}" in policy) is allowed
    assert "script-src" not in policy
