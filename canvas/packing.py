"""Cells to packed bytes and back, as the canvas blob holds them.

Owns the layout: `bits` a cell, the first cell of a byte in its highest bits, index = y * width + x,
rows not padded, what is left of the last byte all ones. Knows nothing of boards or games; called by
board.py, by snapshots and by pictures. Everything works on flat uint8 arrays of colour numbers.
"""

import numpy as np
from numpy.typing import NDArray

from canvas.region import Region

Cells = NDArray[np.uint8]

WIDTHS = (1, 2, 4, 8)
"""Bits per cell that divide a byte: 1 for masks, 4 for boards, 8 for palettes to come."""


def cells_per_byte(bits: int) -> int:
    """How many cells share a byte. Raises ValueError when `bits` is none of `WIDTHS`."""
    if bits not in WIDTHS:
        raise ValueError(f"{bits} bits per cell do not divide a byte; use 1, 2, 4 or 8")
    return 8 // bits


def packed_size(cells: int, bits: int = 4) -> int:
    """Size in bytes of so many packed cells."""
    return -(-cells // cells_per_byte(bits))


def pack(colors: Cells, bits: int = 4) -> Cells:
    """Pack a flat array of colours. Raises ValueError when one does not fit in `bits`."""
    per_byte = cells_per_byte(bits)
    highest = (1 << bits) - 1
    if colors.size and colors.max() > highest:
        raise ValueError(f"color {colors.max()} does not fit in {bits} bits; use 0-{highest}")
    if colors.size % per_byte:
        colors = np.append(colors, np.full(-colors.size % per_byte, highest, np.uint8))
    packed = colors[::per_byte].copy()
    for lane in range(1, per_byte):
        np.left_shift(packed, bits, out=packed)
        np.bitwise_or(packed, colors[lane::per_byte], out=packed)
    return packed


def unpack(packed: Cells, cells: int, bits: int = 4) -> Cells:
    """Unpack the first `cells` colours into a flat array of its own."""
    per_byte = cells_per_byte(bits)
    highest = (1 << bits) - 1
    colors = np.empty(packed.size * per_byte, np.uint8)
    for lane in range(per_byte):
        shifted = packed >> (8 - bits * (lane + 1))
        np.bitwise_and(shifted, highest, out=colors[lane::per_byte])
    return colors[:cells]


def check_padding(packed: Cells, cells: int, bits: int = 4) -> None:
    """Raise ValueError unless size and padding are those of so many packed cells."""
    expected = packed_size(cells, bits)
    if packed.size != expected:
        raise ValueError(f"{cells} cells at {bits} bits take {expected} bytes, got {packed.size}")
    spare_bits = expected * 8 - cells * bits
    ones = (1 << spare_bits) - 1
    if int(packed[-1]) & ones != ones:
        raise ValueError(f"the last {spare_bits} bits of a packed board must be ones")


def rows(packed: Cells, width: int, first_row: int, count: int, bits: int = 4) -> Cells:
    """Unpack some whole rows into an array of shape (count, width)."""
    per_byte = cells_per_byte(bits)
    first, end = first_row * width, (first_row + count) * width
    first_byte = first // per_byte
    skipped = first - first_byte * per_byte
    part = packed[first_byte : -(-end // per_byte)]
    return unpack(part, skipped + end - first, bits)[skipped:].reshape(count, width)


def cut(packed: Cells, width: int, region: Region, bits: int = 4) -> Cells:
    """Unpack a region of a board of that width into shape (height, width)."""
    strip = rows(packed, width, region.y1, region.height, bits)
    return strip[:, region.x1 : region.x2 + 1]


def crop(packed: Cells, width: int, region: Region, bits: int = 4) -> bytes:
    """Repack a region of a board of that width, with index y * w + x of the region."""
    return pack(cut(packed, width, region, bits).ravel(), bits).tobytes()
