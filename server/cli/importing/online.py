"""An import through a running server, by its HTTP API.

Owns the requests and what becomes of their answers. Called by `tesserae canvas import`, for the
server that holds a data directory and for one that is named by its address; blocks while it waits.
"""

import http.client
import json
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from canvas.board import Board
from canvas.geometry import Geometry
from canvas.palette import Palette
from pictures.picture import Progress
from server.cli.importing.plan import Plan, Target, Unsuitable
from server.cli.server_address import target_of
from server.game.base_blob import BasePicture

TIMEOUT_S = 60.0
MAX_ANSWER_BYTES = 40_000_000
"""A board of 8000 x 8000 is 32 MB."""
CHUNK_BYTES = 256 * 1024
CREATED = 201
OK = 200


class ServerError(Exception):
    """A server did not do what it was asked for; `hint` tells what helps."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


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
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        answer = self._ask("POST", path, headers, _chunks(body, progress), CREATED)
        try:
            return int(json.loads(answer)["seq"])
        except (LookupError, TypeError, ValueError) as error:
            raise ServerError(f"{self.url} answers nonsense", "look at the board there") from error

    def _get(self, path: str) -> bytes:
        return self._ask("GET", path, {"Accept-Encoding": "identity"}, None, OK)

    def _ask(
        self, method: str, path: str, headers: dict[str, str], body: Any, expected: int
    ) -> bytes:
        server = target_of(self.url, is_own=self.is_own)
        connection = server.connection(TIMEOUT_S)
        try:
            sent = {**headers, "Authorization": f"Bearer {self.token}"}
            with suppress(BrokenPipeError, ConnectionResetError):  # it may have answered already
                connection.request(method, server.prefix + path, body, sent)
            response = connection.getresponse()
            content = response.read(MAX_ANSWER_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise ServerError(
                f"{self.url} does not answer: {error}",
                "see whether the server runs and can be reached, then look at the board before"
                " you try again",
            ) from error
        finally:
            connection.close()
        if response.status != expected:
            raise self._refusal(response.status, content)
        return content

    def _refusal(self, status: int, content: bytes) -> Exception:
        try:
            problem = json.loads(content)
            detail = str(problem["detail"])
        except (ValueError, KeyError, TypeError):
            return ServerError(f"{self.url} answers {status}", "is it a Tesserae server?")
        if status in {http.client.UNAUTHORIZED, http.client.FORBIDDEN}:
            hint = "give the token of an admin: tesserae token --role admin --sub ID --name NAME"
            return ServerError(f"{self.url} refuses: {detail}", hint)
        return Unsuitable(detail)


def _chunks(body: bytes, progress: Progress) -> Iterator[bytes]:
    for start in range(0, len(body), CHUNK_BYTES):
        yield body[start : start + CHUNK_BYTES]
        progress(min(1.0, (start + CHUNK_BYTES) / len(body)))
