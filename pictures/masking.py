"""Masks: a second picture says which pixels of the first are taken.

Owns how a mask is read: white takes, black and transparent leave. Called by the command line.
"""

import numpy as np
from numpy.typing import NDArray

from pictures.choice import opaque
from pictures.picture import Picture, PictureError

WHITE_FROM = 128


def masked(picture: Picture, mask: Picture) -> Picture:
    """Make transparent what the mask leaves.

    Raises PictureError for a mask of another size, with colours, or that leaves everything.
    """
    if (picture.width, picture.height) != (mask.width, mask.height):
        raise PictureError(
            f"the mask is {mask.width} x {mask.height} and the picture {picture.width} x"
            f" {picture.height} pixels; make them the same size"
        )
    taken = _taken(mask)
    if not taken.any():
        raise PictureError("the mask takes nothing; make white what is to be taken")
    rgba = picture.rgba.copy()
    rgba[~taken, 3] = 0
    return Picture(rgba, picture.notes)


def _taken(mask: Picture) -> NDArray[np.bool_]:
    red, green, blue = (mask.rgba[..., channel] for channel in range(3))
    visible = opaque(mask.rgba)
    colored = visible & ((red != green) | (green != blue))
    if colored.any():
        y, x = divmod(int(colored.argmax()), mask.width)
        color = mask.rgba[y, x, :3].tobytes().hex().upper()
        raise PictureError(
            f"the mask is #{color} at ({x}, {y}); make it white to take a pixel, black to leave it"
        )
    return visible & (red >= WHITE_FROM)
