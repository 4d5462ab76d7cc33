"""CPU and memory of a process by its id."""

import os
from pathlib import Path

import pytest

from bots.load.usage import Usage

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
