"""Pictures from anywhere: what is read, and that everything else is told, never believed."""

import struct
import warnings
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from pictures import reading
from pictures.limits import MAX_FILE_BYTES
from pictures.picture import Picture, PictureError
from pictures.reading import read

RED, CLEAR = (255, 0, 0, 255), (0, 0, 0, 0)
ORIENTATION = 0x0112


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    output = BytesIO()
    image.save(output, kind, **options)
    return output.getvalue()


def sample(mode: str = "RGB") -> Image.Image:
    """Two by three pixels, none like the others."""
    rgba = np.arange(24, dtype=np.uint8).reshape(3, 2, 4) * 10
    rgba[..., 3] = 255
    return Image.fromarray(rgba).convert(mode)


def chunk(name: bytes, body: bytes) -> bytes:
    crc = struct.pack(">I", zlib.crc32(name + body))
    return struct.pack(">I", len(body)) + name + body + crc


def png(width: int, height: int, *more: bytes, depth: int = 8, kind: int = 2) -> bytes:
    """A header that says anything, and as much data as one likes."""
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(more) + chunk(b"IEND", b"")


def data(raw: bytes) -> bytes:
    return chunk(b"IDAT", zlib.compress(raw))


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP", "WEBP"])
@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
def test_exact_kinds_give_exact_pixels(kind: str, mode: str) -> None:
    image = sample(mode)
    options = {"lossless": True} if kind == "WEBP" else {}
    picture = read(saved(image, kind, **options))
    assert (picture.width, picture.height) == (2, 3)
    expected = np.asarray(image.convert("RGBA"))
    if kind == "GIF" and mode == "RGB":
        assert picture.rgba.shape == expected.shape
    else:
        assert np.array_equal(picture.rgba, expected)


@pytest.mark.parametrize("mode", ["LA", "RGBA"])
def test_alpha_is_read(mode: str) -> None:
    image = Image.new("RGBA", (2, 1), CLEAR)
    image.putpixel((1, 0), (255, 255, 255, 255))
    assert read(saved(image.convert(mode))).rgba[0, :, 3].tolist() == [0, 255]


def test_a_transparent_entry_of_a_palette_is_transparent() -> None:
    image = Image.fromarray(np.array([[0, 1]], np.uint8))
    image.putpalette([255, 0, 0, 0, 0, 255])
    for kind in ("PNG", "GIF"):
        assert read(saved(image, kind, transparency=1)).rgba[0, :, 3].tolist() == [255, 0]


def test_a_transparent_color_is_transparent() -> None:
    image = Image.fromarray(np.array([[[255, 0, 0], [0, 0, 255]]], np.uint8))
    picture = read(saved(image, transparency=(255, 0, 0)))
    assert picture.rgba[0, :, 3].tolist() == [0, 255]


def test_deep_gray_keeps_its_upper_half() -> None:
    image = Image.fromarray(np.array([[0, 0x1234, 0xFFFF]], np.uint16))
    assert read(saved(image)).rgba[0].tolist() == [
        [0, 0, 0, 255],
        [0x12, 0x12, 0x12, 255],
        [255, 255, 255, 255],
    ]


def test_deep_color_keeps_its_upper_half() -> None:
    row = b"\0" + struct.pack(">3H", 0x1234, 0xFFFF, 0)
    assert read(png(1, 1, data(row), depth=16)).rgba[0, 0].tolist() == [0x12, 0xFF, 0, 255]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_photographs_are_set_upright(orientation: int) -> None:
    image = sample()
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    content = saved(image, exif=exif)
    with Image.open(BytesIO(content)) as opened:
        expected = np.asarray(ImageOps.exif_transpose(opened).convert("RGBA"))
    assert np.array_equal(read(content).rgba, expected)


def test_a_jpeg_is_read_and_told() -> None:
    picture = read(saved(Image.new("RGB", (9, 9), "#3690EA"), "JPEG", quality=95))
    assert np.abs(picture.rgba[4, 4].astype(int) - [0x36, 0x90, 0xEA, 255]).max() < 4
    assert picture.notes == ("JPEG blurs colors; take a PNG where each pixel counts",)


def test_a_color_profile_is_told() -> None:
    assert "profile is ignored" in read(saved(sample(), icc_profile=b"anything")).notes[0]


def test_a_picture_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"  # by its content, not by its name
    path.write_bytes(saved(sample()))
    assert read(path).rgba.shape == read(str(path)).rgba.shape == (3, 2, 4)


def test_a_picture_is_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        read(saved(sample())).rgba[0, 0, 0] = 1


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "notes.png"
    path.write_text("no picture")
    with pytest.raises(PictureError, match=r"notes\.png: the file is no readable PNG, GIF"):
        read(path)


@pytest.mark.parametrize("name", ["none.png", "", "a\0b"])
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, name: str) -> None:
    with pytest.raises(PictureError, match=r"the picture cannot be read \(.*\); check its path"):
        read(f"{tmp_path}/{name}")


def animation(kind: str) -> bytes:
    frames = [Image.new("RGB", (3, 3), color) for color in ("red", "blue", "green")]
    return saved(frames[0], kind, save_all=True, append_images=frames[1:])


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_animations_are_refused_with_their_count(kind: str) -> None:
    with pytest.raises(PictureError, match="is animated, with 3 frames; save the one you mean"):
        read(animation(kind))


