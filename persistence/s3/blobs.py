"""The Blobs port on S3: whole objects of one bucket, their metadata as headers.

All calls are made on a loop of their own (aws/loop.py): a body of 32 MB holds a loop for 49 ms. A
body that breaks off is read again here, since the library tries only what comes before it.
"""

import re
from collections.abc import Mapping
from typing import Any

from aiohttp import ClientPayloadError
from botocore.exceptions import (
    ClientError,
    FlexibleChecksumError,
    IncompleteReadError,
    ReadTimeoutError,
    ResponseStreamingError,
)

from persistence.aws.clients import Client
from persistence.aws.faults import foreign
from persistence.aws.loop import LoopThread
from persistence.blobs import check_blob_key, own_fence
from persistence.errors import PermanentFault, StoreDamaged
from persistence.ports import Blob
from persistence.s3.faults import absent, cut, translated
from persistence.s3.fenced import FencedPuts
from persistence.s3.metadata import decoded_metadata, encoded_metadata

MAX_BLOB_BYTES = 256 * 1024 * 1024
"""Eight times the largest canvas; what is larger is none of ours, and is not read."""
READS = 3
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_BROKEN = (ClientPayloadError, IncompleteReadError, ReadTimeoutError, ResponseStreamingError)
_DAMAGED = (
    "bring back an older version of it, or remove it to go on with an older snapshot;"
    " `tesserae store check` tells whether more is damaged"
)


class S3Blobs:
    """The `Blobs` port on `bucket`; `client` lives on `loop`, and is used there alone."""

    def __init__(self, loop: LoopThread, client: Client, bucket: str) -> None:
        if not _BUCKET.fullmatch(bucket):
            raise PermanentFault(
                f"no bucket is called {bucket!r:.100}",
                "give --bucket 3 to 63 of a-z, 0-9, '.' and '-', at its ends a letter or digit",
            )
        self._loop = loop
        self._client = client
        self._bucket = bucket
        self._fenced = FencedPuts(client, bucket)

    async def put(
        self, key: str, data: bytes, metadata: Mapping[str, str], *, fenced: bool = False
    ) -> None:
        """Replace an object atomically; durable when it returns."""
        check_blob_key(key)
        headers = encoded_metadata(metadata)
        if fenced:
            fence = own_fence(metadata)
            await self._loop.run(self._fenced.put(key, data, headers, fence))
        else:
            await self._loop.run(self._put(key, data, headers))

    async def get(self, key: str) -> Blob | None:
        """Read an object; None when there is none; StoreDamaged when it is not what was put."""
        return await self._loop.run(self._get(check_blob_key(key)))

    async def list(self, prefix: str) -> list[str]:
        """Keys that begin with `prefix`, sorted."""
        with translated(self._place()):
            return sorted(await self._loop.run(_keys(self._client, self._bucket, prefix)))

    async def delete(self, key: str) -> None:
        """Remove an object; not an error when it is not there."""
        await self._loop.run(self._delete(check_blob_key(key)))

    async def _put(self, key: str, data: bytes, headers: dict[str, str]) -> None:
        with translated(self._place(key)):
            await self._client.put_object(Bucket=self._bucket, Key=key, Body=data, Metadata=headers)

    async def _get(self, key: str) -> Blob | None:
        broken: Exception | None = None
        for _ in range(READS):
            with translated(self._place(key)):
                try:
                    return await self._read(key)
                except (*_BROKEN, FlexibleChecksumError) as error:
                    broken = error
                except ClientError as error:
                    if not absent(error):
                        raise
                    return None
        if isinstance(broken, FlexibleChecksumError):
            raise StoreDamaged(f"{self._place(key)} is damaged: {broken}", _DAMAGED) from broken
        assert broken is not None  # noqa: S101 - every read that returns nothing broke
        raise cut(self._place(key), broken) from broken

    async def _read(self, key: str) -> Blob:
        answer: dict[str, Any] = await self._client.get_object(Bucket=self._bucket, Key=key)
        body = answer["Body"]
        async with body:  # which gives the raw stream, whose reads check neither sum nor length
            if answer["ContentLength"] > MAX_BLOB_BYTES:
                raise StoreDamaged(
                    f"{self._place(key)} has {answer['ContentLength']} bytes, no blob of ours",
                    _DAMAGED,
                )
            data: bytes = await body.read()
        return Blob(data, decoded_metadata(answer["Metadata"]))

    async def _delete(self, key: str) -> None:
        with translated(self._place(key)):
            await self._client.delete_object(Bucket=self._bucket, Key=key)

    def _place(self, key: str = "") -> str:
        return f"s3://{self._bucket}/{key}"


async def _keys(client: Client, bucket: str, prefix: str) -> list[str]:
    keys: list[str] = []
    following: dict[str, str] = {}
    while True:
        page = await client.list_objects_v2(Bucket=bucket, Prefix=prefix, **following)
        if "Name" not in page:  # of the bucket, which S3 repeats always
            raise foreign(f"s3://{bucket}")
        keys += [entry["Key"] for entry in page.get("Contents", [])]
        if not page.get("IsTruncated"):
            return keys
        following = {"ContinuationToken": page["NextContinuationToken"]}
