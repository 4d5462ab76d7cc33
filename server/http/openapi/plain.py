"""The routes that are no commands, as the OpenAPI document tells them: boards, pictures, health.

Owns one table of them, which a test holds against the application's routes. Called by document.py.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from canvas.geometry import MAX_SIDE
from pictures.limits import MAX_SCALE
from server.commands.area import CORNERS
from server.http import health
from server.http.boards import canvas_bin, canvas_png, preview
from server.http.reading import SCALE

PATH = "/api/openapi.json"
"""Of the document itself."""
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
STATUS = {"type": "object", "required": ["status"], "properties": {"status": TEXT, "stage": TEXT}}
DOCUMENT = {"type": "object", "description": "An OpenAPI 3.1 document."}

_SIDE = {"type": "integer", "minimum": 0, "maximum": MAX_SIDE - 1}
_WORDS = {
    "x1": "Left column of a part of the board; all four corners or none, both ends included.",
    "y1": "Top row.",
    "x2": "Right column.",
    "y2": "Bottom row.",
}
_CORNERS = {name: {"schema": _SIDE, "description": _WORDS[name]} for name in CORNERS}
_SCALE = {
    "schema": {"type": "integer", "minimum": 1, "maximum": MAX_SCALE, "default": 1},
    "description": "How many pixels wide and high a cell is; less for large boards.",
}
_BOARD_HEADERS: dict[str, dict[str, Any]] = {
    canvas_bin.EPOCH: TEXT,
    canvas_bin.SEQ: COUNT,
    canvas_bin.GENERATION: COUNT,
    canvas_bin.WIDTH: COUNT,
    canvas_bin.HEIGHT: COUNT,
}


class Plain(NamedTuple):
    """A GET route that is no command."""

    path: str
    name: str
    summary: str
    media_type: str
    schema: Mapping[str, Any] = MappingProxyType({})
    """Of a JSON body; empty: bytes."""
    parameters: Mapping[str, dict[str, Any]] = MappingProxyType({})
    headers: Mapping[str, dict[str, Any]] = MappingProxyType({})
    etag: bool = False
    """Whether `If-None-Match` is answered with 304."""
    tag: str = "boards"


ROUTES = (
    Plain(
        canvas_bin.PATH,
        "canvasBin",
        "Fetch the packed board, or a part of it repacked; two cells a byte",
        canvas_bin.BINARY_TYPE,
        parameters=_CORNERS,
        headers=_BOARD_HEADERS,
        etag=True,
    ),
    Plain(
        canvas_png.PATH,
        "canvasPng",
        "Fetch the board, or a part of it, as a picture",
        "image/png",
        parameters={**_CORNERS, SCALE: _SCALE},
        etag=True,
    ),
    Plain(
        preview.PATH,
        "preview",
        "Fetch the picture for link previews, at most a minute old",
        "image/png",
        etag=True,
    ),
    Plain(
        PATH,
        "openapi",
        "Fetch this document",
        "application/json",
        DOCUMENT,
        tag="server",
    ),
    Plain(
        health.HEALTHZ,
        "healthz",
        "Ask whether the process lives",
        "application/json",
        STATUS,
        tag="server",
    ),
    Plain(
        health.READYZ,
        "readyz",
        "Ask whether the board is there and placements are taken",
        "application/json",
        STATUS,
        tag="server",
    ),
)
