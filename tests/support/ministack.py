"""DynamoDB as `ministack` plays it: one process for a test run, on loopback, ended by its id.

It lives in an environment of its own, since it pins other versions of the AWS library than the
product. `TESSERAE_PEERS` names that environment; else it is `.venv-peers` beside the sources.
"""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.source import ROOT

PATIENCE_S = 30
ENVIRONMENT = {
    "BIND_HOST": "127.0.0.1",
    "SERVICES": "dynamodb,sts,iam",
    "SFTP_ENABLED": "0",
    "IOT_MTLS_ENABLED": "0",
    "PERSIST_STATE": "0",
}
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}


def peer(name: str) -> Path:
    """Where a peer's program is; skips the test when it is not installed."""
    program = Path(os.environ.get("TESSERAE_PEERS", ROOT / ".venv-peers")) / "bin" / name
    if not program.exists():
        pytest.skip(f"{program} is missing: set TESSERAE_PEERS, or run `make peers`")
    return program


@contextmanager
def running_ministack(directory: Path) -> Iterator[str]:
    """Run it in a fresh directory; gives its URL."""
    program, port = peer("ministack"), free_port()
    environment = {
        "PATH": os.defpath,
        "HOME": str(directory),
        "TMPDIR": str(directory),
        "GATEWAY_PORT": str(port),
        **ENVIRONMENT,
    }
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen(
            [program], cwd=directory, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            wait_for(port, process, directory / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait(PATIENCE_S)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Return when the port answers."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"ministack did not start: {log.read_text(errors='replace')[-2000:]}")
