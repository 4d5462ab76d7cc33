"""Run the browser client's unit tests in Node's own runner, where there is a Node."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LEAST_NODE = 20


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js here: the browser client's unit tests were not run")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").split(".")[0]) < LEAST_NODE:
        pytest.skip(f"Node.js {version.strip()} is too old for these tests; {LEAST_NODE} or newer")
    return node


def test_client_modules_in_node() -> None:
    files = sorted(str(path) for path in HERE.glob("*.test.mjs"))
    run = subprocess.run(
        [_node(), "--test", *files], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stdout + run.stderr
