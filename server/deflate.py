"""Deflating boards: one choice of library and level, for the stream, HTTP and what is stored.

Owns that choice, which follows from the size of the whole board. Everything is ordinary deflate
that any zlib reads. Called by snapshots, HTTP bodies and base pictures, each in a thread.
"""

import zlib
from typing import Final

from isal import isal_zlib

RAW: Final = -15
ZLIB: Final = 15
GZIP: Final = 31
"""How the deflated bytes are wrapped, as zlib's `wbits`."""

THOROUGH_BYTES = 2 * 1024 * 1024
"""Up to a board of 2048 x 2048, the fewest bytes; from there on, the least CPU."""
THOROUGH = 6
FAST = 1
"""ISA-L's: on a used board of 8000 x 8000 as small as zlib's 1, at a fifth of its CPU."""


def deflate(data: bytes | memoryview, wrapping: int, board_bytes: int | None = None) -> bytes:
    """Deflate a board, or a part of one of `board_bytes`."""
    size_bytes = memoryview(data).nbytes if board_bytes is None else board_bytes
    if size_bytes <= THOROUGH_BYTES:
        compressor = zlib.compressobj(THOROUGH, wbits=wrapping)
        return compressor.compress(data) + compressor.flush()
    fast = isal_zlib.compressobj(FAST, isal_zlib.DEFLATED, wrapping)
    return fast.compress(data) + fast.flush()
