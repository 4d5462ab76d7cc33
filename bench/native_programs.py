"""The C programs beside which the server is measured, built when they are needed.

Owns the compiler's call and what the programs say: the reference server, and the load client that
both servers get. They are pinned to cores: the servers to one, the load to another.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.serving import Server

SOURCES = Path(__file__).parent / "native"
BUILT = SOURCES / "build"
PROGRAMS = {
    "reference": ("reference.c", "ws.c"),
    "load": ("load.c", "options.c", "samples.c", "tally.c", "ws.c"),
}
FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror")
SERVER_CORE, LOAD_CORE = 0, 1
Measured = tuple[int, psutil.Process]
"""A server: its port, and its process."""


class NoCompiler(Exception):  # noqa: N818 - it says what is missing
    """There is no C compiler here; what is measured beside C cannot be."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the load client said, and the server's CPU seconds at the begin and the end of it."""

    joined: dict[str, Any]
    resumed: dict[str, Any] | None
    """Of those who were cut; None when nobody was."""
    end: dict[str, Any]
    cpu: float


def program(name: str) -> str:
    """Return the path of a program, compiled anew when a source is newer."""
    made = BUILT / name
    sources = [SOURCES / source for source in PROGRAMS[name]]
    newest = max(path.stat().st_mtime for path in SOURCES.glob("*.[ch]"))
    if not made.exists() or made.stat().st_mtime < newest:
        compiler = shutil.which("cc")
        if compiler is None:
            raise NoCompiler("install a C compiler (cc) to measure beside the C programs")
        BUILT.mkdir(exist_ok=True)
        subprocess.run([compiler, *FLAGS, "-o", str(made), *map(str, sources)], check=True)
    return str(made)


@contextmanager
def reference() -> Iterator[Measured]:
    """Run the reference server."""
    process = subprocess.Popen([program("reference")], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().split()[1])
        pin(process.pid, SERVER_CORE)
        yield port, psutil.Process(process.pid)
    finally:
        process.kill()
        process.wait()


def pin(pid: int, core: int) -> None:
    """Keep all threads of a process on one core, where there is more than one."""
    if (os.cpu_count() or 1) > 1:
        for thread in psutil.Process(pid).threads():
            os.sched_setaffinity(thread.id, {core})


def pinned(server: Server) -> Measured:
    """Pin a server as the reference is."""
    pin(server.process.pid, SERVER_CORE)
    return server.port, server.stats


def load(port: int, process: psutil.Process, **options: float | str) -> Told:
    """Run the load client against a server of this machine, with the options of options.h."""
    words = [f"{name}={value}" for name, value in options.items()]
    client = subprocess.Popen(
        [program("load"), f"port={port}", *words], stdout=subprocess.PIPE, text=True
    )
    pin(client.pid, LOAD_CORE)
    assert client.stdout is not None
    told: dict[str, Any] = {}
    cpu: dict[str, float] = {}
    for line in client.stdout:
        what, _, values = line.strip().partition(" ")
        times = process.cpu_times()
        cpu[what] = times.user + times.system
        told[what] = json.loads(values) if values else None
    assert client.wait() == 0, "the load client failed; see above"
    return Told(told["joined"], told.get("resumed"), told["end"], cpu["end"] - cpu["begin"])
