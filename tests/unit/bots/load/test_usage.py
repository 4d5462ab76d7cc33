"""CPU and memory of a process by its id, and CPU of the machine."""

import os
from pathlib import Path

import pytest

from bots.load.usage import Machine, Usage

HERE = Path("/proc/self/stat").exists()


@pytest.mark.skipif(not HERE, reason="there is no /proc")
def test_a_process_is_seen() -> None:
    usage = Usage(os.getpid())
    cpu, size = usage.look(0.0)
    assert cpu is None
    assert size is not None
    assert size > 1_000_000
    cpu, _ = usage.look(1.0)
    assert cpu is not None
    assert cpu >= 0.0


def test_a_process_that_is_not_there_is_told() -> None:
    with pytest.raises(ValueError, match="give the id of the server's process"):
        Usage(2**22 + 1)


@pytest.mark.skipif(not HERE, reason="there is no /proc")
def test_a_process_that_has_gone_has_no_figures(tmp_path: Path) -> None:
    usage = Usage(os.getpid())
    usage._file = tmp_path / "stat"
    assert usage.look(0.0) == (None, None)
    dead = f"7 (a) b) Z {'0 ' * 30}"
    usage._file.write_text(dead)
    assert usage.look(1.0) == (None, None)


def test_the_machine_is_as_busy_as_its_ticks_say(tmp_path: Path) -> None:
    file = tmp_path / "stat"
    machine = Machine(file)
    file.write_text("cpu  100 0 100 700 100 0 0 0 50 50\ncpu0 1 2 3\n")
    assert machine.look() is None
    assert machine.look() is None  # no tick since
    file.write_text("cpu  130 0 130 730 110 0 0 0 80 50\ncpu0 1 2 3\n")
    assert machine.look() == pytest.approx(0.6)


def test_a_machine_that_does_not_tell_is_unknown(tmp_path: Path) -> None:
    assert Machine(tmp_path / "stat").look() is None
