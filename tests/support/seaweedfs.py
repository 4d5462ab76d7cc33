"""S3 as SeaweedFS plays it: one process for a test run.

Its data lie in the directory that it is given. It is killed, since it takes 25 s to stop.
"""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.peers import CREDENTIALS, free_ports, listens, peer, running

STRANGER = {"AWS_ACCESS_KEY_ID": "stranger", "AWS_SECRET_ACCESS_KEY": "stranger"}
"""Somebody known, to whom no bucket of the tests belongs."""
PORTS = (
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
    "s3.port",
    "s3.port.grpc",
)


@contextmanager
def running_seaweedfs(directory: Path) -> Iterator[str]:
    """Run it in a fresh directory; gives the URL of its S3."""
    program, ports = peer("weed"), dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
    (directory / "data").mkdir()
    (directory / "identities.json").write_text(json.dumps(_identities()))
    command = [str(program), "server", *_flags(directory)]
    command += [f"-{name}={port}" for name, port in ports.items()]
    s3 = ports["s3.port"]
    try:
        with running(command, directory, lambda: _serves(s3, ports["master.port"])):
            yield f"http://127.0.0.1:{s3}"
    finally:
        _remove_sockets(ports)


def _remove_sockets(ports: dict[str, int]) -> None:
    """Remove what it leaves outside of its directory when it is killed."""
    for role in ("master", "volume", "filer", "s3"):
        name = f"seaweedfs-{role}-grpc-{ports[f'{role}.port.grpc']}.sock"
        Path("/", "tmp", name).unlink(missing_ok=True)


def _flags(directory: Path) -> list[str]:
    return [
        f"-dir={directory / 'data'}",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        "-master.telemetry=false",
        "-master.volumeSizeLimitMB=100",
        "-volume.max=200",
        "-filer",
        f"-filer.localSocket={directory / 'filer.sock'}",
        "-s3",
        "-s3.autoCreateBucket=false",
        f"-s3.config={directory / 'identities.json'}",
        "-s3.iam=false",
        f"-s3.localSocket={directory / 's3.sock'}",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
    ]


def _identities() -> dict[str, object]:
    everything = ["Admin", "Read", "Write", "List", "Tagging"]
    return {
        "identities": [
            _identity(CREDENTIALS, everything),
            _identity(STRANGER, ["Read:elsewhere", "Write:elsewhere", "List:elsewhere"]),
        ]
    }


def _identity(keys: dict[str, str], actions: list[str]) -> dict[str, object]:
    key, secret = keys["AWS_ACCESS_KEY_ID"], keys["AWS_SECRET_ACCESS_KEY"]
    credentials = [{"accessKey": key, "secretKey": secret}]
    return {"name": key, "credentials": credentials, "actions": actions}


def _serves(s3_port: int, master_port: int) -> bool:
    """Whether S3 listens and its master has somewhere to store a body."""
    return listens(s3_port) and _answer(master_port, "/dir/assign") == http.client.OK


def _answer(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()
