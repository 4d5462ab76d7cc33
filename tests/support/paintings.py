"""Pictures and palettes for tests, made here: nobody's board."""

import colorsys
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pictures.picture import Picture

Cells = NDArray[np.uint8]


def picture_of(rows: list[list[str | None]]) -> Picture:
    """A picture of `#RRGGBB`, transparent where None."""
    rgba = np.zeros((len(rows), len(rows[0]), 4), np.uint8)
    for y, row in enumerate(rows):
        for x, rgb in enumerate(row):
            if rgb is not None:
                rgba[y, x] = [*bytes.fromhex(rgb[1:]), 255]
    return Picture(rgba)


def png(picture: Picture) -> bytes:
    output = BytesIO()
    Image.fromarray(picture.rgba, "RGBA").save(output, "PNG")
    return output.getvalue()


def saved(path: Path, rows: list[list[str | None]]) -> Path:
    path.write_bytes(png(picture_of(rows)))
    return path


def pxls_colors(count: int = 32) -> list[str]:
    """White, black and a rainbow."""
    hues = [colorsys.hsv_to_rgb(n / (count - 2), 0.9, 0.9) for n in range(count - 2)]
    rainbow = [f"#{int(r * 255):02X}{int(g * 255):02X}{int(b * 255):02X}" for r, g, b in hues]
    return ["#FFFFFF", "#000000", *rainbow]


def pxls_palette(colors: list[str]) -> str:
    """The form of Pxls' palette.conf."""
    lines = [f'  {{name: "Color {n}", value: "{rgb[1:]}"}}' for n, rgb in enumerate(colors)]
    return "palette: [\n" + "\n".join(lines) + '\n]\nbackgroundColor: "Color 0"\n'


def pxls_board(colors: list[str], width: int = 96, height: int = 64) -> list[list[str | None]]:
    """Stripes of all colours below a white sky."""
    sky: list[list[str | None]] = [[colors[0]] * width for _ in range(height // 4)]
    return sky + [
        [colors[(x // 3 + y // 8) % len(colors)] for x in range(width)]
        for y in range(len(sky), height)
    ]
