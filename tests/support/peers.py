"""The peers of the tests: programs that play AWS, each one process on loopback, ended by its id.

They live in an environment of their own, since they pin other versions of the AWS library than the
product. `TESSERAE_PEERS` names that environment; else it is `.venv-peers` beside the sources.
"""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.support.source import ROOT

PATIENCE_S = 60
PEERS = Path(os.environ.get("TESSERAE_PEERS", ROOT / ".venv-peers"))
"""Read once, since tests/conftest.py takes the variable away: to the product it is no setting."""
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


def peer(name: str) -> Path:
    """Where a peer's program is; skips the test when it is not installed."""
    program = PEERS / "bin" / name
    if not program.exists():
        pytest.skip(f"{program} is missing: set TESSERAE_PEERS, or run `make peers`")
    return program


def free_ports(number: int) -> list[int]:
    """Ports that were free a moment ago, all different."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(number)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


@contextmanager
def running(
    command: list[str],
    directory: Path,
    answers: Callable[[], bool],
    environment: Mapping[str, str] | None = None,
) -> Iterator[int]:
    """Run a peer in its fresh directory, from when it answers until the block ends; its id."""
    around = {"PATH": os.defpath, "HOME": str(directory), "TMPDIR": str(directory)}
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=directory,
            env={**around, **(environment or {})},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait(process, answers, directory / "log")
            yield process.pid
        finally:
            process.kill()
            process.wait(PATIENCE_S)


def listens(port: int) -> bool:
    """Whether somebody takes connections there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _wait(process: "subprocess.Popen[bytes]", answers: Callable[[], bool], log: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        if answers():
            return
        time.sleep(0.05)
    text = log.read_text(errors="replace")[-2000:]
    pytest.fail(f"{process.args!r:.300} did not start: {text}")
