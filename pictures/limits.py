"""What a picture may be: bounds that hold before anything is decoded, or drawn."""

from math import isqrt

MAX_SIDE = 8000
"""Pixels; no board is larger."""
MAX_PIXELS = MAX_SIDE * MAX_SIDE
"""Of a picture that is drawn: what it takes of memory is three to four bytes for each."""
MAX_SCALE = 32
MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_COUNTED_BYTES = 4 * 1024 * 1024
"""Of an animation whose frames are counted, to tell their number; one of 60 MB took 27 s."""
MAX_SCANS = 64
"""Passes of a progressive JPEG: a few bytes each ask for work on every pixel; 10 are usual."""


def largest_scale(width: int, height: int) -> int:
    """Say how many pixels wide and high each of so many cells may be drawn."""
    return max(1, min(MAX_SCALE, isqrt(MAX_PIXELS // (width * height))))
