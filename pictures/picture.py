"""What a picture is once it is read, and what is raised when it cannot be.

Owns the two values that the rest of the package speaks in. Called by everything in it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Progress = Callable[[float], None]
"""Told the share that is done, 0 to 1, now and then."""


class PictureError(ValueError):
    """A picture is of no use; the text says where, why and what helps."""


@dataclass(frozen=True, slots=True)
class Picture:
    """`rgba` is uint8 of shape (height, width, 4) and becomes read-only."""

    rgba: Pixels
    notes: tuple[str, ...] = ()
    """What whoever gave the picture should know."""

    def __post_init__(self) -> None:
        if self.rgba.dtype != np.uint8 or self.rgba.shape[2:] != (4,) or not self.rgba.size:
            raise ValueError(
                f"{self.rgba.dtype} of shape {self.rgba.shape} is no picture;"
                " give uint8 of shape (height, width, 4)"
            )
        self.rgba.flags.writeable = False

    @property
    def width(self) -> int:
        """Pixels across."""
        return int(self.rgba.shape[1])

    @property
    def height(self) -> int:
        """Pixels down."""
        return int(self.rgba.shape[0])


def ignore(_share: float) -> None:
    """Take progress and show nothing."""
