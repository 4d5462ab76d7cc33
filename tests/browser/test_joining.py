"""Who may place, told by the page: join links, their refusal, and where no guest is let in."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.server import Server

RED_KEY = "1"
STORED = "localStorage.getItem('tesserae.token')"


@pytest.fixture
def ticketed(server: Server) -> Server:
    """A server that lets no guests in."""
    server.restart("--guests", "off")
    return server


def test_a_join_link_lets_its_holder_place_and_leaves_the_address(
    visit: Visit, ticketed: Server
) -> None:
    token = ticketed.token("ann", "Ann")
    ann = visit(f"?game=place%23main#token={token}&x=1")
    assert ann.page.url == f"{ticketed.url}?game=place%23main#x=1"
    assert ann.page.evaluate(STORED) == token
    assert not any(token in url.partition("#")[0] for url in ann.requests)
    ann.aim()
    ann.place(RED_KEY)
    ann.is_waiting()
    ann.page.reload()
    ann.is_live()
    ann.is_waiting()
    assert ann.console == []


def test_without_a_token_the_page_tells_what_it_takes_and_a_link_lets_in_at_once(
    visit: Visit, ticketed: Server
) -> None:
    ben = visit()
    note = ben.page.locator("#note")
    expect(note).to_contain_text("join link")
    expect(ben.page.locator("#palette")).to_be_hidden()
    expect(ben.button).to_have_text("Watching")
    ben.page.goto(f"{ticketed.url}#token={ticketed.token('ben', 'Ben')}")
    expect(note).to_be_hidden()
    assert ben.page.url == ticketed.url
    ben.aim()
    ben.place(RED_KEY)
    ben.is_waiting()


def test_a_refused_link_says_so_and_leads_on(visit: Visit, server: Server) -> None:
    eve = visit()
    eve.page.goto(f"{server.url}#token=not.a.token")
    card = eve.page.locator("#card")
    expect(card).to_contain_text("does not accept your pass")
    assert eve.page.url == server.url
    card.get_by_role("button").click()
    expect(card).to_be_hidden()
    eve.is_live()
    assert eve.page.evaluate(STORED) != "not.a.token"


def test_a_full_address_is_told_the_delay(visit: Visit, server: Server) -> None:
    server.restart("--guests-per-address", "1")
    visit()
    ben = visit()
    expect(ben.page.locator("#note")).to_contain_text("as many guests")
    expect(ben.page.locator("#place-detail")).to_have_text(re.compile(r"asks in (59:\d\d|1:00:00)"))
    ben.page.set_viewport_size({"width": 600, "height": 340})
    box = ben.page.locator("#dock").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 600


def test_repeated_refusals_are_one_toast(visit: Visit) -> None:
    anna = visit()
    anna.aim()
    anna.place(RED_KEY)
    anna.is_waiting()
    toast = anna.page.locator(".toast")
    anna.press("Enter")
    first = toast.inner_text()
    expect(anna.page.locator("#place-label")).not_to_have_text(first.rsplit(" ", 1)[1].rstrip("."))
    anna.press("Enter")
    expect(toast).to_have_count(1)
    expect(toast).not_to_have_text(first)
