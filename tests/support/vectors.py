"""The protocol vectors: reading and writing their files, and binary frames without our codecs.

The bytes of a frame are built here from its fields by `struct` alone, so that a vector never says
what one of our own encoders happens to do. Called by the tests of the server and of the client
library, and by the command that writes the files.
"""

import base64
import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.source import ROOT

FOLDER = ROOT / "docs" / "reference" / "vectors"
FILES = ("frames", "packing", "events", "commands", "conversations")
NEVER = 2**64 - 1
"""How `leftMs: null` is told in an ack."""
WIDTH = 120
CONFLATED, DEFLATED = 1, 1

STEPS = frozenset(
    (
        "connect",
        "cut",
        "dropped",
        "closed",
        "toClient",
        "fromClient",
        "meanwhile",
        "state",
        "settled",
    )
)

Json = dict[str, Any]
Cell = Sequence[int]


def load(name: str) -> Json:
    """One file of vectors."""
    vectors: Json = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return vectors


def items(name: str, key: str | None = None) -> list[Json]:
    """The vectors of a file; each has a name."""
    found: list[Json] = load(name)[key or name]
    return found


def save(name: str, vectors: Json) -> None:
    """Write a file as people like to read it."""
    (FOLDER / f"{name}.json").write_text(pretty(vectors) + "\n", encoding="utf-8")


def compact(value: Any) -> str:
    """JSON as the server writes it: in the order given, without whitespace."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pretty(value: Any, depth: int = 0, *, one_line: bool = False) -> str:
    """JSON with everything on one line that fits on one; a step of a conversation always does."""
    line = json.dumps(value, ensure_ascii=False)
    fits = not isinstance(value, dict | list) or not value or len(line) + 2 * depth <= WIDTH
    if one_line or fits:
        return line
    inner, margin = "  " * (depth + 1), "  " * depth
    rows = (f"{inner}{row}" for row in _rows(value, depth + 1))
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    return f"{opening}\n" + ",\n".join(rows) + f"\n{margin}{closing}"


def _rows(value: Json | list[Any], depth: int) -> Iterator[str]:
    if isinstance(value, dict):
        for key, entry in value.items():
            yield f"{json.dumps(key)}: {pretty(entry, depth)}"
    else:
        for entry in value:
            is_step = isinstance(entry, dict) and not STEPS.isdisjoint(entry)
            yield pretty(entry, depth, one_line=is_step)


def record(cell: Cell) -> int:
    """Pack one cell (x, y, color)."""
    x, y, color = cell
    return x | y << 13 | color << 26


def cell(packed: int) -> list[int]:
    """Split a record into x, y, color."""
    return [packed & 0x1FFF, packed >> 13 & 0x1FFF, packed >> 26]


def records(cells: Sequence[Cell]) -> bytes:
    """Pack cells, four bytes each."""
    return struct.pack(f"<{len(cells)}I", *map(record, cells))


def from_base64(text: str) -> bytes:
    """Decode base64 that has no stray character."""
    return base64.b64decode(text, validate=True)


def unpacked_bands(bands: Sequence[Json]) -> list[bytes]:
    """The packed bytes of each band, inflated."""
    return [unpacked(band["encoding"], bytes.fromhex(band["payload"])) for band in bands]


def unpacked(encoding: str, payload: bytes) -> bytes:
    """The packed bytes of a band."""
    return payload if encoding == "raw" else zlib.decompress(payload, -zlib.MAX_WBITS)


def frame_bytes(fields: Json) -> bytes:
    """The payload of a binary frame with these fields."""
    return _FRAMES[fields["kind"]](fields)


def _pixels(f: Json) -> bytes:
    flags = CONFLATED if f["conflated"] else 0
    head = (0x01, flags, f["channel"], f["generation"], f["first"], f["last"])
    return struct.pack("<BBHIQQ", *head) + records(f["cells"])


def _band(f: Json) -> bytes:
    encoding = {"raw": 0, "deflate-raw": DEFLATED}[f["encoding"]]
    rows = (f["seq"], f["firstRow"], f["rows"])
    head = struct.pack("<BBHIQII", 0x02, encoding, f["channel"], f["generation"], *rows)
    return head + bytes.fromhex(f["payload"])


def _place(f: Json) -> bytes:
    head = (0x10, 0, f["channel"], f["request"], f["generation"])
    return struct.pack("<BBHII", *head) + records(f["cells"])


def _ack(f: Json) -> bytes:
    left_ms = NEVER if f["leftMs"] is None else f["leftMs"]
    head = (0x11, f["status"], f["channel"], f["request"], f["seq"], record(f["cell"]))
    return struct.pack("<BBHIQIHHQ", *head, f["index"], f["stackLeft"], left_ms)


_FRAMES = {"pixels": _pixels, "band": _band, "place": _place, "ack": _ack}
