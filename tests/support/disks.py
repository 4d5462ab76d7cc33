"""Ways to take the space from a server process, and to give it back."""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest

CHUNK_BYTES = 65_536
DISK_BYTES = 16 * 1024 * 1024


class Disk(Protocol):
    """Somewhere to put data, which can be made to run full."""

    data: Path

    def fill(self, pid: int) -> None:
        """Let no file of that process grow any more."""
        ...

    def free(self, pid: int) -> None:
        """Undo it."""
        ...


class SmallDisk:
    """A file system of its own, filled to the last byte: ENOSPC."""

    def __init__(self, root: Path) -> None:
        self.data = root / "data"
        self._ballast = root / "ballast"

    def fill(self, pid: int) -> None:
        with self._ballast.open("wb", buffering=0) as ballast:
            for size in (CHUNK_BYTES, 1):
                _write_until_full(ballast.fileno(), size)

    def free(self, pid: int) -> None:
        self._ballast.unlink()


class Limit:
    """A limit on the size of the process's files: EFBIG, for whoever may not mount."""

    def __init__(self, root: Path) -> None:
        self.data = root / "data"

    def fill(self, pid: int) -> None:
        self._set(pid, 1)

    def free(self, pid: int) -> None:
        self._set(pid, resource.RLIM_INFINITY)

    def _set(self, pid: int, size_bytes: int) -> None:
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size_bytes, hard))


@contextmanager
def small_disk(root: Path) -> Iterator[SmallDisk]:
    """Mount a file system of some MB; skips the test where that is not allowed."""
    root.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", str(root)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(root)
    finally:
        subprocess.run(["umount", "--lazy", str(root)], check=True)


def _write_until_full(file: int, size: int) -> None:
    for _ in range(DISK_BYTES):
        try:
            os.write(file, bytes(size))
        except OSError:
            return
