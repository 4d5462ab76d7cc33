"""Blobs on files: each object is one container file that is replaced as a whole.

`<root>/<key>.blob` holds, numbers little-endian:

    8 bytes   b"TSRBLOB1"
    u32       length of the header
    u32       CRC-32 (zlib) of the header and the data together
    header    UTF-8 JSON {"size": length of the data in bytes, "metadata": {text: text}}
    data

Metadata and data are one file so that they change together. A new one is written beside it as
`.<name>.tmp`, synced, moved over the old one, and the directory is synced. All file work is done in
one thread of its own.
"""

import asyncio
import os
import struct
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import orjson

from persistence.blobs import (
    check_blob_key,
    check_fence,
    checked_metadata,
    fence_of,
    own_fence,
)
from persistence.embedded.disk import make_directory, sync_directory, translated
from persistence.errors import StoreDamaged
from persistence.ports import Blob

Result = TypeVar("Result")

_MAGIC = b"TSRBLOB1"
_HEAD = struct.Struct("<8sII")
_SUFFIX = ".blob"
_TEMPORARY = ".tmp"
_DAMAGED = (
    "put it back from a backup, or remove it to go on with an older one; `tesserae store check`"
    " tells whether more is damaged"
)


class FileBlobs:
    """The `Blobs` port on a directory, which is made when something is first put."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._threads = ThreadPoolExecutor(1, "store-blobs")

    async def put(
        self, key: str, data: bytes, metadata: Mapping[str, str], *, fenced: bool = False
    ) -> None:
        """Replace an object atomically; durable when it returns."""
        path = self._path(key)
        header = _header(len(data), metadata)
        fence = own_fence(metadata) if fenced else None
        await self._run(lambda: _replace(path, header, data, fence), path)

    async def get(self, key: str) -> Blob | None:
        """Read an object; None when there is none; StoreDamaged when its container is broken."""
        path = self._path(key)
        return await self._run(lambda: _read(path), path)

    async def list(self, prefix: str) -> list[str]:
        """Keys that begin with `prefix`, sorted."""
        keys = await self._run(lambda: _keys(self._root), self._root)
        return sorted(key for key in keys if key.startswith(prefix))

    async def delete(self, key: str) -> None:
        """Remove an object; not an error when it is not there."""
        path = self._path(key)
        await self._run(lambda: _remove(path), path)

    async def remove_leftovers(self) -> None:
        """Remove what a killed process left half written; for the one writer, when it begins."""
        await self._run(lambda: _remove_leftovers(self._root), self._root)

    async def close(self) -> None:
        """Finish what was asked and end the thread."""
        await asyncio.to_thread(self._threads.shutdown)

    async def _run(self, work: Callable[[], Result], path: Path) -> Result:
        def mapped() -> Result:
            with translated(path):
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._threads, mapped)

    def _path(self, key: str) -> Path:
        return self._root / f"{check_blob_key(key)}{_SUFFIX}"


def _header(size_bytes: int, metadata: Mapping[str, str]) -> bytes:
    return orjson.dumps({"size": size_bytes, "metadata": checked_metadata(metadata)})


def _replace(path: Path, header: bytes, data: bytes, fence: int | None) -> None:
    if fence is not None:
        check_fence(fence, _stored_fence(path), str(path))
    _write(path, header, data)


def _stored_fence(path: Path) -> int:
    """Return the fence of what is there; 0 for what is damaged, which may be replaced."""
    try:
        with path.open("rb") as file:
            _, header_size, _ = _HEAD.unpack(file.read(_HEAD.size))
            return fence_of(orjson.loads(file.read(header_size))["metadata"])
    except (FileNotFoundError, struct.error, ValueError, LookupError, TypeError):
        return 0


def _write(path: Path, header: bytes, data: bytes) -> None:
    make_directory(path.parent)
    temporary = path.with_name(f".{path.name}{_TEMPORARY}")
    checksum = zlib.crc32(data, zlib.crc32(header))
    try:
        with temporary.open("wb") as file:
            file.write(_HEAD.pack(_MAGIC, len(header), checksum) + header)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def _read(path: Path) -> Blob | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        return _opened(content)
    except ValueError as error:
        raise StoreDamaged(f"{path} is damaged: {error}", _DAMAGED) from error


def _opened(content: bytes) -> Blob:
    """Take a container apart. Raises ValueError when it is not whole."""
    if len(content) < _HEAD.size:
        raise ValueError("it ends within its head")
    magic, header_size, checksum = _HEAD.unpack_from(content)
    if magic != _MAGIC:
        raise ValueError("it does not begin as a blob does")
    body = memoryview(content)[_HEAD.size :]
    if zlib.crc32(body) != checksum:
        raise ValueError("its checksum does not hold")
    header = orjson.loads(body[:header_size])
    return Blob(bytes(body[header_size:]), header["metadata"])


def _keys(root: Path) -> list[str]:
    return [
        path.relative_to(root).as_posix().removesuffix(_SUFFIX)
        for path in root.rglob(f"*{_SUFFIX}")
        if path.is_file()
    ]


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except FileNotFoundError:
        return
    sync_directory(path.parent)


def _remove_leftovers(root: Path) -> None:
    for path in root.rglob(f".*{_SUFFIX}{_TEMPORARY}"):
        path.unlink(missing_ok=True)
