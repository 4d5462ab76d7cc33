"""Cells to pictures: PNG with the palette as the board has it, each cell some pixels wide.

Owns the bits a pixel and the enlarging; Pillow writes. Pure, and slow for large boards: call it in
a thread. Called by HTTP and the command line.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from pictures.picture import Pixels

if TYPE_CHECKING:
    from PIL.Image import Image

HIDDEN = "#000000"


def draw(cells: Pixels, palette: Sequence[str | None], scale: int = 1) -> bytes:
    """Draw cells of shape (height, width), each `scale` pixels wide and high, as PNG.

    `palette` has up to 256 entries `#RRGGBB`; what is None is drawn black.
    """
    image = _enlarged(cells, scale)
    image.putpalette(b"".join(bytes.fromhex((rgb or HIDDEN)[1:]) for rgb in palette))
    output = BytesIO()
    image.save(output, "PNG", bits=_bits(len(palette)), compress_level=6)
    return output.getvalue()


def _enlarged(cells: Pixels, scale: int) -> "Image":
    # a server draws seldom and starts often: Pillow is loaded in the thread that first draws
    from PIL import Image  # noqa: PLC0415

    image = Image.fromarray(cells)
    return image.resize((image.width * scale, image.height * scale), Image.Resampling.NEAREST)


def _bits(colors: int) -> int:
    return next(bits for bits in (1, 2, 4, 8) if colors <= 1 << bits)
