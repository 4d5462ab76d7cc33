"""The secret: made once, private, never shown; every refusal names what helps."""

import errno
import os
import threading
from pathlib import Path

import pytest
from pydantic import SecretStr

from server.access.secret import Secret, open_secret
from server.config import ConfigurationError, Settings

GIVEN = "0123456789abcdef0123456789abcdef"


def refusal_of(settings: Settings) -> str:
    with pytest.raises(ConfigurationError) as caught:
        open_secret(settings)
    assert GIVEN not in str(caught.value)
    return str(caught.value)


def written(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_first_start_makes_one_that_the_next_start_reads(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "new" / "data")
    made = open_secret(settings)
    file = settings.data / "secret"
    assert file.stat().st_mode & 0o7777 == 0o600
    assert settings.data.stat().st_mode & 0o7777 == 0o700
    assert len(file.read_text().strip()) == 64
    assert open_secret(settings) == made
    assert [path.name for path in settings.data.iterdir()] == ["secret"]


def test_none_is_made_where_the_next_machine_would_have_another(tmp_path: Path) -> None:
    aws = Settings(data=tmp_path / "data", store="aws", bucket="boards")
    assert "TESSERAE_SECRET" in refusal_of(aws)
    assert not (tmp_path / "data").exists()
    open_secret(Settings(data=tmp_path / "data"))
    assert open_secret(aws).text, "one that is there came along"


def test_two_deployments_do_not_share_one(tmp_path: Path) -> None:
    first, second = (open_secret(Settings(data=tmp_path / name)) for name in "ab")
    assert first != second


def test_the_text_of_the_file_may_be_given_by_environment(tmp_path: Path) -> None:
    made = open_secret(Settings(data=tmp_path))
    text = (tmp_path / "secret").read_text().strip()
    assert open_secret(Settings.model_validate({"secret": text})) == made


@pytest.mark.parametrize("around", ["{}\n", " {}\r\n"])
def test_a_newline_that_was_stored_with_it_makes_no_other_secret(around: str) -> None:
    given = Settings(secret=SecretStr(around.format(GIVEN)))
    assert open_secret(given) == open_secret(Settings(secret=SecretStr(GIVEN)))


def test_a_wide_umask_does_not_widen_the_mode(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        open_secret(Settings(data=tmp_path))
    finally:
        os.umask(before)
    assert (tmp_path / "secret").stat().st_mode & 0o7777 == 0o600


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_made_secret_that_others_reach_is_refused(tmp_path: Path, mode: int) -> None:
    file = written(tmp_path / "secret", GIVEN, mode)
    assert f"chmod 600 {file}" in refusal_of(Settings(data=tmp_path))


def test_a_given_file_may_be_read_by_others_as_containers_mount_it(tmp_path: Path) -> None:
    file = written(tmp_path / "s", GIVEN + "\n", 0o444)
    assert open_secret(Settings(secret_file=file)) == Secret(GIVEN.encode())


def test_a_given_file_must_not_be_written_by_others(tmp_path: Path) -> None:
    file = written(tmp_path / "s", GIVEN, 0o666)
    assert f"chmod go-w {file}" in refusal_of(Settings(secret_file=file))


@pytest.mark.parametrize("text", ["", "short", "a" * 64, "ab" * 32, GIVEN * 200, GIVEN + "é"])
def test_a_weak_or_endless_or_odd_secret_is_refused(tmp_path: Path, text: str) -> None:
    file = written(tmp_path / "s", text)
    assert "openssl rand -hex 32" in refusal_of(Settings(secret_file=file))


def test_a_weak_secret_of_the_environment_is_refused_and_not_shown() -> None:
    message = refusal_of(Settings.model_validate({"secret": "hunter2"}))
    assert message.startswith("TESSERAE_SECRET")
    assert "hunter2" not in message


def test_an_empty_file_of_a_crash_is_not_replaced(tmp_path: Path) -> None:
    file = written(tmp_path / "secret", "")
    refusal_of(Settings(data=tmp_path))
    assert file.read_text() == ""


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    blocker = written(tmp_path / "file", "")
    assert "--data" in refusal_of(Settings(data=blocker / "data"))


def test_many_first_starts_at_once_agree_on_one(tmp_path: Path) -> None:
    found: list[Secret] = []
    barrier = threading.Barrier(8)

    def start() -> None:
        barrier.wait(timeout=10)
        found.append(open_secret(Settings(data=tmp_path)))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    assert len(found) == 8
    assert len({secret.text for secret in found}) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_keys_of_different_purposes_differ_and_the_secret_does_not_show() -> None:
    secret = Secret(GIVEN.encode())
    assert secret.key("a") != secret.key("b")
    assert len(secret.key("a")) == 32
    assert GIVEN not in f"{secret!r} {secret}"


def test_a_directory_of_somebody_else_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def barred(_: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "exists", barred)
    assert "own the --data directory" in refusal_of(Settings(data=tmp_path))
