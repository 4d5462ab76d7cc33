"""Bodies that are ours: answers with items as they came, all else left to the library."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from persistence.dynamodb.body import READS, read_plainly


class Events:
    """Takes handlers as a client's emitter does."""

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[..., None]] = {}

    def register(self, name: str, handler: Callable[..., None], *, unique_id: str) -> None:
        self.handlers[name] = handler


class FakeClient:
    def __init__(self) -> None:
        self.events = Events()
        self.meta = self


def read(body: bytes, status: int = 200) -> tuple[dict[str, Any], bytes]:
    """What is given to the caller, and what the library parses still."""
    client = FakeClient()
    read_plainly(client)
    response, given = {"status_code": status, "body": body}, dict[str, Any]()
    client.events.handlers["before-parse.dynamodb.Query"](
        operation_model=None, response_dict=response, customized_response_dict=given
    )
    left = response["body"]
    assert isinstance(left, bytes)
    return given, left


def test_every_call_that_reads_many_items_is_met() -> None:
    client = FakeClient()
    read_plainly(client)
    assert set(client.events.handlers) == {f"before-parse.dynamodb.{call}" for call in READS}


def test_items_come_as_they_are_and_the_library_parses_nothing() -> None:
    answer = {"Items": [{"PK": {"S": "HISTORY"}, "seq": {"N": "7"}}], "Count": 1}
    assert read(orjson.dumps(answer)) == (answer, b"{}")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"__type":"ThrottlingException"}', 400),
        (b"<html>", 200),
        (b"", 200),
        (b"[1]", 200),
        (b'{"Items":[', 200),
    ],
)
def test_what_is_no_answer_is_left_to_the_library(body: bytes, status: int) -> None:
    assert read(body, status) == ({}, body)
