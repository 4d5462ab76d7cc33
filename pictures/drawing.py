"""Cells to pictures: PNG with the palette as the board has it, each cell some pixels wide.

Owns the enlarging and what has no colour; Pillow writes, with as few bits a pixel as the palette
needs. Pure, and slow for large boards: call it in a thread. Called by HTTP and the command line.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from pictures.picture import Pixels

if TYPE_CHECKING:
    from PIL.Image import Image

COMPRESSION = 4
"""Of zlib's 1 to 9; the default, 6, takes twice as long for a twentieth less (ADR 0023)."""
HIDDEN = "#000000"


def draw(cells: Pixels, palette: Sequence[str | None], scale: int = 1) -> bytes:
    """Draw cells of shape (height, width), each `scale` pixels wide and high, as PNG.

    `palette` has up to 256 entries `#RRGGBB`; what is None, or no entry, is drawn black.
    """
    entries = [entry or HIDDEN for entry in palette]
    entries += [HIDDEN] * (int(cells.max()) + 1 - len(entries))
    image = _enlarged(cells, scale)
    image.putpalette(bytes.fromhex("".join(entry.removeprefix("#") for entry in entries)))
    output = BytesIO()
    image.save(output, "PNG", compress_level=COMPRESSION)
    return output.getvalue()


def _enlarged(cells: Pixels, scale: int) -> "Image":
    # a server starts often and draws seldom: Pillow is loaded in the thread that draws first
    from PIL import Image  # noqa: PLC0415

    image = Image.fromarray(cells)
    return image.resize((image.width * scale, image.height * scale), Image.Resampling.NEAREST)
