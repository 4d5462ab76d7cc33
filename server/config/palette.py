"""Reads the palette file that the configuration names.

Called by the loader, so that a file of no use is told with all other errors, and by whoever founds
a game.
"""

from pathlib import Path

from canvas.palette import Palette
from canvas.palette_files import parse

MAX_FILE_BYTES = 100_000


def read_palette(path: Path) -> Palette:
    """Read a palette of up to 16 colours. Raises ValueError, naming the line, and OSError."""
    with path.open("rb") as file:
        text = file.read(MAX_FILE_BYTES + 1)
    if len(text) > MAX_FILE_BYTES:
        raise ValueError("the palette is no list of 16 colors: the file is too large")
    return parse(text.decode("utf-8-sig"), path.name)
