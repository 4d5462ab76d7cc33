"""Draws how a picture meets a palette, for the page about palettes: four views of one landscape.

The same picture every time: `python -m bench.matching docs/images/matching.png`. Above the original
and the nearest colours of the default palette; below the same dithered, and 16 chosen of 32.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from canvas.palette import DEFAULT
from pictures.choice import rgb_of
from pictures.matching import match
from pictures.picture import Picture
from pictures.reducing import reduced

WIDTH, HEIGHT, SCALE, GAP = 200, 120, 2, 8
DUSK = np.array([(38, 44, 110), (134, 78, 150), (240, 128, 110), (255, 214, 140)])


def landscape() -> np.ndarray:
    """Return RGB uint8 of shape (HEIGHT, WIDTH, 3): a sun above hills and water; by formula."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] / HEIGHT
    rgb = blend(DUSK, y / 0.7)
    distance = np.hypot(x - 1.1, y - 0.5)
    rgb += np.exp(-((distance / 0.3) ** 2))[..., None] * (np.array((255, 240, 190)) - rgb) * 0.8
    rgb[distance < 0.12] = (255, 246, 214)
    for height, phase, color in ((0.55, 0.2, (122, 92, 140)), (0.63, 2.0, (72, 84, 96))):
        ridge = height + 0.05 * np.sin(4 * x + phase) + 0.02 * np.sin(11 * x + phase)
        rgb[y > ridge] = color
    water = y > 0.74
    ripple = 0.5 + 0.5 * np.sin(60 * y + 3 * np.sin(9 * x))
    shine = np.exp(-((x - 1.1) ** 2) / 0.03) * ripple
    sea = np.array((30, 60, 110)) + (y - 0.74)[..., None] * (-20, 60, 90)
    rgb[water] = (sea + shine[..., None] * (190, 140, 70))[water]
    return (rgb + 0.5).clip(0, 255).astype(np.uint8)


def blend(colors: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Blend from the first color, at 0, to the last, at 1."""
    places = at.clip(0, 1) * (len(colors) - 1)
    channels = [np.interp(places, range(len(colors)), colors[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=-1)


def thirty_two() -> list[str]:
    """Return a palette of 32 evenly spread colors."""
    levels = [(r, g, b) for r in (20, 90, 165, 240) for g in (20, 95, 170, 240) for b in (60, 190)]
    return [f"#{r:02X}{g:02X}{b:02X}" for r, g, b in levels]


def shown(picture: Picture, palette: list[str], *, dither: bool = False) -> np.ndarray:
    """Match the picture and return it as RGB."""
    return rgb_of(palette)[match(picture, palette, dither=dither).cells]


def views() -> list[np.ndarray]:
    """Return the four views in reading order."""
    rgb = landscape()
    picture = Picture(np.dstack([rgb, np.full((HEIGHT, WIDTH), 255, np.uint8)]))
    default = [color.rgb for color in DEFAULT.colors if color is not None]
    many = thirty_two()
    counts = np.bincount(match(picture, many).cells.ravel(), minlength=len(many)).tolist()
    chosen = [many[number] for number in reduced(many, 16, counts).kept]
    return [
        rgb,
        shown(picture, default),
        shown(picture, default, dither=True),
        shown(picture, chosen),
    ]


def main() -> None:
    """Write the sheet to the file that the first argument names."""
    tall, wide = HEIGHT * SCALE, WIDTH * SCALE
    sheet = np.full((2 * tall + GAP, 2 * wide + GAP, 3), 255, np.uint8)
    for number, view in enumerate(views()):
        top, left = number // 2 * (tall + GAP), number % 2 * (wide + GAP)
        large = view.repeat(SCALE, axis=0).repeat(SCALE, axis=1)
        sheet[top : top + tall, left : left + wide] = large
    Image.fromarray(sheet).save(Path(sys.argv[1]), optimize=True)


if __name__ == "__main__":
    main()
