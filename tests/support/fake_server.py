"""A scripted Tesserae server on loopback for the client's tests: it says what the test tells it to.

`FakeGame` is a naive model of one game (lists and loops, its own encoders) and never asks the
client library how a frame looks. `FakeServer` accepts lines; a test converses over each `Peer`.
Every wait is bounded, so a conversation that goes wrong fails instead of hanging.
"""

import asyncio
import base64
import json
import struct
import zlib
from collections.abc import Awaitable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Self, TypeVar

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

PATIENCE_S = 10.0
GAME = "place#main"
CHANNEL = 7
GUEST_TOKEN = "token-of-a-guest"

_T = TypeVar("_T")


async def soon(awaitable: Awaitable[_T]) -> _T:
    """Wait, but not for ever."""
    async with asyncio.timeout(PATIENCE_S):
        return await awaitable


@dataclass
class FakeGame:
    """What the server knows: the cells, and every pixel since the beginning."""

    width: int = 7
    height: int = 3
    epoch: str = "e1"
    seq: int = 0
    generation: int = 0
    cells: list[list[int]] = field(default_factory=list)
    history: list[tuple[int, int, int]] = field(default_factory=list)
    palette: list[dict[str, str] | None] = field(
        default_factory=lambda: [{"rgb": "#000000", "name": "black"}, None]
    )

    def __post_init__(self) -> None:
        self.cells = [[15] * self.width for _ in range(self.height)]

    def place(self, x: int, y: int, color: int) -> int:
        self.cells[y][x] = color
        self.history.append((x, y, color))
        self.seq += 1
        return self.seq

    def grow_left(self, amount: int) -> dict[str, Any]:
        self.cells = [[15] * amount + row for row in self.cells]
        self.width += amount
        self.generation += 1
        self.seq += 1
        self.history.append((0, 0, 0))
        return {
            "event": "resize",
            "game": GAME,
            "seq": self.seq,
            "generation": self.generation,
            "width": self.width,
            "height": self.height,
            "offsetX": amount,
            "offsetY": 0,
            "shiftX": amount,
            "shiftY": 0,
        }

    def packed(self) -> bytes:
        flat = [color for row in self.cells for color in row]
        if len(flat) % 2:
            flat.append(15)
        return bytes(high << 4 | low for high, low in zip(flat[::2], flat[1::2], strict=True))

    def state(self, resume: str, seq: int | None = None) -> dict[str, Any]:
        return {
            "game": GAME,
            "channel": CHANNEL,
            "epoch": self.epoch,
            "seq": self.seq if seq is None else seq,
            "resume": resume,
            "generation": self.generation,
            "width": self.width,
            "height": self.height,
            "offsetX": 0,
            "offsetY": 0,
            "palette": self.palette,
            "empty": 15,
            "cooldown": {"rule": "each", "ms": 0, "leftMs": 0, "stack": 1, "maxStack": 1},
            "locked": False,
            "milestones": [],
            "watchers": 1,
        }


