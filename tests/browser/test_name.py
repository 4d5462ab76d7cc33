"""Who one is, in the status pill, and choosing another name: by mouse, keys and on a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.server import Server
from tests.browser.visitor import Visitor

PHONE = {"viewport": {"width": 375, "height": 740}, "has_touch": True, "is_mobile": True}


def rename(visitor: Visitor, name: str) -> None:
    """Choose a name by keys alone."""
    visitor.page.locator("#name").focus()
    visitor.press("Enter")
    expect(visitor.page.locator("#naming-name")).to_be_focused()
    visitor.page.keyboard.type(name)
    visitor.press("Enter")


def shows(visitor: Visitor, name: str) -> None:
    expect(visitor.page.locator("#name")).to_have_text(name)


def test_a_guest_sees_who_they_are_and_chooses_another_name(visit: Visit) -> None:
    anna = visit()
    button = anna.page.get_by_role("button", name=re.compile("^You are .* Choose another name$"))
    expect(button).to_have_text(re.compile(r"^[A-Z]\w+ [A-Z]\w+$"))
    rename(anna, "Anna 123")
    shows(anna, "Anna 123")
    expect(button).to_be_focused()
    expect(anna.page.locator("#naming")).to_be_hidden()
    expect(anna.page.locator(".toast")).to_have_text("You are Anna 123 now.")
    assert anna.page.locator('[aria-checked="true"]').count() == 0, "letters pick no colour there"
    anna.page.reload()
    anna.is_live()
    shows(anna, "Anna 123")
    assert anna.console == []


def test_all_pages_of_a_guest_show_the_new_name(visit: Visit) -> None:
    anna = visit()
    tab = anna.context.new_page()
    tab.goto(anna.page.url)
    expect(tab.locator("#name")).to_have_text(anna.page.locator("#name").inner_text())
    rename(anna, "Anna")
    expect(tab.locator("#name")).to_have_text("Anna")


@pytest.mark.parametrize("options", [{}, PHONE])
def test_a_name_that_cannot_be_is_told_and_the_form_stays(
    visit: Visit, options: dict[str, object]
) -> None:
    anna = visit(**options)
    was = anna.page.locator("#name").inner_text()
    rename(anna, "Admin")
    expect(anna.page.get_by_role("alert").filter(has_text="Not this one")).to_be_visible()
    field = anna.page.get_by_label("Your name")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    box = anna.page.locator("#naming").bounding_box()
    size = anna.page.viewport_size
    assert box is not None
    assert size is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    anna.press("Escape")
    expect(anna.page.locator("#naming")).to_be_hidden()
    shows(anna, was)


def test_a_click_elsewhere_closes_the_form(visit: Visit) -> None:
    anna = visit()
    anna.page.locator("#name").click()
    expect(anna.page.locator("#naming")).to_be_visible()
    anna.page.locator("#name").click()
    expect(anna.page.locator("#naming")).to_be_hidden()
    anna.page.locator("#name").click()
    anna.page.locator("#board").click(position={"x": 500, "y": 500})
    expect(anna.page.locator("#naming")).to_be_hidden()


def test_on_a_phone_the_longest_name_stays_within_the_pill(visit: Visit) -> None:
    anna = visit(**PHONE)
    rename(anna, "W" * 32)
    shows(anna, "W" * 32)
    pill, zoom = (anna.page.locator(name).bounding_box() for name in ("#status", "#zoom"))
    assert pill is not None
    assert zoom is not None
    assert pill["x"] + pill["width"] <= zoom["x"]


def test_who_was_named_by_others_cannot_choose(visit: Visit, server: Server) -> None:
    cleo = visit(f"#token={server.token('cleo', 'Cleo')}")
    shows(cleo, "Cleo")
    expect(cleo.page.locator("#name")).to_be_disabled()


def test_a_spectator_has_no_name(visit: Visit, server: Server) -> None:
    server.restart("--guests", "off")
    expect(visit().page.locator("#name")).to_be_hidden()
