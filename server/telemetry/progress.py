"""What the person at the terminal sees of a start: a progress bar, then the address to open.

Owns the only lines that go to standard output. No bar where there is no terminal: the log has the
outcome. Called by lifecycle.py.
"""

import ipaddress
import socket
import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

ANY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104  # compared with, not bound


_HISTORY = "Reading history"
_BANS = "Reading bans"


class RecoveryProgress:
    """A bar of bans or of history items read; drawn only on a terminal, gone when done."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task(_HISTORY, total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def advance(self, done: int, total: int) -> None:
        """Show that so many items of so many are read."""
        self._progress.update(
            self._task, description=_HISTORY, completed=done, total=max(total, done)
        )

    def bans(self, done: int) -> None:
        """Show that so many bans are read; nobody knows of how many."""
        self._progress.update(self._task, description=_BANS, completed=done, total=None)


def announce(host: str, port: int, *, tls: bool) -> None:
    """Print the address to open in a browser."""
    address = f"{'https' if tls else 'http'}://{_shown(host)}:{port}/"
    sys.stdout.write(f"Tesserae is ready. Open {address} (Ctrl+C stops it)\n")
    sys.stdout.flush()


def own_url(host: str, port: int, *, tls: bool, from_afar: bool = False) -> str:
    """Where a process of this machine reaches the server, or one `from_afar`."""
    if from_afar and host in ANY_ADDRESS:
        host = socket.gethostname()
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  # compared with
    return f"{'https' if tls else 'http'}://{_shown(host)}:{port}"


def _shown(host: str) -> str:
    if host in ANY_ADDRESS:
        return "localhost"
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host  # noqa: PLR2004
    except ValueError:
        return host
