"""An import through a running server, by its HTTP API.

Owns the requests and what becomes of their answers. Called by `tesserae canvas import`, for the
server that holds a data directory and for one that is named by its address; blocks while it waits.
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from canvas.board import Board
from canvas.geometry import Geometry
from canvas.palette import Palette
from pictures.picture import Progress
from server.cli.importing.plan import Plan, Target, Unsuitable
from server.cli.remote import Declined, RemoteServer, ServerError
from server.game.base_blob import BasePicture

CHUNK_BYTES = 256 * 1024
CREATED = 201
OK = 200


@dataclass(frozen=True, slots=True)
class Remote:
    """A server, and the token of an operator there."""

    url: str
    """`http://host:port`, perhaps with the path that a proxy serves it below."""
    token: str = field(repr=False)
    is_own: bool = False
    """Our own server, which need not prove its name to us."""

    def target(self, game: str) -> Target:
        """Fetch a game as it is published. Raises Unsuitable and ServerError."""
        path = f"/api/games/{quote(game, safe='')}"
        text, packed = self._get(path), self._get(f"{path}/canvas.bin")
        try:
            state = json.loads(text)
            geometry = Geometry(
                state["width"],
                state["height"],
                state["offsetX"],
                state["offsetY"],
                state["generation"],
            )
            board = Board.from_packed(geometry.width, geometry.height, packed)
            palette = Palette.from_json(state["palette"], state["empty"])
            epoch = str(state["epoch"])
        except (LookupError, TypeError, ValueError) as error:
            raise ServerError(
                f"{self.url} is no server that can be imported into: {error}"
            ) from error
        return Target(game, board, geometry, palette, epoch)

    def carry_out(self, plan: Plan, picture: BasePicture, progress: Progress) -> int:
        """Lay the picture; returns its seq. Raises Unsuitable and ServerError."""
        height, width = picture.cells.shape
        fields = {
            "x": plan.x,
            "y": plan.y,
            "generation": plan.target.geometry.generation,
            "width": width,
            "height": height,
            "cells": b64encode(picture.deflated).decode(),
            "palette": plan.palette.to_json(),
        }
        body = json.dumps(fields).encode()
        path = f"/api/games/{quote(plan.target.game, safe='')}/base"
        answer = self._ask(
            "POST",
            path,
            CREATED,
            _chunks(body, progress),
            Content_Type="application/json",
            Content_Length=str(len(body)),
        )
        try:
            return int(json.loads(answer)["seq"])
        except (LookupError, TypeError, ValueError) as error:
            raise ServerError(f"{self.url} answers nonsense", "look at the board there") from error

    def _get(self, path: str) -> bytes:
        return self._ask("GET", path, OK, Accept_Encoding="identity")

    def _ask(
        self, method: str, path: str, expected: int, body: Any = None, **headers: str
    ) -> bytes:
        server = RemoteServer(self.url, self.token, is_own=self.is_own)
        try:
            return server.ask(method, path, expected, body, **headers)
        except Declined as declined:
            raise Unsuitable(str(declined)) from declined


def _chunks(body: bytes, progress: Progress) -> Iterator[bytes]:
    for start in range(0, len(body), CHUNK_BYTES):
        yield body[start : start + CHUNK_BYTES]
        progress(min(1.0, (start + CHUNK_BYTES) / len(body)))
