"""The log: its two forms, and that no secret is ever in it."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from server.config import Settings
from server.telemetry.logs import MASK, get_logger, set_up_logs

TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1MSJ9.c2lnbmF0dXJlLXNpZ25hdHVyZQ"
SECRET = "0123456789abcdef0123456789abcdef"


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture(params=["text", "json"])
def form(request: pytest.FixtureRequest) -> Any:
    return request.param


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_json_is_one_object_a_line_with_level_time_and_part() -> None:
    stream = io.StringIO()
    set_up_logs("json", "info", stream=stream)
    get_logger("journal").warning("commit failed", tries=3, game="place#main")
    logging.getLogger("aiohttp.server").error("from a %s", "library")
    ours, theirs = lines(stream)
    assert ours.pop("timestamp").endswith("Z")
    assert ours == {
        "level": "warning",
        "logger": "journal",
        "message": "commit failed",
        "tries": 3,
        "game": "place#main",
    }
    assert (theirs["logger"], theirs["message"]) == ("aiohttp.server", "from a library")


def test_writes_to_those_who_have_reset_fill_no_log() -> None:
    stream = io.StringIO()
    set_up_logs("json", "info", stream=stream)
    set_up_logs("json", "info", stream=stream)
    logging.getLogger("asyncio").warning("socket.send() raised exception.")
    logging.getLogger("asyncio").warning("something else")
    assert [line["message"] for line in lines(stream)] == ["something else"]


def test_text_is_one_line_an_event() -> None:
    stream = io.StringIO()
    set_up_logs("text", "info", stream=stream)
    get_logger("journal").info("recovered", seq=7)
    (line,) = stream.getvalue().splitlines()
    assert "recovered" in line
    assert "seq=7" in line


def test_what_is_below_the_level_is_not_logged() -> None:
    stream = io.StringIO()
    set_up_logs("json", "warning", stream=stream)
    get_logger("a").info("no")
    logging.getLogger("b").info("no")
    assert stream.getvalue() == ""


def test_setting_up_twice_does_not_log_twice() -> None:
    stream = io.StringIO()
    set_up_logs("json", "info", stream=io.StringIO())
    set_up_logs("json", "info", stream=stream)
    get_logger("a").info("once")
    assert len(lines(stream)) == 1


def leak_everywhere() -> None:
    log = get_logger("leaky")
    sentence = f"client sent {TOKEN}"
    log.info(sentence, token=TOKEN, nested={"list": [TOKEN, {"password": "hunter2"}]})
    log.info("headers", headers={"Authorization": "hunter2", "other": "Bearer hunter2hunter2"})
    log.info("%s in arguments", SECRET)
    log.info("settings", settings=Settings.model_validate({"secret": SECRET}), raw=SECRET.encode())
    logging.getLogger("library").warning("GET /ws?x=%s %s", TOKEN, SECRET)
    try:
        int(f"{TOKEN} {SECRET}")
    except ValueError as error:
        log.exception("failed", error=error)
        logging.getLogger("library").exception("failed")


def test_no_secret_is_ever_logged(form: Any) -> None:
    stream = io.StringIO()
    set_up_logs(form, "debug", stream=stream, secrets=[SECRET])
    leak_everywhere()
    text = stream.getvalue()
    assert MASK in text
    assert TOKEN not in text
    assert TOKEN.split(".")[1] not in text
    assert SECRET not in text
    assert "hunter2" not in text
    assert "ValueError" in text


def test_what_is_no_secret_is_told_in_full() -> None:
    stream = io.StringIO()
    set_up_logs("json", "info", stream=stream, secrets=[SECRET])
    get_logger("a").info("ok", game="place#main", token_id="abc", left_ms=5, ok=True, none=None)
    (line,) = lines(stream)
    assert (line["token_id"], line["left_ms"], line["ok"], line["none"]) == ("abc", 5, True, None)


def test_a_client_cannot_steer_the_terminal() -> None:
    stream = io.StringIO()
    set_up_logs("text", "info", stream=stream)
    get_logger("a").info("name \x1b[2J", name="x\x1b]0;title\x07")
    assert "\x1b" not in stream.getvalue()
    assert "\x07" not in stream.getvalue()


def test_what_requests_to_aws_are_signed_with_is_in_no_debug_line() -> None:
    stream = io.StringIO()
    set_up_logs("json", "debug", stream=stream)
    for library in ("botocore.auth", "aiobotocore.credentials", "boto3.resources"):
        logging.getLogger(library).debug("x-amz-security-token:abcd")
        logging.getLogger(library).warning("this is told")
    get_logger("server").debug("ours is told too")
    assert "abcd" not in stream.getvalue()
    assert [line["level"] for line in lines(stream)] == ["warning"] * 3 + ["debug"]
