"""A relay between clients and a server: it counts, stands still and cuts, as networks do."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

CHUNK = 65_536


class Relay:
    """Passes bytes on, both ways. `now_ms` is the clock by which silence is told."""

    def __init__(self, target_port: int, now_ms: Callable[[], int] = lambda: 0) -> None:
        self.to_client_bytes = 0
        self.connections = 0
        self.longest_silence_ms = 0
        self._target_port = target_port
        self._now_ms = now_ms
        self._last_ms = now_ms()
        self._passes = asyncio.Event()
        self._passes.set()
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/ws"

    def lead_to(self, port: int) -> None:
        """Let connections from now on go to another server."""
        self._target_port = port

    def stall(self) -> None:
        """Let nothing more through to clients; what they send still passes."""
        self._passes.clear()

    def flow(self) -> None:
        """Undo `stall`."""
        self._passes.set()

    def cut(self) -> None:
        """Drop every connection without a word."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        self.flow()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            writer.transport.abort()
            return
        self.connections += 1
        self._writers += [writer, to_server]
        self._spawn(self._pump(reader, to_server, None))
        self._spawn(self._pump(from_server, writer, self._passes))

    def _spawn(self, pump: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(pump)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        passes: asyncio.Event | None,
    ) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(CHUNK):
                self._note_sound()
                if passes is not None:
                    await passes.wait()
                    self.to_client_bytes += len(data)
                if writer.is_closing():
                    return  # cut meanwhile
                writer.write(data)
                await writer.drain()
        writer.close()

    def _note_sound(self) -> None:
        now_ms = self._now_ms()
        self.longest_silence_ms = max(self.longest_silence_ms, now_ms - self._last_ms)
        self._last_ms = now_ms


@asynccontextmanager
async def relaying(target_port: int, now_ms: Callable[[], int] = lambda: 0) -> AsyncIterator[Relay]:
    """Relay until the block ends."""
    relay = Relay(target_port, now_ms)
    await relay.start()
    try:
        yield relay
    finally:
        await relay.stop()
