"""The command line: what it loads, what it says, and its exit codes."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from persistence.errors import LeaseLost, PermanentFault, StoreDamaged, StoreError, StoreInUse
from server.cli import bots as bots_command
from server.cli import serve as serve_command
from server.cli.exits import exit_code_of
from server.cli.main import COMMANDS, main
from server.config import ConfigurationError, Settings

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def served(monkeypatch: pytest.MonkeyPatch, outcome: Any) -> list[Settings]:
    """Let `serve` end with an exit code or an exception, and collect what it was given."""
    seen: list[Settings] = []

    def run(settings: Settings) -> int:
        seen.append(settings)
        if isinstance(outcome, BaseException):
            raise outcome
        return int(outcome)

    monkeypatch.setattr(serve_command, "resolve_name", lambda _: run)
    return seen


def test_serve_hands_the_settings_on_and_returns_the_exit_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = served(monkeypatch, 0)
    assert main(["serve", "--port", "9000", "--guests", "off", "--cooldown-ms", "300000"]) == 0
    (settings,) = seen
    assert (settings.port, settings.guests) == (9000, False)
    assert settings.given("cooldown_ms")
    assert not settings.given("size")


def test_serve_does_not_start_on_a_wrong_configuration(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    seen = served(monkeypatch, 0)
    monkeypatch.setenv("TESSERAE_GUEST", "on")
    assert main(["serve", "--port", "x", "--size", "y"]) == 2
    assert seen == []
    told = capsys.readouterr().err
    assert "3 problems" in told
    assert all(name in told for name in ("--port", "--size", "TESSERAE_GUESTS?"))
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StoreDamaged("canvas.bin is broken", "restore a copy"), 3),
        (StoreInUse("in use by process 7", "stop it"), 3),
        (LeaseLost("taken over by process 8", "stop one of them"), 3),
        (PermanentFault("cannot write", "make room"), 1),
        (ConfigurationError.of("palette", "is no palette", "Give another."), 2),
        (OSError("anything"), 1),
        (RuntimeError(), 1),
        (KeyboardInterrupt(), 1),
        (click.UsageError("wrong"), 2),
        (click.ClickException("else"), 1),
    ],
)
def test_an_error_becomes_a_message_a_hint_and_a_code(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured, error: BaseException, code: int
) -> None:
    served(monkeypatch, error)
    assert main(["serve"]) == code == exit_code_of(error)
    told = capsys.readouterr()
    assert told.out == ""
    assert "Traceback" not in told.err
    if isinstance(error, StoreError):
        assert f"Error: {error}" in told.err
        assert error.hint in told.err


def test_debug_shows_where_it_happened(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    served(monkeypatch, RuntimeError("deep"))
    assert main(["--debug", "serve"]) == 1
    told = capsys.readouterr().err
    assert "Traceback" in told
    assert "RuntimeError: deep" in told


@pytest.mark.parametrize(
    "words", [["nothing"], ["serve", "--nothing"], ["serve", "--port"], ["config", "nothing"]]
)
def test_usage_errors(words: list[str], capsys: Captured) -> None:
    assert main(words) == 2
    assert "Error:" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["config"]])
def test_nothing_asked_shows_the_help(words: list[str], capsys: Captured) -> None:
    assert main(words) == 2
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "bots"])
def test_each_command_has_help(name: str, capsys: Captured) -> None:
    assert main([name, "--help"]) == 0
    assert f"Usage: tesserae {name}" in capsys.readouterr().out


def test_the_help_of_serve_lists_the_fixed_flags(capsys: Captured) -> None:
    assert main(["serve", "--help"]) == 0
    told = capsys.readouterr().out
    flags = [
        "--host",
        "--port",
        "--data",
        "--size",
        "--palette",
        "--cooldown-ms",
        "--address-cooldown",
        "--address-budget",
        "--guests",
        "--guests-per-address",
        "--max-connections",
        "--max-connections-per-address",
        "--message-rate",
        "--message-burst",
        "--handshakes-per-second",
        "--origins",
        "--origin-required",
        "--trusted-proxies",
        "--slow-timeout",
        "--log-format",
        "--config",
        "--secret-file",
    ]
    assert [flag for flag in flags if f"  {flag} " not in told] == []
    assert "--secret " not in told
    assert "--metrics-token" not in told


@pytest.mark.parametrize("words", [["version"], ["--version"]])
def test_the_version(words: list[str], capsys: Captured) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("tesserae 0.")


def test_config_check_prints_and_explains(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("TESSERAE_SECRET", "s3cr3t-0f-0urs" * 3)
    assert main(["config", "check", "--port", "9000"]) == 0
    told = capsys.readouterr().out
    assert "port = 9000" in told
    assert "# --port" in told
    assert "s3cr3t" not in told


def test_config_check_tells_all_errors(capsys: Captured) -> None:
    Path("t.toml").write_text("prt = 1\nguests = 5\n")
    assert main(["config", "check", "--config", "t.toml"]) == 2
    told = capsys.readouterr().err
    assert "Did you mean port?" in told
    assert "Give on or off." in told


def test_config_check_refuses_the_secret_that_serve_would_refuse(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("TESSERAE_SECRET", "short")
    assert main(["config", "check"]) == 2
    assert "too weak a secret" in capsys.readouterr().err


def test_config_check_makes_nothing(tmp_path: Path) -> None:
    assert main(["config", "check", "--data", "new"]) == 0
    assert list(tmp_path.iterdir()) == []


def test_bots_without_the_library_tell_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(bots_command, "find_spec", lambda _: None)
    assert main(["bots", "walk", "5", "--fast"]) == 2
    assert "pip install 'tesserae[bots]'" in capsys.readouterr().err


def test_bots_are_their_own_group(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    group = click.Group("bots", commands={"walk": click.Command("walk", callback=lambda: 0)})
    monkeypatch.setattr(bots_command, "resolve_name", lambda _: group)
    assert main(["bots", "--help"]) == 0
    assert "walk" in capsys.readouterr().out


HEAVY = [
    "numpy",
    "aiohttp",
    "websockets",
    "aioboto3",
    "structlog",
    "sqlite3",
    "orjson",
    "prometheus_client",
]


@pytest.mark.parametrize(
    ("words", "light"),
    [
        (["--help"], ["pydantic", "jwt", "rich", "asyncio"]),
        (["serve", "--help"], ["jwt", "rich", "asyncio"]),
        (["token", "--data", "d", "--sub", "u", "--name", "n"], ["rich"]),
    ],
)
def test_what_is_not_needed_is_not_imported(words: list[str], light: list[str]) -> None:
    code = (
        "import sys; from server.cli.main import main; main(sys.argv[1:]); "
        "print(chr(10) + ' '.join(sys.modules))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, timeout=60
    )
    imported = set(finished.stdout.splitlines()[-1].split())
    assert imported.isdisjoint(HEAVY + light)
