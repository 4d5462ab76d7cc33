"""Plain upgrades are answered as the library would; all else is left to it."""

import pytest

from server.transport import handshake
from server.transport.handshake import Accepted, Gate, shake
from server.transport.head import parse_head
from server.transport.plain_handshake import answer_plain
from tests.support.sockets import KEY

SPOKEN = frozenset({"tesserae.v1", "tesserae.v1.json"})
GATE = Gate(admit=lambda: None, address_of=lambda peer, _forwarded: peer)
PLAIN = {
    "Host": "example.org",
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": KEY,
    "Sec-WebSocket-Version": "13",
}


def request(start: str = "GET /ws HTTP/1.1", *more: str, **changed: str | None) -> bytes:
    headers = {**PLAIN, **{name.replace("_", "-"): value for name, value in changed.items()}}
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([start, *lines, *more]).encode()


PLAIN_ONES = [
    request(),
    request(Connection="keep-alive, Upgrade"),
    request(Upgrade="WebSocket"),
    request(Sec_WebSocket_Protocol="tesserae.v1"),
    request(Sec_WebSocket_Protocol="chat ,tesserae.v1.json, tesserae.v1"),
    request(Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits"),
    request("GET /ws?a=1 HTTP/1.1", "Cookie: a=b"),
]
ODD_ONES = [
    request("POST /ws HTTP/1.1"),
    request("GET /ws HTTP/1.0"),
    request(Upgrade="h2c"),
    request(Upgrade=None),
    request(Connection="keep-alive"),
    request(Connection="keep-alive,, Upgrade"),
    request(Connection="Upgrade; q=1"),
    request(Sec_WebSocket_Version="8"),
    request(Sec_WebSocket_Version=None),
    request(Sec_WebSocket_Key=None),
    request(Sec_WebSocket_Key="c2hvcnQ="),
    request(Sec_WebSocket_Key=KEY[:-1]),
    request(Sec_WebSocket_Key="x" * 24),
    request(Sec_WebSocket_Protocol="chat"),
    request(Sec_WebSocket_Protocol="tesserae.v1,"),
    request(Sec_WebSocket_Protocol="tesserae.v1 tesserae.v1.json"),
    request("GET /ws HTTP/1.1", f"Sec-WebSocket-Key: {KEY}"),
    request("GET /ws HTTP/1.1", "Connection: keep-alive"),
]


def without_date(response: bytes) -> set[bytes]:
    return {line for line in response.split(b"\r\n") if not line.startswith(b"Date:")}


@pytest.mark.parametrize("data", PLAIN_ONES)
def test_a_plain_upgrade_is_answered_as_the_library_answers_it(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = parse_head(data)
    assert answer_plain(head, SPOKEN) is not None
    ours = shake(head, "192.0.2.1", GATE)
    monkeypatch.setattr(handshake, "answer_plain", lambda *_: None)
    theirs = shake(head, "192.0.2.1", GATE)
    assert isinstance(ours, Accepted)
    assert isinstance(theirs, Accepted)
    assert without_date(ours.response) == without_date(theirs.response)
    assert (ours.codec, ours.remote) == (theirs.codec, theirs.remote)


@pytest.mark.parametrize("data", ODD_ONES)
def test_what_is_odd_is_the_librarys(data: bytes) -> None:
    assert answer_plain(parse_head(data), SPOKEN) is None
