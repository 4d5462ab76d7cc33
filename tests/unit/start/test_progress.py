"""What a person sees of a start: a bar on a terminal alone, and an address that can be opened."""

import io
import sys

import pytest

from server.telemetry.progress import RecoveryProgress, announce, own_url


class Screen(io.StringIO):
    """A terminal, or a file."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def shown(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> str:
    screen = Screen(terminal=terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    with RecoveryProgress() as progress:
        progress.bans(1_000)
        progress.advance(5_000, 20_000)
    return screen.getvalue()


def test_a_recovery_is_shown_as_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = shown(monkeypatch, terminal=True)
    assert "Reading history" in drawn
    assert "5000/20000" in drawn


def test_a_recovery_leaves_a_log_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, terminal=False).strip() == ""


@pytest.mark.parametrize(
    ("host", "tls", "address"),
    [
        ("127.0.0.1", False, "http://127.0.0.1:8080/"),
        ("0.0.0.0", False, "http://localhost:8080/"),  # noqa: S104  # only shown
        ("::", False, "http://localhost:8080/"),
        ("::1", False, "http://[::1]:8080/"),
        ("canvas.example", True, "https://canvas.example:8080/"),
    ],
)
def test_the_address_to_open(
    host: str, tls: bool, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    announce(host, 8080, tls=tls)
    assert f"Open {address} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("host", "tls", "url"),
    [
        ("0.0.0.0", False, "http://127.0.0.1:80"),  # noqa: S104  # only shown
        ("::", True, "https://[::1]:80"),
        ("192.0.2.7", False, "http://192.0.2.7:80"),
    ],
)
def test_where_a_process_of_this_machine_reaches_it(host: str, tls: bool, url: str) -> None:
    assert own_url(host, 80, tls=tls) == url
