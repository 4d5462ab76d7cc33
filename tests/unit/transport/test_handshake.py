from server.transport.handshake import Accepted, Gate, Rejected, shake
from server.transport.head import parse_head
from server.wire.binary_v1 import BINARY_V1
from server.wire.json_v1 import JSON_V1
from tests.support.sockets import KEY, upgrade_request


def gate(admit: int | None = None) -> Gate:
    return Gate(admit=lambda: admit, address_of=lambda peer, forwarded: f"{peer}/{forwarded}")


def ask(*headers: str, gate: Gate) -> Accepted | Rejected:
    return shake(parse_head(upgrade_request(*headers).removesuffix(b"\r\n\r\n")), "p", gate)


def test_an_upgrade_is_answered_with_its_key_and_no_extension() -> None:
    answer = ask("Sec-WebSocket-Extensions: permessage-deflate", gate=gate())
    assert isinstance(answer, Accepted)
    assert answer.response.startswith(b"HTTP/1.1 101 Switching Protocols\r\n")
    assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in answer.response, f"the RFC's answer to {KEY}"
    assert b"Extensions" not in answer.response
    assert (answer.codec, answer.remote) == (JSON_V1, "p/None")


def test_the_subprotocol_is_echoed_and_only_when_offered() -> None:
    answer = ask("Sec-WebSocket-Protocol: chat, tesserae.v1", gate=gate())
    assert isinstance(answer, Accepted)
    assert b"Sec-WebSocket-Protocol: tesserae.v1\r\n" in answer.response
    assert answer.codec is BINARY_V1
    assert b"Protocol:" not in ask(gate=gate()).response


def test_rate_is_told_before_all_else() -> None:
    bad = ["Origin: http://evil.example", "Sec-WebSocket-Protocol: chat"]
    assert ask(*bad, gate=gate(admit=4)).response.startswith(b"HTTP/1.1 429 ")
    assert ask(*bad, gate=gate()).response.startswith(b"HTTP/1.1 403 ")
    assert ask(*bad[1:], gate=gate()).response.startswith(b"HTTP/1.1 400 ")
