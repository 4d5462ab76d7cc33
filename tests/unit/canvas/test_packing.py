import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvas.packing import check_padding, crop, pack, packed_size, rows, unpack
from canvas.region import Region
from tests.support.boards import NaiveBoard, pack_naively

BITS = st.sampled_from([1, 2, 4, 8])


def flat(colors: list[int]) -> np.ndarray:
    return np.array(colors, np.uint8)


def test_high_nibble_first_and_the_spare_one_is_f() -> None:
    assert pack(flat([1, 2, 3])).tobytes() == b"\x12\x3f"


@pytest.mark.parametrize(
    ("cells", "bits", "size"),
    [(960 * 540, 4, 259_200), (64_000_000, 4, 32_000_000), (21, 4, 11), (9, 1, 2), (3, 8, 3)],
)
def test_sizes(cells: int, bits: int, size: int) -> None:
    assert packed_size(cells, bits) == size


@given(BITS, st.data())
def test_packs_as_writing_out_bits_does(bits: int, data: st.DataObject) -> None:
    colors = data.draw(st.lists(st.integers(0, 2**bits - 1), max_size=40))
    packed = pack(flat(colors), bits)
    assert packed.tobytes() == pack_naively(colors, bits)
    assert unpack(packed, len(colors), bits).tolist() == colors


def test_a_color_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="color 16 does not fit in 4 bits; use 0-15"):
        pack(flat([0, 16]))


@pytest.mark.parametrize("bits", [0, 3, 16])
def test_bits_must_divide_a_byte(bits: int) -> None:
    with pytest.raises(ValueError, match="use 1, 2, 4 or 8"):
        packed_size(10, bits)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x12", "3 cells at 4 bits take 2 bytes, got 1"),
        (b"\x12\x3f\xff", "take 2 bytes, got 3"),
        (b"\x12\x30", "the last 4 bits of a packed board must be ones"),
    ],
)
def test_size_and_padding_are_checked(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_padding(np.frombuffer(data, np.uint8), 3)


@given(st.integers(1, 9), st.integers(1, 9), BITS, st.data())
def test_crops_are_repacked(width: int, height: int, bits: int, data: st.DataObject) -> None:
    board = NaiveBoard(width, height, 0, bits)
    cells = st.integers(0, 2**bits - 1)
    board.rows = [[data.draw(cells) for _ in range(width)] for _ in range(height)]
    x1, y1 = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    x2, y2 = data.draw(st.integers(x1, width - 1)), data.draw(st.integers(y1, height - 1))
    packed = np.frombuffer(board.packed(), np.uint8)
    assert crop(packed, width, Region(x1, y1, x2, y2), bits) == board.region(x1, y1, x2, y2)
    assert rows(packed, width, y1, y2 - y1 + 1, bits).tolist() == board.rows[y1 : y2 + 1]


@pytest.mark.parametrize("corners", [(2, 0, 1, 0), (0, 2, 0, 1), (-1, 0, 1, 1), (0, -1, 1, 1)])
def test_an_empty_region_is_refused(corners: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="is no region"):
        Region(*corners)
