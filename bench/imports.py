"""Import time of what a person waits for, beyond the interpreter's own start; best of five."""

import subprocess
import sys
import time

from bench.results import Result, Row
from bench.serving import environment

NAMES = ("server.cli.main", "server.app", "persistence.aws.store", "tesserae_client", "canvas.head")
"""The AWS store is imported by nobody who does not choose it."""


def run() -> Result:
    """Measure fresh interpreters."""
    bare = _seconds("pass")
    rows = [
        Row(f"import {name}", 1000 * (_seconds(f"import {name}") - bare), "ms") for name in NAMES
    ]
    return Result("imports", rows, f"beyond a bare interpreter, which takes {1000 * bare:.0f} ms")


def _seconds(code: str) -> float:
    def once() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env=environment())
        return time.perf_counter() - started

    once()
    return min(once() for _ in range(5))
