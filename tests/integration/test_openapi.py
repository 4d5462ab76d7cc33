"""Schemathesis tries the API as its document describes it, at a real server."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from tests.support.processes import ServerProcess

pytestmark = pytest.mark.integration

SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_headers_conformance", "response_schema_conformance"),
    *("unsupported_method", "negative_data_rejection"),
)
OPTIONS = (
    *("--generation-deterministic", "--max-examples", "5", "--no-color"),
    *("--phases", "examples,coverage,fuzzing", "--checks", ",".join(CHECKS)),
)
NO_LIMITS = ("--http-rate", "0", "--guests-per-address", "0", "--cooldown-ms", "0")
LONGEST_S = 120


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    server = ServerProcess(tmp_path / "data", *NO_LIMITS)
    await server.start()
    yield server
    await server.stop()


@pytest.mark.parametrize("role", ["player", "admin", None])
async def test_the_api_does_what_its_document_says(
    server: ServerProcess, tmp_path: Path, role: str | None
) -> None:
    base = f"http://127.0.0.1:{server.port}"
    command = [str(SCHEMATHESIS), "run", f"{base}/api/openapi.json", "--url", base, *OPTIONS]
    if role is not None:
        command += ["--header", f"Authorization: Bearer {await _token(tmp_path, role)}"]
    finished = await _run(command, tmp_path)
    assert finished.returncode == 0, finished.stdout + finished.stderr


async def _token(folder: Path, role: str) -> str:
    command = [str(SCHEMATHESIS.with_name("tesserae")), "token", "--data", "data"]
    finished = await _run([*command, "--sub", "ada", "--name", "Ada", "--role", role], folder)
    return finished.stdout.strip()


async def _run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        subprocess.run,
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
