"""What is paid for over HTTP besides the request itself: by the size of what is made and sent.

Owns the one table of these prices, in credits. Called by the routes of boards and pictures.
"""

BYTES_PER_CREDIT = 256 * 1024
PIXELS_PER_CREDIT = 256 * 256
PREVIEW = 4


def of_board(size_bytes: int) -> int:
    """Price packed bytes, before compression: a 960 x 540 board is free, 8000 x 8000 costs 122."""
    return size_bytes // BYTES_PER_CREDIT


def of_picture(pixels: int) -> int:
    """Price a picture, drawn or kept: 7 for 960 x 540 at scale 1; the largest take all."""
    return pixels // PIXELS_PER_CREDIT
