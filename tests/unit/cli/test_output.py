"""Outputs: whole files or none; pipes, devices and links are written to and never replaced."""

import os
import threading
from pathlib import Path

import click
import pytest

from server.cli.output import check_target, opened_output


def written(target: Path, content: bytes, *, force: bool = True) -> None:
    check_target(str(target), force=force, binary=True)
    with opened_output(str(target), force=force) as file:
        file.write(content)


def test_a_named_pipe_is_written_to(tmp_path: Path) -> None:
    pipe, seen = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: seen.append(pipe.read_bytes()), daemon=True)
    reader.start()
    written(pipe, b"entries", force=False)
    reader.join(10)
    assert seen == [b"entries"]
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_device_stays_one() -> None:
    written(Path("/dev/null"), b"entries", force=False)
    assert Path("/dev/null").is_char_device()


def test_a_device_without_room_is_told() -> None:
    with pytest.raises(click.ClickException, match="/dev/full cannot be written: No space left"):
        written(Path("/dev/full"), b"entries")
    assert Path("/dev/full").is_char_device()


def test_a_link_stays_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    file, link = tmp_path / "there" / "file", tmp_path / "link"
    link.symlink_to(file)
    written(link, b"first", force=False)
    with pytest.raises(click.UsageError, match="exists"):
        written(link, b"second", force=False)
    written(link, b"third")
    assert link.is_symlink()
    assert file.read_bytes() == b"third"
    assert list(file.parent.iterdir()) == [file]


def test_a_name_too_long_for_the_half_file_is_told_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match="too long"):
        check_target(str(tmp_path / ("ä" * 125)), force=False, binary=False)


def test_what_fails_elsewhere_is_not_laid_to_the_output(tmp_path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError, match="elsewhere"),
        opened_output(str(tmp_path / "file"), force=False),
    ):
        (tmp_path / "elsewhere" / "source").read_bytes()
    assert not list(tmp_path.iterdir())
