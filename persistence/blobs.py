"""What every store asks of a blob's key, of its metadata and of its writer's fence.

Pure; the adapters of the `Blobs` port call it, so that what one store takes every other takes too.
"""

import re
from collections.abc import Mapping

from persistence.errors import LeaseLost, PermanentFault

FENCE = "fence"
"""Which metadata tells the writer's fence."""
MAX_METADATA_BYTES = 680
"""Of names and values: what S3 has room for when each byte of them is escaped."""
_KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
_MAX_KEY_CHARS = 512
_CONTAINER = ".blob/"
"""How the embedded store's files end; a key's folder must not."""
_NAME = re.compile(r"[a-z][A-Za-z0-9]*")
_TAKEN_OVER = "this process must stop; `tesserae lease show` tells who writes now"


def check_blob_key(key: str) -> str:
    """Return `key` when every store can hold it. Raises PermanentFault."""
    if len(key) > _MAX_KEY_CHARS or not _KEY.fullmatch(key) or _CONTAINER in key:
        raise PermanentFault(
            f"{key!r:.600} is no key of a blob",
            "use letters, digits, '_', '-', '.' and '/' between names, none beginning with '.'",
        )
    return key


def checked_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    """Return a copy when every store can hold it. Raises PermanentFault."""
    try:
        sizes = [len(part.encode()) for pair in metadata.items() for part in pair]
    except (AttributeError, UnicodeEncodeError) as error:
        raise PermanentFault(
            "metadata of a blob that is no text", "names and values are texts"
        ) from error
    for name in metadata:
        if not _NAME.fullmatch(name):
            raise PermanentFault(f"{name!r:.200} is no name of metadata", "write it likeThis")
    if sum(sizes) > MAX_METADATA_BYTES:
        raise PermanentFault(
            "the metadata of a blob are too long", f"{MAX_METADATA_BYTES} bytes are the most"
        )
    return dict(metadata)


def fence_of(metadata: Mapping[str, str]) -> int:
    """Return the fence of whoever wrote a stored object; 0 when it tells none."""
    text = metadata.get(FENCE, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def own_fence(metadata: Mapping[str, str]) -> int:
    """Return the fence of a writer. Raises PermanentFault when it gives none."""
    if (fence := fence_of(metadata)) > 0:
        return fence
    raise PermanentFault("a fenced blob without its fence", f"give it as metadata {FENCE!r}")


def check_fence(own: int, stored: int, place: str) -> None:
    """Raise LeaseLost when what is stored was written by whoever came after us."""
    if stored > own:
        raise LeaseLost(
            f"{place} was written with fence {stored}, and ours is {own}: another writer took over",
            _TAKEN_OVER,
        )
