"""`tesserae serve` as a child process on loopback: started, killed and started again."""

import re
import signal
import subprocess
import sys
from pathlib import Path

READY = re.compile(r"http://[^ ]+/")
STOP_SECONDS = 30
SCRIPT = str(Path(sys.executable).parent / "tesserae")


class Server:
    """One data directory and, mostly, one process over it."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self.url = ""
        self.cooldown_ms = 30_000
        self.more_flags: tuple[str, ...] = ()

    def start(self) -> None:
        """Start, on the same port as before, and wait until placements are taken."""
        flags = ("--host", "127.0.0.1", "--size", "480x300")
        self._process = subprocess.Popen(
            [
                *(SCRIPT, "serve", "--data", str(self._data), "--port", str(self._port)),
                *(*flags, "--cooldown-ms", str(self.cooldown_ms)),
                *self.more_flags,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        ready = READY.search(self._process.stdout.readline())
        assert ready is not None, "the server did not say where it listens"
        self.url = ready.group()
        self._port = int(self.url.rstrip("/").rpartition(":")[2])

    def restart(self, *more_flags: str) -> None:
        """Stop, and start with these flags too."""
        self.stop()
        self.more_flags = more_flags
        self.start()

    def token(self, sub: str, name: str) -> str:
        """Issue a token, as an organiser does."""
        command = [SCRIPT, "token", "--data", str(self._data), "--sub", sub, "--name", name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def import_picture(self, picture: Path, *flags: str) -> None:
        """Lay a picture over the board, as an organiser does while people play."""
        command = [SCRIPT, "canvas", "import", str(picture), "--data", str(self._data), "--yes"]
        subprocess.run([*command, *flags], capture_output=True, text=True, check=True)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to stop, if it runs."""
        if self._process is not None:
            self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        process, self._process = self._process, None
        process.send_signal(how)
        process.wait(STOP_SECONDS)
        assert process.stdout is not None
        process.stdout.close()