class Peer:
    """One line, seen from the server."""

    def __init__(self, socket: ServerConnection, game: FakeGame) -> None:
        self.socket = socket
        self.game = game
        self.binary = socket.subprotocol == "tesserae.v1"

    async def receive(self, patience_s: float | None = PATIENCE_S) -> dict[str, Any]:
        """Take the client's next message; a place frame becomes the command `place frame`."""
        async with asyncio.timeout(patience_s):
            message = await self.socket.recv()
        if isinstance(message, str):
            command: dict[str, Any] = json.loads(message)
            return command
        op, zero, channel, request, generation = struct.unpack_from("<BBHII", message)
        assert (op, zero, channel) == (0x10, 0, CHANNEL)
        records = struct.unpack(f"<{len(message) // 4 - 3}I", message[12:])
        cells = [(r & 0x1FFF, r >> 13 & 0x1FFF, r >> 26) for r in records]
        return {"do": "place frame", "request": request, "generation": generation, "cells": cells}

    async def expect(self, do: str) -> dict[str, Any]:
        """Take the next message, which is this command."""
        command = await self.receive()
        assert command["do"] == do, command
        return command

    async def send(self, event: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"event": event, **fields}))

    async def reply(self, command: dict[str, Any], **fields: Any) -> None:
        await self.socket.send(json.dumps({"re": command["id"], "ok": True, **fields}))

    async def refuse(self, command: dict[str, Any], code: str, **fields: Any) -> None:
        error = {"code": code, "message": f"that is {code}", **fields}
        await self.socket.send(json.dumps({"re": command["id"], "ok": False, "error": error}))

    async def join(self, resume: str = "snapshot", *, seq: int | None = None) -> dict[str, Any]:
        """Say hello, answer `subscribe` and send the snapshot that it asks for."""
        await self.hello()
        return await self.admit(await self.expect("subscribe"), resume, seq=seq)

    async def hello(self, ping_ms: int = 20_000) -> None:
        await self.send("hello", protocol=1, server="fake", connection="c", time=0, pingMs=ping_ms)

    async def admit(
        self, subscribe: dict[str, Any], resume: str = "snapshot", *, seq: int | None = None
    ) -> dict[str, Any]:
        you = {"id": "g_1", "name": "Guest", "roles": ["player"], "anonymous": False}
        you["token"] = GUEST_TOKEN
        await self.reply(subscribe, you=you, games=[self.game.state(resume, seq)])
        if resume == "snapshot":
            await self.snapshot()
        return subscribe

    async def snapshot(self, *, bands: int = 2) -> None:
        game = self.game
        await self.snapshot_head(bands=bands)
        step = max(2, game.height // bands // 2 * 2)
        for row in range(0, game.height, step):
            await self.band(row, min(step, game.height - row))

    async def snapshot_head(self, **where: Any) -> None:
        game = self.game
        await self.send(
            "snapshot",
            game=GAME,
            epoch=game.epoch,
            seq=game.seq,
            generation=game.generation,
            width=game.width,
            height=game.height,
            bytes=len(game.packed()),
            **where,
        )

    async def band(self, row: int, rows: int) -> None:
        game = self.game
        start = row * game.width // 2
        data = game.packed()[start : start + (rows * game.width + 1) // 2]
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        payload = deflate.compress(data) + deflate.flush()
        if self.binary:
            head = struct.pack("<BBHIQII", 2, 1, CHANNEL, game.generation, game.seq, row, rows)
            await self.socket.send(head + payload)
        else:
            await self.send(
                "band",
                game=GAME,
                generation=game.generation,
                seq=game.seq,
                firstRow=row,
                rows=rows,
                encoding="deflate-raw",
                data=base64.b64encode(payload).decode(),
            )

    async def pixels(self, first: int, last: int) -> None:
        """Tell the pixels of seq first…last as a plain frame."""
        await self.frame(first, last, self.game.history[first - 1 : last])

    async def frame(
        self, first: int, last: int, cells: list[tuple[int, int, int]], *, conflated: bool = False
    ) -> None:
        if self.binary:
            head = struct.pack(
                "<BBHIQQ", 1, int(conflated), CHANNEL, self.game.generation, first, last
            )
            records = [x | y << 13 | color << 26 for x, y, color in cells]
            await self.socket.send(head + struct.pack(f"<{len(cells)}I", *records))
        else:
            extra = {"conflated": True} if conflated else {}
            span = {"first": first, "last": last, "pixels": cells, **extra}
            await self.send("pixels", game=GAME, generation=self.game.generation, **span)

    async def place(self, x: int, y: int, color: int) -> int:
        """Place a pixel and tell it at once."""
        seq = self.game.place(x, y, color)
        await self.pixels(seq, seq)
        return seq

    async def ack(
        self,
        command: dict[str, Any],
        seq: int,
        cell: tuple[int, int, int],
        *,
        status: int = 0,
        index: int = 0,
        left_ms: int = 0,
    ) -> None:
        """Answer one record of a place frame, or a JSON placement (accepted ones only)."""
        x, y, color = cell
        if command["do"] == "place frame":
            record = x | y << 13 | color << 26
            head = (0x11, status, CHANNEL, command["request"], seq, record, index, 0)
            await self.socket.send(struct.pack("<BBHIQIHHQ", *head, left_ms))
        else:
            where = {"game": GAME, "seq": seq, "x": x, "y": y, "color": color, "generation": 0}
            await self.reply(command, **where, cooldownLeftMs=left_ms, stackLeft=0)

    async def checksum(self, command: dict[str, Any]) -> None:
        crc32 = zlib.crc32(self.game.packed())
        await self.reply(command, seq=self.game.seq, crc32=crc32)

    def cut(self) -> None:
        """Drop the line without a word."""
        self.socket.transport.abort()

    async def goodbye(self, code: int, **fields: Any) -> None:
        """Close as a server does: say `closing`, then close."""
        await self.send("closing", code=code, reason=f"because of {code}", **fields)
        await self.socket.close(code)


class FakeServer:
    """Accepts lines; `refusals` are HTTP answers for the next handshakes."""

    def __init__(self, game: FakeGame | None = None) -> None:
        self.game = game or FakeGame()
        self.refusals: list[tuple[int, dict[str, str]]] = []
        self._lines: asyncio.Queue[Peer] = asyncio.Queue()
        self._server: Server | None = None

    async def __aenter__(self) -> Self:
        names = [Subprotocol("tesserae.v1"), Subprotocol("tesserae.v1.json")]
        self._server = await serve(
            self._handle,
            "127.0.0.1",
            0,
            subprotocols=names,
            compression=None,
            ping_interval=None,
            process_request=self._admit,
            close_timeout=0.1,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        await soon(self._server.wait_closed())

    @property
    def url(self) -> str:
        assert self._server is not None
        port = next(iter(self._server.sockets)).getsockname()[1]
        return f"ws://127.0.0.1:{port}/ws"

    async def line(self) -> Peer:
        """Return the next line that a client opened."""
        return await soon(self._lines.get())

    async def next_line(self) -> Peer:
        """Return it, however long that takes."""
        return await self._lines.get()

    async def _handle(self, socket: ServerConnection) -> None:
        await self._lines.put(Peer(socket, self.game))
        await socket.wait_closed()

    def _admit(self, socket: ServerConnection, _request: Request) -> Response | None:
        if not self.refusals:
            return None
        status, headers = self.refusals.pop(0)
        response = socket.respond(HTTPStatus(status), "refused\n")
        response.headers.update(Headers(headers))
        return response
