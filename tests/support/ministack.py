"""DynamoDB as `ministack` plays it: one process for a test run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.peers import free_ports, listens, peer, running

ENVIRONMENT = {
    "BIND_HOST": "127.0.0.1",
    "SERVICES": "dynamodb,sts,iam",
    "SFTP_ENABLED": "0",
    "IOT_MTLS_ENABLED": "0",
    "PERSIST_STATE": "0",
}


@contextmanager
def running_ministack(directory: Path) -> Iterator[str]:
    """Run it in a fresh directory; gives its URL."""
    program, (port,) = peer("ministack"), free_ports(1)
    environment = {"GATEWAY_PORT": str(port), **ENVIRONMENT}
    with running([str(program)], directory, lambda: listens(port), environment):
        yield f"http://127.0.0.1:{port}"
