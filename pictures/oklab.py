"""Colours as eyes see them: sRGB to linear light to OKLab, where distance is difference.

Owns the formulas: of Björn Ottosson (https://bottosson.github.io/posts/oklab/, free for all) and of
IEC 61966-2-1. Plain arithmetic without BLAS, whose sums differ from machine to machine, so that a
picture gives the same cells everywhere. Called by matching, dithering and reducing.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TO_LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


def _linear_table() -> Floats:
    value = np.arange(256) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004


LINEAR: Floats = _linear_table()
"""Linear light, 0 to 1, of each of the 256 values of sRGB."""


def from_rgb(rgb: NDArray[np.uint8]) -> Floats:
    """Turn sRGB of shape (n, 3) into OKLab of shape (3, n)."""
    return _mixed(TO_LAB, np.cbrt(_mixed(TO_LMS, LINEAR[rgb.T])))


def nearest(lab: Floats, palette_lab: Floats) -> NDArray[np.intp]:
    """Give for each of (3, n) colours the nearest of (3, m), of equally near ones the first."""
    best = _distance(lab, palette_lab[:, 0])
    found = np.zeros(best.shape, np.intp)
    for index in range(1, palette_lab.shape[1]):
        distance = _distance(lab, palette_lab[:, index])
        nearer = distance < best
        found[nearer] = index
        np.minimum(best, distance, out=best)
    return found


def _distance(lab: Floats, color: Floats) -> Floats:
    """Square of the distance."""
    lightness, a, b = (lab[axis] - color[axis] for axis in range(3))
    squares: Floats = lightness * lightness + a * a + b * b
    return squares


def _mixed(matrix: Sequence[Sequence[float]], values: Floats) -> Floats:
    first, second, third = values
    return np.stack([row[0] * first + row[1] * second + row[2] * third for row in matrix])
