"""A board as a child would keep it: rows of numbers, one cell after the other, nothing clever."""

import zlib


class NaiveBoard:
    """Rows of palette indexes."""

    def __init__(self, width: int, height: int, empty: int = 15) -> None:
        self.width = width
        self.height = height
        self.rows = [[empty] * width for _ in range(height)]

    def place(self, x: int, y: int, color: int) -> None:
        self.rows[y][x] = color

    def packed(self) -> bytes:
        """Two cells a byte, high nibble first, rows not padded, the last odd nibble 0xF."""
        cells = [color for row in self.rows for color in row]
        if len(cells) % 2:
            cells.append(15)
        return bytes(high << 4 | low for high, low in zip(cells[::2], cells[1::2], strict=True))

    def crc32(self) -> int:
        return zlib.crc32(self.packed())
