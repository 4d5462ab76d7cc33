"""People give the address that the server printed; a line that cannot be opened names the place."""

from socket import EAI_NONAME, gaierror

import pytest
from tesserae_client.address import socket_url, told


@pytest.mark.parametrize(
    ("address", "socket"),
    [
        ("http://127.0.0.1:8080/", "ws://127.0.0.1:8080/ws"),
        ("http://127.0.0.1:8080", "ws://127.0.0.1:8080/ws"),
        ("https://example.org/canvas/", "wss://example.org/canvas/ws"),
        ("https://example.org/?utm=1#at", "wss://example.org/ws"),
        ("wss://example.org/canvas/ws", "wss://example.org/canvas/ws"),
        ("nonsense", "nonsense"),
    ],
)
def test_the_page_s_address_leads_to_the_socket(address: str, socket: str) -> None:
    assert socket_url(address) == socket


@pytest.mark.parametrize(
    ("fault", "url", "text"),
    [
        (
            ConnectionRefusedError(111, "x"),
            "ws://127.0.0.1:8080/ws",
            "nobody listens at 127.0.0.1:8080",
        ),
        (ConnectionRefusedError(111, "x"), "ws://[::1]/ws", "nobody listens at [::1]:80"),
        (ConnectionRefusedError(111, "x"), "wss://h/ws", "nobody listens at h:443"),
        (gaierror(EAI_NONAME, "x"), "wss://u:secret@h/ws", "no address is known for h"),
        (ConnectionResetError(104, "x"), "ws://h/ws", "connection reset by peer"),
        (TimeoutError("timed out"), "ws://h/ws", "timed out"),
        (EOFError(), "ws://h/ws", "EOFError"),
    ],
)
def test_why_it_could_not_be_opened(fault: Exception, url: str, text: str) -> None:
    assert told(fault, url) == text
