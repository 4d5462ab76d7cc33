"""From S3's answers to the store's errors, each with what helps.

Every call of the adapter of blobs runs inside `translated`, so that no exception of the AWS library
leaves this room. An answer to HEAD has no body, so that its status stands for its code.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

from persistence.aws.faults import Fault, answer_fault, code_of, library_fault
from persistence.errors import PermanentFault, TransientFault

_ACCESS = (
    "is it your bucket (--bucket)? allow s3:ListBucket on it, and s3:GetObject, s3:PutObject and "
    "s3:DeleteObject on what is in it, in the policy of the role or user; "
    "`tesserae tables policy` prints one"
)
_KEYS = "are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY right, or the role?"
_MISSING = "make the bucket, or name another one with --bucket"
_REGION = "the bucket is in another region: set AWS_REGION or --region to its own"
_BAD = "look at --region, --endpoint-url-s3 and the credentials"
_SLOW = "S3 asks for patience; it is tried again by itself"
_CHANGED = "something else writes the same object; it is tried again by itself"
_ON_ITS_WAY = "the body was changed or cut on its way; it is tried again by itself"

_LOST = {"PreconditionFailed", "412", "NoSuchKey", "404", "ConditionalRequestConflict", "409"}
"""Codes by which a conditional put learns that it found something else."""
_ABSENT = {"NoSuchKey", "404"}

_BY_CODE: dict[str, Fault] = {
    "301": (PermanentFault, _REGION),
    "400": (PermanentFault, _BAD),
    "403": (PermanentFault, f"{_KEYS}; {_ACCESS}"),
    "AccessDenied": (PermanentFault, _ACCESS),
    "AllAccessDisabled": (PermanentFault, _ACCESS),
    "AuthorizationHeaderMalformed": (PermanentFault, _REGION),
    "BadDigest": (TransientFault, _ON_ITS_WAY),
    "ConditionalRequestConflict": (TransientFault, _CHANGED),
    "IllegalLocationConstraintException": (PermanentFault, _REGION),
    "IncompleteBody": (TransientFault, _ON_ITS_WAY),
    "NoSuchBucket": (PermanentFault, _MISSING),
    "OperationAborted": (TransientFault, _CHANGED),
    "PermanentRedirect": (PermanentFault, _REGION),
    "TemporaryRedirect": (TransientFault, _SLOW),
    "XAmzContentSHA256Mismatch": (TransientFault, _ON_ITS_WAY),
}


def lost(error: ClientError) -> bool:
    """Return whether a conditional put found something else than it knew."""
    return code_of(error) in _LOST


def absent(error: ClientError) -> bool:
    """Return whether there is no such object."""
    return code_of(error) in _ABSENT


def contended(place: str) -> TransientFault:
    """Return the fault of a put that found something else again and again."""
    return TransientFault(f"{place}: it is changed all the time", _CHANGED)


def cut(place: str, error: Exception) -> TransientFault:
    """Return the fault of a body that did not come whole."""
    return TransientFault(f"{place}: {error}", _ON_ITS_WAY)


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Raise the store's errors for the library's; `place` is the bucket, with a key or not."""
    try:
        yield
    except ClientError as error:
        raise answer_fault(error, place, _BY_CODE) from error
    except BotoCoreError as error:
        raise library_fault(error, place) from error