def test_frames_of_large_animations_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_COUNTED_BYTES", 20)
    with pytest.raises(PictureError, match="is animated, with very many frames"):
        read(animation("GIF"))


def deep_with_transparency() -> bytes:
    return png(1, 1, chunk(b"tRNS", struct.pack(">3H", 999, 9, 9)), data(bytes(7)), depth=16)


def deep_gray_with_transparency() -> bytes:
    return png(1, 1, chunk(b"tRNS", b"\0\1"), data(bytes(3)), depth=16, kind=0)


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :]


NOISE = np.random.default_rng(7).integers(0, 256, (60, 60, 3), np.uint8)
LARGE = Image.fromarray(NOISE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no readable PNG, GIF, BMP, WebP or JPEG picture; open it in"),
        (b"P6 1 1 255 abc", "is no readable PNG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "is no readable PNG"),
        (bytes(MAX_FILE_BYTES + 1), "has more than 64 MB"),
        (png(8001, 1, data(b"")), "is 8001 x 1 pixels; each side must be 1 to 8000"),
        (png(20_000, 20_000, data(b"")), "pixels"),
        (png(2**31 - 1, 2**31 - 1, data(b"")), "far too many pixels; make it smaller"),
        (png(0, 5, data(b"")), "is no readable PNG"),
        (png(9, 9), "is no readable|broken"),
        (png(9, 9, data(bytes(10))), r"is broken \(.*truncated.*\); open it in"),
        (deep_with_transparency(), "16-bit colors, one of them transparent; open it"),
        (deep_gray_with_transparency(), "16-bit colors, one of them transparent; open it"),
        (saved(Image.new("CMYK", (2, 2)), "JPEG"), "colors are CMYK, not RGB; open it in"),
        (saved(LARGE)[:-900], "is broken"),
        (saved(LARGE)[:-12], "is broken"),
        (flipped(saved(LARGE), 900), "is broken"),
        (saved(LARGE, "BMP")[:-900], "is broken"),
        (saved(LARGE, "GIF")[:-900], "is broken"),
        (saved(LARGE, "JPEG")[:-900], "is broken"),
        (saved(LARGE, "WEBP", lossless=True)[:-900], "is broken|is no readable"),
        (saved(LARGE, "JPEG", progressive=True) + b"\xff\xda" * 99, "JPEG has .* scans, where 64"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_of_no_use_is_told(content: bytes, message: str) -> None:
    with pytest.raises(PictureError, match=message):
        read(content)


@pytest.mark.parametrize("name", [b"zTXt", b"iTXt", b"iCCP"])
@pytest.mark.parametrize("late", [False, True])
def test_texts_that_explode_are_refused(name: bytes, late: bool) -> None:
    bomb = zlib.compress(bytes(40_000_000), 9)
    middle = {b"zTXt": b"k\0\0", b"iTXt": b"k\0\1\0\0\0", b"iCCP": b"k\0\0"}[name]
    text, pixels = chunk(name, middle + bomb), data(bytes(4))
    with pytest.raises(PictureError, match="is broken"):
        read(png(1, 1, *((pixels, text) if late else (text, pixels))))


def test_a_side_may_be_bounded_further() -> None:
    with pytest.raises(PictureError, match="is 2 x 3 pixels; each side must be 1 to 2: crop"):
        read(saved(sample()), max_side=2)


def test_nothing_is_decoded_before_the_size_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_decoded", never)
    for kind in ("PNG", "GIF", "BMP", "WEBP", "JPEG"):
        with pytest.raises(PictureError, match="each side must be"):
            read(saved(LARGE, kind), max_side=59)


def never(*_: object) -> Any:
    raise AssertionError("decoded")


def test_warnings_are_as_before() -> None:
    before = list(warnings.filters)
    for content in (saved(sample()), b"GIF89a", png(15_000, 15_000, data(b""))):
        outcome(content)
    assert warnings.filters == before


def outcome(content: bytes) -> Picture | None:
    try:
        return read(content, max_side=64)
    except PictureError:
        return None


SEEDS = [
    *(saved(sample(mode)) for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")),
    saved(sample("P"), transparency=1),
    saved(sample(), "PNG", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"),
    *(saved(sample(mode), "GIF") for mode in ("L", "P")),
    *(saved(sample(mode), "BMP") for mode in ("1", "P", "RGB", "RGBA")),
    saved(sample(), "WEBP", lossless=True),
    saved(sample(), "JPEG"),
    saved(sample(), "JPEG", progressive=True),
    *map(animation, ("GIF", "PNG", "WEBP")),
]


def mended(content: bytes) -> bytes:
    """A PNG with right sums, so that what was changed is looked at."""
    if not content.startswith(b"\x89PNG"):
        return content
    made, at = content[:8], 8
    while at + 12 <= len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        if at + 12 + size > len(content):
            break
        made += chunk(content[at + 4 : at + 8], content[at + 8 : at + 8 + size])
        at += 12 + size
    return made + content[at:]


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=4),
    st.integers(0, 40),
    st.sampled_from([bytes, mended]),
)
def test_mutated_files_are_read_or_told(
    seed: bytes, edits: list[tuple[int, int]], cut: int, mend: Callable[[bytes], bytes]
) -> None:
    content = bytearray(seed)
    for at, value in edits:
        content[at % len(content)] = value
    picture = outcome(mend(bytes(content[: len(content) - cut])))
    assert picture is None or max(picture.rgba.shape[:2]) <= 64
