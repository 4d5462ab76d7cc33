"""Cells to a small picture in a terminal: two of them in each character, by half blocks.

Owns the sampling to a size and the characters; rich turns the colours into what the terminal has.
Called by the bots' screen and the view of an import.
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from rich.style import Style
from rich.text import Text

from pictures.picture import Pixels

UPPER_HALF, LOWER_HALF = "▀", "▄"


def draw(cells: Pixels, palette: Sequence[str | None], columns: int, lines: int) -> Text:
    """Draw cells [height, width] in at most so many columns and lines.

    Cells without a colour in the palette of `#RRGGBB` stay as the terminal is.
    """
    sampled = sample(cells, columns, 2 * lines)
    if len(sampled) % 2:
        sampled = np.vstack([sampled, np.full_like(sampled[:1], len(palette))])
    text = Text(no_wrap=True)
    for above, below in zip(sampled[::2].tolist(), sampled[1::2].tolist(), strict=True):
        for (top, bottom), run in groupby(zip(above, below, strict=True)):
            text.append(*_marks(_rgb(palette, top), _rgb(palette, bottom), len(list(run))))
        text.append("\n")
    return text


def _marks(top: str | None, bottom: str | None, count: int) -> tuple[str, Style]:
    if top is None:
        return (" " if bottom is None else LOWER_HALF) * count, Style(color=bottom)
    return UPPER_HALF * count, Style(color=top, bgcolor=bottom)


def sample(cells: Pixels, width: int, height: int) -> Pixels:
    """Take one cell of each square block, so that it fits; never larger than it is."""
    step = max(1, -(-cells.shape[1] // width), -(-cells.shape[0] // height))
    middle = step // 2
    taken: Pixels = cells[min(middle, len(cells) - 1) :: step, :]
    return taken[:, min(middle, cells.shape[1] - 1) :: step]


def _rgb(palette: Sequence[str | None], index: int) -> str | None:
    return palette[index] if index < len(palette) else None
