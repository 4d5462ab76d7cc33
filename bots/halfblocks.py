"""A region of the board in a terminal: two cells in each character, by its upper half block.

Owns the sampling to a size and the characters; rich turns the colours into what the terminal has.
Called by the screen.
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from rich.style import Style
from rich.text import Text

from bots.target import Colors

UPPER_HALF = "▀"


def draw(colors: Colors, palette: Sequence[str | None], columns: int, lines: int) -> Text:
    """Draw cells [height, width] in at most so many columns and lines.

    Cells without a colour in the palette of `#RRGGBB` stay as the terminal is.
    """
    sampled = sample(colors, columns, 2 * lines)
    if len(sampled) % 2:
        sampled = np.vstack([sampled, np.full_like(sampled[:1], len(palette))])
    text = Text(no_wrap=True)
    for above, below in zip(sampled[::2].tolist(), sampled[1::2].tolist(), strict=True):
        for (top, bottom), run in groupby(zip(above, below, strict=True)):
            style = Style(color=_rgb(palette, top), bgcolor=_rgb(palette, bottom))
            mark = " " if style.color is None else UPPER_HALF
            text.append(mark * len(list(run)), style)
        text.append("\n")
    return text


def sample(colors: Colors, width: int, height: int) -> Colors:
    """Take one cell of each square block, so that it fits; never larger than it is."""
    step = max(1, -(-colors.shape[1] // width), -(-colors.shape[0] // height))
    middle = step // 2
    taken: Colors = colors[min(middle, len(colors) - 1) :: step, :]
    return taken[:, min(middle, colors.shape[1] - 1) :: step]


def _rgb(palette: Sequence[str | None], index: int) -> str | None:
    return palette[index] if index < len(palette) else None
