"""The reference of the protocol says what the server does: codes, commands, fields."""

import re
from typing import Any

import pytest

from canvas.refusals import Refused
from server.commands.all import COMMANDS
from server.commands.replies import GameState
from server.session.placing import MAX_UNANSWERED
from server.wire.binary_v1 import MAX_RECORDS
from server.wire.codes import CloseCode, ErrorCode
from tests.support.source import ROOT, read

PAGE = read("docs/reference/protocol.md")


def section(heading: str) -> str:
    """The text under a heading, up to the next one of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"the page has no section {heading}"
    return found[1]


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, without marks, header and rule."""
    lines = [line for line in section(heading).splitlines() if line.startswith("|")]
    rows = [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]
    return rows[2:]


def test_the_refusals_in_the_order_of_the_tests() -> None:
    told = [(name, int(status)) for name, status, _ in table("Refusals")]
    assert told == [(why.code, why.status) for why in Refused]


def test_the_error_codes() -> None:
    assert [code for code, _ in table("Error codes")] == [code.value for code in ErrorCode]


def test_the_close_codes() -> None:
    assert [int(code) for code, _ in table("Close codes")] == [code.value for code in CloseCode]


def test_the_commands_with_their_costs() -> None:
    told = [tuple(row) for row in table("Commands")]
    assert told == [
        (
            command.name,
            command.summary,
            str(command.cost),
            command.bucket.value,
            ", ".join(sorted(command.roles or ["everyone"])),
        )
        for command in COMMANDS.over_websocket()
    ]


@pytest.mark.parametrize("command", COMMANDS.over_websocket(), ids=lambda command: command.name)
def test_every_field_of_a_command_is_in_its_section(command: Any) -> None:
    text = section(f"`{command.name}`")
    fields = command.request.model_json_schema().get("properties", {})
    assert [name for name in fields if f"`{name}" not in text] == []


@pytest.mark.parametrize("command", COMMANDS.over_websocket(), ids=lambda command: command.name)
def test_every_field_of_a_reply_is_told(command: Any) -> None:
    text = section(f"`{command.name}`")
    if issubclass(command.reply, GameState):
        text += section("Game state")
    fields = command.reply.model_json_schema().get("properties", {})
    assert [name for name in fields if not re.search(rf"\b{name}\b", text)] == []


def test_the_numbers_that_the_page_names() -> None:
    assert f"{MAX_UNANSWERED:,} unanswered" in PAGE
    assert f"1 to {MAX_RECORDS} records" in PAGE


def test_the_events_that_the_server_encodes() -> None:
    told = {name for name, *_ in table("Events")}
    sources = [
        *(ROOT / "server" / "wire").glob("*.py"),
        ROOT / "server" / "audience" / "presence_service.py",
    ]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    encoded = set(re.findall(r'event_frame\(\s*"([a-z]+)"', text))
    encoded |= set(re.findall(r'"event": "([a-z]+)"', text))
    assert encoded
    assert encoded <= told
