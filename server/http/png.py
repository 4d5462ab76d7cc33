"""PNG pictures of boards: 4 bits a pixel with a palette, as the board itself is.

Owns the few chunks of the format that are needed (a picture library would take longer to import
than this takes to write a board). Pure, and slow for large boards: call it in a thread.
"""

import zlib
from collections.abc import Iterator, Sequence
from struct import pack

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
BITS = 4
BY_PALETTE = 3
PIXELS_AT_ONCE = 1 << 20
"""Rows are scaled and deflated in pieces of about a megapixel, to bound the memory."""


def encode(colors: NDArray[np.uint8], palette: Sequence[str | None], scale: int = 1) -> bytes:
    """Draw cells of shape (height, width), each `scale` pixels wide and high.

    `palette` has up to 16 entries `#RRGGBB`; what is None is drawn black.
    """
    height, width = colors.shape
    head = pack(">IIBBBBB", width * scale, height * scale, BITS, BY_PALETTE, 0, 0, 0)
    table = b"".join(bytes.fromhex((entry or "#000000")[1:]) for entry in palette)
    return b"".join(
        (
            SIGNATURE,
            _chunk(b"IHDR", head),
            _chunk(b"PLTE", table),
            _chunk(b"IDAT", _deflated(_rows(colors, scale))),
            _chunk(b"IEND", b""),
        )
    )


def _rows(colors: NDArray[np.uint8], scale: int) -> Iterator[bytes]:
    height, width = colors.shape
    step = max(1, PIXELS_AT_ONCE // (width * scale * scale))
    for first in range(0, height, step):
        yield _packed_rows(colors[first : first + step], scale)


def _packed_rows(colors: NDArray[np.uint8], scale: int) -> bytes:
    """Pack rows to two pixels a byte, each row with the filter byte 0 before it."""
    wide = np.repeat(colors, scale, axis=1)
    if wide.shape[1] % 2:
        wide = np.pad(wide, ((0, 0), (0, 1)))
    packed = np.zeros((wide.shape[0], wide.shape[1] // 2 + 1), np.uint8)
    packed[:, 1:] = wide[:, ::2] << 4 | wide[:, 1::2]
    return np.repeat(packed, scale, axis=0).tobytes()


def _deflated(rows: Iterator[bytes]) -> bytes:
    compressor = zlib.compressobj(6)
    return b"".join((*map(compressor.compress, rows), compressor.flush()))


def _chunk(name: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data))
