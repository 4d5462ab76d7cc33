"""A board as plainly as can be: rows of numbers. What the packed one is compared with."""

from collections.abc import Iterable

from canvas.growth import Growth


class NaiveBoard:
    """Rows of colours, packed by writing out bits."""

    def __init__(self, width: int, height: int, empty: int = 15, bits: int = 4) -> None:
        self.rows = [[empty] * width for _ in range(height)]
        self.bits = bits

    def set(self, x: int, y: int, color: int) -> None:
        self.rows[y][x] = color

    def apply(self, cells: Iterable[tuple[int, int, int]]) -> None:
        for x, y, color in cells:
            self.set(x, y, color)

    def packed(self) -> bytes:
        return pack_naively([color for row in self.rows for color in row], self.bits)

    def region(self, x1: int, y1: int, x2: int, y2: int) -> bytes:
        part = [color for row in self.rows[y1 : y2 + 1] for color in row[x1 : x2 + 1]]
        return pack_naively(part, self.bits)

    def grow(self, growth: Growth, empty: int) -> None:
        rows = [[empty] * growth.width for _ in range(growth.height)]
        for y, row in enumerate(self.rows):
            rows[y + growth.shift_y][growth.shift_x : growth.shift_x + len(row)] = row
        self.rows = rows


def pack_naively(colors: Iterable[int], bits: int) -> bytes:
    text = "".join(f"{color:0{bits}b}" for color in colors)
    text += "1" * (-len(text) % 8)
    return bytes(int(text[at : at + 8], 2) for at in range(0, len(text), 8))
