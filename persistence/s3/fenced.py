"""Conditional puts: an object changes only from what its writer knows, never to an older fence.

Owns the ETags of what it wrote, as S3 gave them: they are not always checksums. A put that found
something else looks what it was: its own try whose answer was lost, a higher fence, which ends this
writer, or something that may be replaced. Lives on the loop of its client; S3Blobs alone calls it.
"""

from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from persistence.aws.clients import Client
from persistence.blobs import check_fence, fence_of
from persistence.s3.faults import absent, contended, lost, translated
from persistence.s3.metadata import decoded_metadata

ATTEMPTS = 6


@dataclass(frozen=True, slots=True)
class _Found:
    """What lies at a key."""

    etag: str
    headers: dict[str, str]
    size_bytes: int

    @property
    def fence(self) -> int:
        """The fence of whoever wrote it; 0 when it tells none."""
        return fence_of(decoded_metadata(self.headers))


class FencedPuts:
    """Puts objects of one bucket that only a lower or the same fence may have written."""

    def __init__(self, client: Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket
        self._known: dict[str, _Found] = {}

    async def put(self, key: str, data: bytes, headers: dict[str, str], fence: int) -> None:
        """Replace an object. Raises LeaseLost when a higher fence has written it."""
        place = f"s3://{self._bucket}/{key}"
        with translated(place):
            found = self._known.get(key) or await self._look(key)
            for _ in range(ATTEMPTS):
                if found is not None:
                    check_fence(fence, found.fence, place)
                if (etag := await self._try(key, data, headers, found)) is None:
                    found = await self._look(key)
                    if found is None or not _same(found, headers, data):
                        continue
                    etag = found.etag
                self._known[key] = _Found(etag, headers, len(data))
                return
        raise contended(place)

    async def _try(
        self, key: str, data: bytes, headers: dict[str, str], found: _Found | None
    ) -> str | None:
        """Put it in the place of `found`; returns its ETag, or None when that is not there."""
        condition = {"IfNoneMatch": "*"} if found is None else {"IfMatch": found.etag}
        try:
            answer = await self._client.put_object(
                Bucket=self._bucket, Key=key, Body=data, Metadata=headers, **condition
            )
        except ClientError as error:
            if not lost(error):
                raise
            return None
        etag: str = answer["ETag"]
        return etag

    async def _look(self, key: str) -> _Found | None:
        try:
            head: dict[str, Any] = await self._client.head_object(Bucket=self._bucket, Key=key)
        except ClientError as error:
            if not absent(error):
                raise
            return None
        return _Found(head["ETag"], head["Metadata"], head["ContentLength"])


def _same(found: _Found, headers: dict[str, str], data: bytes) -> bool:
    """Return whether it is what we put: by fence, seq and crc, which are among its metadata."""
    return found.headers == headers and found.size_bytes == len(data)
