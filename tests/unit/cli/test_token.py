"""`tesserae token`: one line that the server of the same secret believes."""

import random
from pathlib import Path

import pytest

from server.access.auth import Authenticator
from server.access.identity import Identity, Role
from server.access.secret import open_secret
from server.cli.main import main
from server.clock import SystemClock
from server.config import Settings

Captured = pytest.CaptureFixture[str]
ASKED = ["token", "--sub", "u1", "--name", "Ann"]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def verified(token: str, settings: Settings) -> Identity:
    secret = open_secret(settings)
    return Authenticator(secret, SystemClock().wall_ms, random.Random()).verify(token)


def test_the_token_is_all_of_the_output(capsys: Captured) -> None:
    assert main([*ASKED, "--data", "d", "--role", "admin", "--role", "bot"]) == 0
    told = capsys.readouterr()
    assert told.out.count("\n") == 1
    identity = verified(told.out.strip(), Settings(data=Path("d")))
    assert (identity.id, identity.name) == ("u1", "Ann")
    assert identity.roles == {Role.ADMIN, Role.BOT}
    assert "u1 is admin and bot until" in told.err
    assert "/#token=<the token below>" in told.err
    assert told.out.strip() not in told.err


def test_it_makes_the_secret_that_the_first_start_will_use(capsys: Captured) -> None:
    assert main([*ASKED, "--data", "new"]) == 0
    made = Path("new/secret").read_text()
    first = capsys.readouterr()
    assert f"Made a new secret, {Path('new/secret')}" in first.err
    assert main([*ASKED, "--data", "new"]) == 0
    assert Path("new/secret").read_text() == made
    second = capsys.readouterr()
    assert "Made a new secret" not in second.err
    assert made.strip() not in first.out + first.err + second.out + second.err


def test_it_uses_the_secret_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured, tmp_path: Path
) -> None:
    monkeypatch.setenv("TESSERAE_SECRET", "0123456789abcdef" * 2)
    assert main(ASKED) == 0
    settings = Settings.model_validate({"secret": "0123456789abcdef" * 2})
    assert verified(capsys.readouterr().out.strip(), settings).id == "u1"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000), ("2W", 1_209_600)],
)
def test_the_time_it_is_good_for(text: str, seconds: int, capsys: Captured) -> None:
    before_ms = SystemClock().wall_ms()
    assert main([*ASKED, "--data", "d", "--ttl", text]) == 0
    identity = verified(capsys.readouterr().out.strip(), Settings(data=Path("d")))
    after_ms = SystemClock().wall_ms()
    assert before_ms - 1000 <= identity.expires_at_ms - seconds * 1000 <= after_ms


@pytest.mark.parametrize(
    "words",
    [
        ["--ttl", "0d"],
        ["--ttl", "5"],
        ["--ttl", "forever"],
        ["--ttl", "999999d"],
        ["--role", "king"],
        ["--name", "x" * 33],
        ["--name", " "],
        ["--sub", "a b"],
        ["--sub", "g_someone"],
    ],
)
def test_what_makes_no_token(words: list[str], capsys: Captured) -> None:
    assert main([*ASKED, "--data", "d", *words]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "Error:" in told.err


def test_a_secret_that_others_read_is_refused(capsys: Captured) -> None:
    Path("d").mkdir()
    Path("d/secret").write_text("0123456789abcdef" * 2)
    Path("d/secret").chmod(0o644)
    assert main([*ASKED, "--data", "d"]) == 2
    assert "chmod 600" in capsys.readouterr().err
