"""`tesserae serve` as a process of its own: started, killed, started again on the same port."""

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import ClientSession

SCRIPT = Path(sys.executable).parent / "tesserae"
ADDRESS = re.compile(r"https?://127\.0\.0\.1:(\d+)/")
PATIENCE_S = 30
COMMAND_PATIENCE_S = 60
FLAGS = ("--message-rate", "0", "--handshakes-per-second", "0", "--address-budget", "0")


class ServerProcess:
    """One data directory and, mostly, one process over it."""

    def __init__(self, data: Path, *flags: str) -> None:
        self.port = 0
        self._data = data
        self._flags = flags
        self._process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def launch(self) -> None:
        """Start it, on the port it had before if it ran before; does not wait for anything."""
        command = (
            *(str(SCRIPT), "serve", "--data", str(self._data), "--port", str(self.port)),
            *(*FLAGS, *self._flags),
        )
        self._process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )

    async def start(self) -> None:
        """Start it and wait until it takes placements."""
        await self.launch()
        await self.ready()

    async def ready(self) -> None:
        """Wait until it says where it listens."""
        assert self._process is not None
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            line = (await self._process.stdout.readline()).decode()
        address = ADDRESS.search(line)
        if address is None:
            code, said = await self.ended()
            raise AssertionError(f"it said {line!r} and ended with {code}: {said}")
        self.port = int(address[1])

    async def says(self, words: str) -> str:
        """Wait for a line to the operator with these words."""
        assert self._process is not None
        assert self._process.stderr is not None
        async with asyncio.timeout(PATIENCE_S):
            while line := (await self._process.stderr.readline()).decode():
                if words in line:
                    return line
        raise AssertionError(f"it ended without saying {words!r}")

    async def shows(self, sample: str) -> None:
        """Wait until its metrics have a line."""
        address = f"http://127.0.0.1:{self.port}/metrics"
        async with asyncio.timeout(PATIENCE_S), ClientSession() as http:
            while True:
                async with http.get(address) as answer:
                    if f"\n{sample}\n" in await answer.text():
                        return
                await asyncio.sleep(0.05)

    async def kill(self) -> None:
        """End it as a power cut would."""
        assert self._process is not None
        self._process.kill()
        await self.ended()

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal; what becomes of it is to be waited for with `ended`."""
        assert self._process is not None
        self._process.send_signal(number)

    async def ended(self) -> tuple[int, str]:
        """Wait for its end; the exit code and what it said to the operator.

        One that does not end in time is killed, and the test fails.
        """
        assert self._process is not None
        process, self._process = self._process, None
        try:
            async with asyncio.timeout(PATIENCE_S):
                _, said = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise
        assert process.returncode is not None
        return process.returncode, said.decode()

    async def stop(self) -> int:
        """Ask it to stop; the exit code (0 when it does not run)."""
        if self._process is None:
            return 0
        self.tell(signal.SIGTERM)
        return (await self.ended())[0]


@asynccontextmanager
async def process(data: Path, *flags: str) -> AsyncIterator[ServerProcess]:
    """A server process that takes placements, until the block ends."""
    server = ServerProcess(data, *flags)
    await server.start()
    try:
        yield server
    finally:
        assert await server.stop() == 0


async def tesserae(*words: str) -> tuple[int, str]:
    """Run a command to its end; its exit code and all that it said."""
    running = await asyncio.create_subprocess_exec(
        str(SCRIPT), *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    async with asyncio.timeout(COMMAND_PATIENCE_S):
        said, _ = await running.communicate()
    assert running.returncode is not None
    return running.returncode, said.decode()
