"""The blobs of base pictures: their keys, metadata and content.

Owns the form in which cells are kept and sent: one byte a cell, row by row, 255 where the board
keeps its own, deflated (zlib's form). Reads no more than a picture has, whatever the bytes claim.
Called by the command that imports one and by recovery; takes up to a second for a large picture.
"""

import hashlib
import zlib
from dataclasses import dataclass

import numpy as np

from canvas.packing import Cells
from persistence.errors import StoreDamaged
from persistence.ports import Blob
from server.deflate import ZLIB, deflate
from server.game.names import blob_folder

NAME_CHARS = 32
"""Of a SHA-256 in hexadecimal: the same picture has the same name, so that a retry leaves one."""


@dataclass(frozen=True, slots=True)
class BasePicture:
    """A picture's cells of shape (height, width), and the same as they are kept."""

    cells: Cells
    deflated: bytes
    crc32: int
    """Of the cells, one byte each."""
    name: str

    @classmethod
    def of(cls, cells: Cells) -> "BasePicture":
        """Deflate cells."""
        raw = np.ascontiguousarray(cells).data
        return cls(cells, deflate(raw, ZLIB), *_marks(cells))

    @classmethod
    def read(cls, deflated: bytes, width: int, height: int) -> "BasePicture":
        """Inflate cells. Raises ValueError unless they are exactly width x height."""
        cells = inflate(deflated, width, height)
        return cls(cells, deflated, *_marks(cells))

    def key(self, game: str) -> str:
        """Key of its blob."""
        return f"{blob_folder(game)}/base/{self.name}.bin"

    def to_blob(self) -> Blob:
        """Make the blob, which tells what is in it."""
        height, width = self.cells.shape
        metadata = {"width": width, "height": height, "crc32": self.crc32, "encoding": "deflate"}
        return Blob(self.deflated, {name: str(value) for name, value in metadata.items()})


def _marks(cells: Cells) -> tuple[int, str]:
    """Tell the CRC-32 and the name of a picture, which is of its shape too."""
    raw = np.ascontiguousarray(cells).data
    digest = hashlib.sha256(f"{cells.shape[1]}x{cells.shape[0]}:".encode())
    digest.update(raw)
    return zlib.crc32(raw), digest.hexdigest()[:NAME_CHARS]


def inflate(deflated: bytes, width: int, height: int) -> Cells:
    """Inflate cells of shape (height, width); never more. Raises ValueError for other bytes."""
    size = width * height
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(deflated, size + 1)
    except zlib.error as error:
        raise ValueError(f"the cells are not deflated in zlib's form: {error}") from error
    if len(raw) != size or not inflater.eof or inflater.unused_data:
        raise ValueError(f"the cells are not exactly {size} bytes, which {width} x {height} has")
    return np.frombuffer(raw, np.uint8).reshape(height, width)


def read_blob(key: str, blob: Blob | None, width: int, height: int, crc32: int) -> Cells:
    """Read the cells of a stored picture. Raises StoreDamaged naming the blob and the remedy."""
    if blob is None:
        raise damaged(key, "is missing")
    try:
        cells = inflate(blob.data, width, height)
    except ValueError as error:
        raise damaged(key, f"is damaged: {error}") from error
    if zlib.crc32(cells.data) != crc32:
        raise damaged(key, "does not have the crc32 that history tells of it")
    return cells


def damaged(key: str, how: str) -> StoreDamaged:
    """Make the fault of a base picture that history needs and nothing else has."""
    hint = (
        f"put the blob {key} back from a backup; nothing was changed, and `tesserae store check`"
        " tells whether more is damaged"
    )
    return StoreDamaged(f"the base picture {key} {how}", hint)
