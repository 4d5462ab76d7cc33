"""Reads the palette file that the configuration, or a command, names.

Called by the loader, so that a file of no use is told with all other errors, by whoever founds a
game, and by the commands that take a palette.
"""

from pathlib import Path

from canvas.palette import Palette
from canvas.palette_files import Listed, listed

MAX_FILE_BYTES = 100_000


def read_palette(path: Path) -> Palette:
    """Read a palette of up to 16 colours. Raises ValueError, naming the line, and OSError."""
    return read_listed(path).palette()


def read_listed(path: Path) -> Listed:
    """Read all colours of a palette file. Raises ValueError, naming the line, and OSError."""
    with path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"the file is too large for a palette; {MAX_FILE_BYTES} bytes are read")
    try:
        return listed(content.decode("utf-8-sig"), path.name)
    except UnicodeDecodeError as error:
        raise ValueError("the palette is no text in UTF-8; save it as such") from error
