"""What there is to choose from: the colours of a palette by number, and the cell of no colour.

Owns how pixels become keys and which pixels are placed at all. Called by matching, dithering and
reducing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pictures import oklab
from pictures.picture import PictureError, Pixels

UNTOUCHED = 255
"""The cell of a transparent pixel; so the 256th colour of a palette is never chosen."""
OPAQUE_FROM = 128
"""Alpha from which a pixel is placed."""

Keys = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Choice:
    """The colours that may be chosen: their numbers, and their values of shape (n, 3)."""

    numbers: Pixels
    rgb: Pixels

    @classmethod
    def of(cls, palette: Sequence[str | None]) -> "Choice":
        """Take `#RRGGBB` by number, without None. Raises PictureError when nothing is left."""
        given = {n: rgb for n, rgb in enumerate(palette[:UNTOUCHED]) if rgb is not None}
        if not given:
            raise PictureError("the palette has no color to choose; give it one, as #RRGGBB")
        return cls(np.array(list(given), np.uint8), rgb_of(list(given.values())))

    @property
    def keys(self) -> Keys:
        """The values as 0xRRGGBB."""
        return keys_of(self.rgb)

    @property
    def lab(self) -> oklab.Floats:
        """The values in OKLab, of shape (3, n)."""
        return oklab.from_rgb(self.rgb)


def rgb_of(colors: Sequence[str]) -> Pixels:
    """Give the values of `#RRGGBB`, of shape (n, 3). Raises ValueError for anything else."""
    values = [list(bytes.fromhex(color.removeprefix("#"))) for color in colors]
    return np.array(values, np.uint8).reshape(len(colors), 3)


def keys_of(pixels: Pixels) -> Keys:
    """Give 0xRRGGBB of the last axis, which may have alpha behind."""
    red, green, blue = (pixels[..., channel].astype(np.uint32) for channel in range(3))
    return (red << 16 | green << 8 | blue).astype(np.uint32)


def hex_of(key: int) -> str:
    """Give `#RRGGBB`."""
    return f"#{key:06X}"


def opaque(pixels: Pixels) -> NDArray[np.bool_]:
    """Say which RGBA pixels are placed."""
    return pixels[..., 3] >= OPAQUE_FROM
