"""Whatever goes wrong while a line is opened, but for what a retry cannot mend, is tried again."""

from typing import Any

import pytest
from tesserae_client import line
from tesserae_client.errors import HandshakeRefused
from tesserae_client.line import Unopened, open_line
from websockets.exceptions import (
    ConnectionClosedError,
    InvalidHandshake,
    InvalidMessage,
    InvalidURI,
    WebSocketException,
)

URL = "ws://127.0.0.1:1/ws"


async def fails_with(
    monkeypatch: pytest.MonkeyPatch, fault: Exception, expected: type[Exception]
) -> None:
    async def connect(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(line, "connect", connect)
    receiver: Any = None
    with pytest.raises(expected):
        await open_line(URL, "binary", receiver)


@pytest.mark.parametrize(
    "fault",
    [
        ConnectionRefusedError("nobody listens"),
        ConnectionResetError("cut"),
        TimeoutError("timed out"),
        EOFError("cut"),
        InvalidHandshake("not a WebSocket"),
        InvalidMessage("cut in the answer"),
        ConnectionClosedError(None, None),
        WebSocketException("something new"),
    ],
    ids=lambda fault: type(fault).__name__,
)
async def test_a_fault_of_the_line_is_worth_another_try(
    monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    await fails_with(monkeypatch, fault, Unopened)


async def test_a_wrong_address_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    await fails_with(monkeypatch, InvalidURI(URL, "no"), HandshakeRefused)
