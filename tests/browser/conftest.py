"""A real server and real browsers: `server` runs `tesserae serve`, `visit` opens the page."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.server import Server
from tests.browser.visitor import Visitor

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
Visit = Callable[..., Visitor]


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


# While Playwright runs, a loop runs in this thread: no test of another module may meet it.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        pytest.skip("no Chromium here: the page was not tested (Debian: apt install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "data")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    visitors: list[Visitor] = []

    def open_page(path: str = "", **options: object) -> Visitor:
        visitors.append(Visitor(browser, server.url + path, **options))
        return visitors[-1]

    yield open_page
    for visitor in visitors:
        visitor.leave()
