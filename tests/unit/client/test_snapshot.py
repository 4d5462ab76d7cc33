"""Bands put together: complete in any order, strict with what does not belong."""

import zlib

import pytest
from tesserae_client.errors import BadFrame
from tesserae_client.snapshot import Assembly, SnapshotHead, inflate
from tesserae_client.wire import BandFrame

HEAD = SnapshotHead(epoch="e", seq=9, generation=2, width=3, height=5, bands=3, url=None)


def band(first_row, rows, payload, **changes):
    return BandFrame(1, 2, 9, first_row, rows, deflated=False, payload=payload)._replace(**changes)


def test_bands_come_in_any_order():
    assembly = Assembly(HEAD)
    assembly.add(band(4, 1, b"\xee\xef"))
    assembly.add(band(0, 2, b"\x01\x02\x03"))
    before = assembly.complete
    assembly.add(band(2, 2, b"\x04\x05\x06"))
    assert (before, assembly.complete) == (False, True)
    assert bytes(assembly.packed) == b"\x01\x02\x03\x04\x05\x06\xee\xef"


@pytest.mark.parametrize(
    "wrong",
    [
        band(0, 2, b"\x01\x02"),
        band(0, 2, b"\x01\x02\x03\x04"),
        band(1, 2, b"\x01\x02\x03"),  # starts inside a byte
        band(4, 2, b"\x01\x02\x03"),  # past the end
        band(0, 0, b""),
        band(0, 2, b"\x01\x02\x03", seq=8),
        band(0, 2, b"\x01\x02\x03", generation=1),
        band(0, 2, b"no deflate", deflated=True),
    ],
)
def test_a_band_that_does_not_belong(wrong):
    with pytest.raises(BadFrame):
        Assembly(HEAD).add(wrong)


def test_a_band_that_comes_twice():
    assembly = Assembly(HEAD)
    assembly.add(band(0, 2, b"\x01\x02\x03"))
    with pytest.raises(BadFrame, match="rows 0 to 2"):
        assembly.add(band(0, 2, b"\x01\x02\x03"))


def test_inflating_is_bounded():
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = bomb.compress(bytes(10_000_000)) + bomb.flush()
    with pytest.raises(BadFrame, match="does not end after 100 bytes"):
        inflate(data, 100)
