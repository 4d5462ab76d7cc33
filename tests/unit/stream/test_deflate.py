"""Deflating boards: any zlib reads it, whichever library made it, however it is wrapped."""

import zlib

import numpy as np
import pytest

from server.deflate import GZIP, RAW, THOROUGH_BYTES, ZLIB, deflate


def board(size_bytes: int) -> bytes:
    chance = np.random.default_rng(size_bytes)
    cells = np.zeros(size_bytes, np.uint8)
    cells[:: 1 + size_bytes // 500] = chance.integers(0, 256)
    return cells.tobytes()


@pytest.mark.parametrize("wrapping", [RAW, ZLIB, GZIP])
@pytest.mark.parametrize("size_bytes", [0, 1, 4096, THOROUGH_BYTES, THOROUGH_BYTES + 1, 5_000_000])
def test_any_zlib_reads_it(size_bytes: int, wrapping: int) -> None:
    packed = board(size_bytes)
    for data in (packed, memoryview(packed)):
        made = deflate(data, wrapping)
        assert zlib.decompress(made, wrapping) == packed
        assert len(made) <= len(packed) // 10 + 40


def test_a_part_is_deflated_as_the_whole_board_is() -> None:
    band = board(65_536)
    assert zlib.decompress(deflate(band, RAW, 32_000_000), RAW) == band
    assert deflate(band, RAW, 32_000_000) != deflate(band, RAW, 65_536)


def test_rows_of_cells_count_in_bytes() -> None:
    cells = np.zeros((3, 5), np.uint8)
    assert zlib.decompress(deflate(cells.data, ZLIB)) == cells.tobytes()
