"""Run the browser client's unit tests in Node's own runner, where there is a Node."""

import subprocess
from pathlib import Path

from tests.support.node import node_command

HERE = Path(__file__).parent


def test_client_modules_in_node() -> None:
    files = sorted(str(path) for path in HERE.glob("*.test.mjs"))
    command = [node_command()[0], "--test", *files]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
