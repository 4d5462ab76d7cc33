import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from canvas.records import cell_of, record, split

CELLS = st.tuples(st.integers(0, 8191), st.integers(0, 8191), st.integers(0, 63))


def test_the_bits_are_the_protocols() -> None:
    assert record(1, 0, 0) == 1
    assert record(0, 1, 0) == 1 << 13
    assert record(0, 0, 1) == 1 << 26
    assert record(8191, 8191, 63) == 0xFFFFFFFF


@given(st.lists(CELLS, max_size=20))
def test_one_by_one_and_vectorised_agree(cells: list[tuple[int, int, int]]) -> None:
    records = np.array([record(*cell) for cell in cells], np.uint32)
    columns = split(records)
    assert [cell_of(value) for value in records.tolist()] == cells
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == cells
