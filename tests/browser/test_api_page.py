"""The page of the HTTP API in a real browser: it shows the document, and its links lead on."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.server import Server


@pytest.fixture(params=[1200, 390], ids=["desk", "phone"])
def page(browser: Browser, server: Server, request: pytest.FixtureRequest) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": request.param, "height": 800})
    console: list[str] = []
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda error: console.append(str(error)))
    page.goto(f"{server.url}api")
    yield page
    assert console == []
    page.close()


def test_it_shows_every_operation_and_fits(page: Page) -> None:
    expect(page.locator("#pixel h3 code")).to_have_text("/api/games/{game}/pixel")
    expect(page.locator("#place")).to_contain_text("Needs a token")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_get_can_be_tried(page: Page) -> None:
    form = page.locator("#pixel form")
    form.locator("[name=x]").fill("3")
    form.locator("[name=y]").fill("4")
    with page.expect_popup() as opened:
        form.get_by_role("link").click()
    assert opened.value.url.endswith("api/games/place%23main/pixel?x=3&y=4")
    assert '"original":[3,4]' in opened.value.content()
