"""The protocol vectors' conversations, held with real sessions: word for word, byte for byte."""

from typing import Any

import jsonschema_rs
import orjson
import pytest

from canvas.refusals import Refused
from server.commands.all import COMMANDS
from tests.support import vectors
from tests.support.vector_world import recorded
from tests.support.vectors import Json

FOR_PEOPLE = frozenset(("message", "reason"))
"""Fields that are words; their wording is no contract."""
DEFLATED_BAND = "0201"
HEADER_DIGITS = 48


def held(name: str) -> list[Any]:
    """Conversations that this server can hold, called by their names."""
    found = [vector for vector in vectors.items(name) if "setting" in vector]
    return [pytest.param(vector, id=vector["name"]) for vector in found]


def plain(value: Any) -> Any:
    """A step without what may differ: the wording, and how a deflater packs."""
    if isinstance(value, dict):
        kept = {key: plain(entry) for key, entry in value.items() if key not in FOR_PEOPLE}
        return _plain_band(kept) if kept.get("encoding") == "deflate-raw" else kept
    if isinstance(value, str) and value.startswith(DEFLATED_BAND):
        return _plain_frame(value)
    return [plain(entry) for entry in value] if isinstance(value, list) else value


def _plain_frame(digits: str) -> str:
    payload = bytes.fromhex(digits[HEADER_DIGITS:])
    return digits[:HEADER_DIGITS] + vectors.unpacked("deflate-raw", payload).hex()


def _plain_band(event: Json) -> Json:
    payload = vectors.from_base64(event["data"])
    return {**event, "data": vectors.unpacked("deflate-raw", payload).hex()}


@pytest.mark.parametrize("vector", held("commands"))
async def test_commands(vector: Json) -> None:
    steps = await recorded(vector, follow_board=False)
    assert plain(steps) == plain(vector["steps"])


@pytest.mark.parametrize("vector", held("conversations"))
async def test_conversations(vector: Json) -> None:
    steps = await recorded(vector, follow_board=True)
    assert plain(steps) == plain(vector["steps"])


def steps_of(name: str) -> list[Json]:
    return [step for vector in vectors.items(name) for step in vector["steps"]]


def test_every_command_is_shown() -> None:
    said = [step["fromClient"] for step in steps_of("commands") if "fromClient" in step]
    shown = {message.get("do") for message in said if isinstance(message, dict)}
    assert {command.name for command in COMMANDS.over_websocket()} <= shown


def test_every_refusal_is_shown_but_the_one_that_needs_a_crowd() -> None:
    heard = [step["toClient"] for step in steps_of("commands") if "toClient" in step]
    codes = {message.get("error", {}).get("code") for message in heard if isinstance(message, dict)}
    assert {why.code for why in Refused} - codes == {Refused.ADDRESS_COOLDOWN.code}


@pytest.mark.parametrize("name", vectors.FILES)
def test_files_are_as_the_schema_says(name: str) -> None:
    schema = orjson.loads((vectors.FOLDER / "schema.json").read_bytes())
    jsonschema_rs.validate(schema, vectors.load(name))


@pytest.mark.parametrize("name", vectors.FILES)
def test_files_are_written_by_their_command(name: str) -> None:
    text = (vectors.FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert text == vectors.pretty(vectors.load(name)) + "\n"
