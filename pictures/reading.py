"""Picture files, from anywhere, to RGBA: bounded before decoding, and broken ones told as such.

Owns which formats are taken and what is refused: animations, print colours, files too large. Pillow
reads; its warnings are switched for the process meanwhile, so one thread reads at a time. Called by
the command line and the bots, never by a server that serves.
"""

import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError
from PIL.ImageFile import ImageFile

from pictures.bands import bands
from pictures.limits import MAX_COUNTED_BYTES, MAX_FILE_BYTES, MAX_SCANS, MAX_SIDE
from pictures.picture import Picture, PictureError, Pixels

FORMATS = ("PNG", "GIF", "BMP", "WEBP", "JPEG")
SAVE_ANEW = "open it in a picture editor and save it as PNG in 8-bit RGB"
DEEP_GRAY = "I;16"
PLAIN_MODES = {"1", "L", "LA", "P", "PA", "RGB", "RGBA"}
MANY_PICTURES = "MPO"
SCAN = b"\xff\xda"
ORIENTATION = 0x0112
HIGHEST = 255

UPRIGHT = {
    2: (False, 1, -1),
    3: (False, -1, -1),
    4: (False, -1, 1),
    5: (True, 1, 1),
    6: (True, 1, -1),
    7: (True, -1, -1),
    8: (True, -1, 1),
}
"""How Exif's orientations are undone: rows and columns exchanged, then steps along y and x."""

BROKEN = (
    OSError, SyntaxError, ValueError, TypeError, LookupError, EOFError, ArithmeticError,
    AttributeError, AssertionError, RuntimeError, struct.error, zlib.error,
)  # fmt: skip
"""What Pillow's readers raise, each at some broken file or other."""


def read(source: str | Path | bytes, *, max_side: int = MAX_SIDE) -> Picture:
    """Read a picture from a file, or from its bytes. Raises PictureError, which names the file."""
    if isinstance(source, bytes):
        return _read(source, max_side)
    try:
        return _read(_content(Path(source)), max_side)
    except PictureError as error:
        raise PictureError(f"{source}: {error}") from error


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PictureError(f"the picture cannot be read ({reason}); check its path") from error


def _read(content: bytes, max_side: int) -> Picture:
    if len(content) > MAX_FILE_BYTES:
        raise PictureError(
            f"the file has more than {MAX_FILE_BYTES >> 20} MB;"
            " save it with fewer colors, as WebP, or smaller"
        )
    with _opened(content) as image:
        _check_size(image, max_side)
        _check_kind(image)
        _check_work(image, content)
        if image.format == "PNG":
            image.verify()  # the sums of all chunks, which decoding passes over; ends the image
    with _opened(content) as image:
        return Picture(_decoded(image), _notes(image))


@contextmanager
def _opened(content: bytes) -> Iterator[ImageFile]:
    """Open the header alone; whatever fails in the block is told as a broken picture."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(BytesIO(content), formats=FORMATS) as image:
                yield image
        except PictureError:
            raise
        except UnidentifiedImageError as error:
            kinds = "PNG, GIF, BMP, WebP or JPEG"
            raise PictureError(f"the file is no readable {kinds} picture; {SAVE_ANEW}") from error
        except Image.DecompressionBombError as error:
            raise PictureError(
                f"the picture has far too many pixels; make it smaller, up to {MAX_SIDE} a side"
            ) from error
        except BROKEN as error:
            raise PictureError(f"the picture is broken ({error}); {SAVE_ANEW}") from error


def _check_size(image: ImageFile, max_side: int) -> None:
    width, height = image.size
    if not (1 <= width <= max_side and 1 <= height <= max_side):
        raise PictureError(
            f"the picture is {width} x {height} pixels; each side must be 1 to {max_side}:"
            " crop it or make it smaller"
        )


def _check_kind(image: ImageFile) -> None:
    if image.mode not in PLAIN_MODES and image.mode != DEEP_GRAY:
        raise PictureError(f"the picture's colors are {image.mode}, not RGB; {SAVE_ANEW}")
    if _is_deep_with_transparency(image):
        raise PictureError(f"the picture has 16-bit colors, one of them transparent; {SAVE_ANEW}")


def _is_deep_with_transparency(image: ImageFile) -> bool:
    """Whether one of 2¹⁶ values a channel is transparent, which eight bits cannot tell apart."""
    given = image.info.get("transparency", ())
    values = (given,) if isinstance(given, int) else tuple(given)
    return any(value > HIGHEST for value in values) or bool(values and image.mode == DEEP_GRAY)


def _check_work(image: ImageFile, content: bytes) -> None:
    """Refuse files in which a few bytes ask for the work of a whole picture, again and again."""
    if image.format in {"JPEG", MANY_PICTURES}:
        if (scans := content.count(SCAN)) > MAX_SCANS:
            raise PictureError(
                f"the JPEG has {scans} scans, where {MAX_SCANS} are read; {SAVE_ANEW}"
            )
    elif getattr(image, "is_animated", False):
        is_small = len(content) <= MAX_COUNTED_BYTES
        frames = getattr(image, "n_frames", "several") if is_small else "very many"
        raise PictureError(f"the picture is animated, with {frames} frames; save the one you mean")


def _decoded(image: ImageFile) -> Pixels:
    image.load()
    width, height = image.size
    rgba = np.empty((height, width, 4), np.uint8)
    for rows in bands(width, height):
        rgba[rows] = _band(image.crop((0, rows.start, width, rows.stop)))
    swapped, step_y, step_x = UPRIGHT.get(image.getexif().get(ORIENTATION, 1), (False, 1, 1))
    upright = rgba.swapaxes(0, 1) if swapped else rgba
    return np.ascontiguousarray(upright[::step_y, ::step_x])


def _band(band: Image.Image) -> Pixels:
    if band.mode == DEEP_GRAY:
        band = Image.fromarray((np.asarray(band) >> 8).astype(np.uint8))
    return np.asarray(band.convert("RGBA"))


def _notes(image: ImageFile) -> tuple[str, ...]:
    notes = []
    if image.info.get("icc_profile"):
        notes.append("its color profile is ignored: colors are taken by their numbers, as sRGB")
    if image.format in {"JPEG", MANY_PICTURES}:
        notes.append("JPEG blurs colors; take a PNG where each pixel counts")
    return tuple(notes)
