"""Bands: large pictures are worked on some whole rows at a time, which bounds the memory.

Owns the size of a band and how progress is told in parts. Called by whatever walks over pixels.
"""

from collections.abc import Iterator

from pictures.picture import Progress

PIXELS_AT_ONCE = 1 << 20


def bands(width: int, height: int, progress: Progress | None = None) -> Iterator[slice]:
    """Give slices of rows, about a megapixel each, and tell progress after each."""
    step = max(1, PIXELS_AT_ONCE // width)
    for top in range(0, height, step):
        end = min(top + step, height)
        yield slice(top, end)
        if progress is not None:
            progress(end / height)


def part(progress: Progress, start: float, end: float) -> Progress:
    """Make the whole of a step a part of something longer."""
    return lambda share: progress(start + share * (end - start))
