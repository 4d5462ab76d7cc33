"""The Node.js of this machine, where there is one: how tests find it, and how they call it."""

import shutil
import subprocess

import pytest

LEAST_MAJOR = 20
OWN_WEBSOCKET_MAJOR = 22
"""Before it, Node.js has a WebSocket only when a flag asks for it."""


def node_command() -> list[str]:
    """How to start Node.js with a WebSocket; skips the test where there is none."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js here: what runs on it was not tested")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    major = int(version.lstrip("v").split(".")[0])
    if major < LEAST_MAJOR:
        pytest.skip(f"Node.js {version.strip()} is too old for the client; {LEAST_MAJOR} or newer")
    flags = [] if major >= OWN_WEBSOCKET_MAJOR else ["--experimental-websocket", "--no-warnings"]
    return [node, *flags]
