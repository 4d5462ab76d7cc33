"""`tesserae health`: where it asks, and what it makes of the answer."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import click
import pytest

from server.cli.health import own_target
from server.cli.main import main
from server.config import Settings
from server.config.certificate import read_certificate
from tests.support.certificates import DAY, Pair, make_pair

Captured = pytest.CaptureFixture[str]
ANSWERS = {
    "/healthz": (200, '{"status":"alive"}'),
    "/below/healthz": (200, '{"status":"below"}'),
    "/html/healthz": (200, "<html>"),
    "/number/healthz": (200, "7"),
    "/other/healthz": (200, '{"ok":true}'),
    "/bare/healthz": (302, ""),
    "/readyz": (503, "not yet"),
}


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, text = ANSWERS.get(self.path, (404, "nothing here"))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Nothing to standard error."""


@pytest.fixture(params=["plain", "tls"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[int, Pair | None]]:
    """The port of somebody who answers, and the certificate, where there is one."""
    pair = make_pair(tmp_path) if request.param == "tls" else None
    with HTTPServer(("127.0.0.1", 0), Answering) as served:
        if pair is not None:
            context = read_certificate(*pair).context
            served.socket = context.wrap_socket(served.socket, server_side=True)
        thread = threading.Thread(target=served.serve_forever, args=(0.01,))
        thread.start()
        yield served.server_port, pair
        served.shutdown()
        thread.join()


def test_it_asks_the_server_of_the_same_settings(
    server: tuple[int, Pair | None], capsys: Captured
) -> None:
    port, pair = server
    settings = ["--port", str(port), *(pair.flags if pair else ())]
    assert main(["health", *settings]) == 0
    assert capsys.readouterr().out == '{"status":"alive"}\n'
    assert main(["health", "--ready", *settings]) == 1
    assert capsys.readouterr().err == "not yet\n"


@pytest.mark.parametrize("server", ["plain"], indirect=True)
def test_the_operators_port_is_asked_where_there_is_one(
    server: tuple[int, Pair | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERAE_ADMIN_LISTEN", f"0.0.0.0:{server[0]}")
    assert main(["health", "--port", "1"]) == 0


@pytest.mark.parametrize("server", ["plain"], indirect=True)
def test_another_server_is_named_by_its_address(
    server: tuple[int, Pair | None], capsys: Captured
) -> None:
    assert main(["health", "--url", f"http://127.0.0.1:{server[0]}/below/"]) == 0
    assert capsys.readouterr().out == '{"status":"below"}\n'


@pytest.mark.parametrize("server", ["plain"], indirect=True)
@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("html", "no Tesserae server"),
        ("number", "no Tesserae server"),
        ("other", "no Tesserae server"),
        ("bare", "answers with status 302"),
    ],
)
def test_whoever_else_answers_is_not_taken_for_the_server(
    path: str, told: str, server: tuple[int, Pair | None], capsys: Captured
) -> None:
    assert main(["health", "--url", f"http://127.0.0.1:{server[0]}/{path}"]) == 1
    said = capsys.readouterr().err
    assert told in said
    assert f"http://127.0.0.1:{server[0]}" in said


@pytest.mark.parametrize("begins", [b"", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_an_answer_that_never_ends_is_not_waited_for(begins: bytes, capsys: Captured) -> None:
    """Every piece of it comes in time."""
    ended = threading.Event()

    def drip(listening: socket.socket) -> None:
        connection = listening.accept()[0]
        with connection, suppress(OSError):
            connection.sendall(begins)
            while not ended.wait(0.02):
                connection.sendall(b"H")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=drip, args=(listening,), daemon=True)
        thread.start()
        port = str(listening.getsockname()[1])
        assert main(["health", "--port", port, "--timeout", "0.2"]) == 1
        ended.set()
        thread.join()
    assert f"127.0.0.1:{port}" in capsys.readouterr().err


@pytest.mark.parametrize("server", ["tls"], indirect=True)
def test_another_server_must_prove_its_name(
    server: tuple[int, Pair | None], capsys: Captured
) -> None:
    assert main(["health", "--url", f"https://127.0.0.1:{server[0]}"]) == 1
    assert "CERTIFICATE_VERIFY_FAILED" in capsys.readouterr().err


def test_no_answer_is_told_with_the_place(capsys: Captured) -> None:
    assert main(["health", "--port", "1"]) == 1
    assert "no answer from http://127.0.0.1:1" in capsys.readouterr().err


def test_a_certificate_that_expires_does_not_make_it_ill(tmp_path: Path) -> None:
    pair = make_pair(tmp_path, begins=-2 * DAY, ends=-DAY)
    assert main(["health", "--port", "1", *pair.flags]) == 1, "which is no answer, and not 2"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("localhost:8080", "give http://HOST:PORT"),
        ("ws://localhost/ws", "give http://HOST:PORT"),
        ("http://", "give http://HOST:PORT"),
        ("", "give http://HOST:PORT"),
        (f"http://{'a' * 70}.b/", "label"),
        ("http://h:x", "Port could not be cast"),
    ],
)
def test_an_address_of_another_kind_is_told(url: str, told: str, capsys: Captured) -> None:
    assert main(["health", "--url", url]) == 2
    assert told in capsys.readouterr().err


def test_no_number_of_seconds_is_told(capsys: Captured) -> None:
    assert main(["health", "--port", "1", "--timeout", "nan"]) == 2
    assert "give a number" in capsys.readouterr().err


def test_the_place_is_written_as_an_address(capsys: Captured) -> None:
    assert main(["health", "--host", "::", "--port", "1"]) == 1
    assert "http://[::1]:1" in capsys.readouterr().err


def test_any_address_is_asked_on_loopback() -> None:
    assert own_target(Settings(host="::")).host == "::1"
    assert own_target(Settings(host="0.0.0.0")).host == "127.0.0.1"  # noqa: S104
    with pytest.raises(click.UsageError, match="--url"):
        own_target(Settings(port=0))
