"""What starting costs, as facts rather than times: heavy libraries are loaded only when used."""

import json
import subprocess
import sys

import pytest

from tests.support.source import ROOT

AWS = {"aioboto3", "aiobotocore", "boto3", "botocore"}
SERVING = {"numpy", "aiohttp", "websockets", "uvloop", "sqlite3", "prometheus_client"}

AFTER_COMMAND = """
import json, sys
from server.cli.main import main
assert main(json.loads(sys.argv[1])) == 0
print(json.dumps(list(sys.modules)), file=sys.stderr)
"""
AFTER_IMPORT = """
import importlib, json, sys
importlib.import_module(json.loads(sys.argv[1]))
print(json.dumps(list(sys.modules)), file=sys.stderr)
"""


def loaded_after(script: str, argument: object) -> set[str]:
    """Top-level names of all modules that a fresh interpreter has loaded after the script."""
    finished = subprocess.run(
        [sys.executable, "-c", script, json.dumps(argument)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return {name.partition(".")[0] for name in json.loads(finished.stderr.splitlines()[-1])}


@pytest.mark.parametrize("command", [["--help"], ["--version"], ["serve", "--help"]], ids=" ".join)
def test_asking_for_help_loads_nothing_that_serves(command: list[str]) -> None:
    assert loaded_after(AFTER_COMMAND, command) & (AWS | SERVING) == set()


OPENED = """
import asyncio, json, sys, tempfile
from pathlib import Path
from server.clock import SystemClock
from server.config import Settings
from server.openers import open_store
async def opened():
    with tempfile.TemporaryDirectory() as data:
        async with open_store(Settings(data=Path(data)), SystemClock(), None) as store:
            await store.lease.acquire()
asyncio.run(opened())
print(json.dumps(list(sys.modules)), file=sys.stderr)
"""


def test_the_embedded_store_opens_without_the_aws_libraries() -> None:
    loaded = loaded_after(OPENED, None)
    assert "sqlite3" in loaded
    assert loaded & {*AWS, "aiohttp"} == set()


@pytest.mark.parametrize(
    "module", ["server.app", "persistence.embedded.store", "persistence.aws.policy", "bots.cli"]
)
def test_the_aws_libraries_wait_until_they_are_chosen(module: str) -> None:
    assert loaded_after(AFTER_IMPORT, module) & AWS == set()


def test_a_server_loads_no_picture_library_before_it_draws() -> None:
    assert "PIL" not in loaded_after(AFTER_IMPORT, "server.app")


def test_the_pure_core_needs_numpy_alone() -> None:
    """Of all that is installed, `canvas` may load numpy and nothing else."""
    of_the_installation = {"sitecustomize", "usercustomize"}
    known = set(sys.stdlib_module_names) | {"canvas", "numpy", "__main__"} | of_the_installation
    loaded = loaded_after(AFTER_IMPORT, "canvas.head")
    assert {name for name in loaded - known if not name.startswith("_")} == set()
