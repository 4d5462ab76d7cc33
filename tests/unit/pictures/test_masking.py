"""Masks: what is taken of a picture."""

import numpy as np
import pytest

from pictures.masking import masked
from pictures.picture import Picture, PictureError


def flat(*values: tuple[int, int, int, int]) -> Picture:
    return Picture(np.array([values], np.uint8))


RED, WHITE, BLACK, CLEAR = (255, 0, 0, 255), (255,) * 4, (0, 0, 0, 255), (255, 255, 255, 0)


def test_white_takes_black_and_transparent_leave() -> None:
    picture = flat(RED, RED, RED, RED)
    seen = masked(picture, flat(WHITE, BLACK, CLEAR, (200, 200, 200, 255)))
    assert seen.rgba[0, :, 3].tolist() == [255, 0, 0, 255]
    assert picture.rgba[0, :, 3].tolist() == [255] * 4


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (flat(WHITE), "the mask is 1 x 1 and the picture 2 x 1 pixels; make them the same"),
        (flat(WHITE, RED), r"the mask is #FF0000 at \(1, 0\); make it white"),
        (flat(BLACK, CLEAR), "the mask takes nothing; make white"),
    ],
)
def test_a_mask_of_no_use_says_why(mask: Picture, message: str) -> None:
    with pytest.raises(PictureError, match=message):
        masked(flat(RED, RED), mask)
