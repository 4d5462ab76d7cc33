from http import HTTPStatus

import pytest

from server.transport.errors import BadHead
from server.transport.head import MAX_HEADERS, Head, closing_head, parse_head, plain_response


def head(*lines: str) -> Head:
    return parse_head("\r\n".join(lines).encode("latin-1"))


def test_a_head_is_parsed_by_name() -> None:
    parsed = head(
        "GET /ws?a=1 HTTP/1.1", "HOST: x", "X-List: a ", "x-list:\tb\t", "Empty:", "Odd: \xe9"
    )
    assert parsed[:3] == ("GET", "/ws?a=1", "HTTP/1.1")
    assert parsed.path == "/ws"
    assert parsed.values("host") == ["x"]
    assert parsed.values("x-list") == ["a", "b"]
    assert parsed.joined("x-list") == "a, b"
    assert parsed.joined("empty") is None
    assert parsed.joined("absent") is None
    assert parsed.values("odd") == ["\xe9"]


@pytest.mark.parametrize(
    "lines",
    [
        ["GET /ws"],
        ["GET  /ws HTTP/1.1"],
        ["GET /w s HTTP/1.1"],
        ["GET /ws HTTP/2.0"],
        ["get /ws HTTP/1.1"],
        ["GET /\xe9 HTTP/1.1"],
        ["GET / HTTP/1.1", "no colon"],
        ["GET / HTTP/1.1", "space : x"],
        ["GET / HTTP/1.1", ": no name"],
        ["GET / HTTP/1.1", "A: b", " folded"],
        ["GET / HTTP/1.1", "A: b\nC: d"],
        ["GET / HTTP/1.1", "A: b\0"],
        ["GET / HTTP/1.1", "A: b\rc"],
        ["GET / HTTP/1.1", ""],
    ],
)
def test_what_two_parsers_could_read_in_two_ways_is_refused(lines: list[str]) -> None:
    with pytest.raises(BadHead) as refused:
        head(*lines)
    assert refused.value.status is HTTPStatus.BAD_REQUEST


def test_headers_are_counted() -> None:
    assert len(head("GET / HTTP/1.1", *["A: b"] * MAX_HEADERS).headers) == MAX_HEADERS
    with pytest.raises(BadHead, match="128 headers"):
        head("GET / HTTP/1.1", *["A: b"] * (MAX_HEADERS + 1))


@pytest.mark.parametrize(
    ("header", "has_body"),
    [
        ("Content-Length: 0", False),
        ("Content-Length: 1", True),
        ("Content-Length: x", True),
        ("Transfer-Encoding: chunked", True),
        ("Accept: */*", False),
    ],
)
def test_a_body_is_announced(header: str, has_body: bool) -> None:
    assert head("POST / HTTP/1.1", header).has_body is has_body


def test_a_closing_head_asks_for_one_response_and_no_upgrade() -> None:
    parsed = head(
        "GET /a HTTP/1.1",
        "Host: x",
        "Connection: keep-alive, Upgrade",
        "Upgrade: websocket",
        "Keep-Alive: 5",
        "X: \xe9",
    )
    assert closing_head(parsed) == (
        b"GET /a HTTP/1.1\r\nhost: x\r\nx: \xe9\r\nconnection: close\r\n\r\n"
    )


def test_a_plain_response_says_how_long_it_is_and_that_it_ends() -> None:
    assert plain_response(HTTPStatus.FORBIDDEN, "Né.", [("x", "y")]) == (
        b"HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain; charset=utf-8\r\n"
        b"content-length: 5\r\nx: y\r\nconnection: close\r\n\r\nN\xc3\xa9.\n"
    )
