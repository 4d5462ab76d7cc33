"""From DynamoDB's answers to the store's errors, each with what helps.

Every call of the adapters on DynamoDB runs inside `translated`, so that no exception of the AWS
library leaves this room. A transaction's reasons decide together: one that cannot succeed, then a
condition that did not hold, then what may pass.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from persistence.aws.faults import Fault, answer_fault, code_of, library_fault
from persistence.errors import ConditionFailed, PermanentFault, StoreError, TransientFault

CONDITION = "ConditionalCheckFailedException"
CANCELLED = "TransactionCanceledException"
_SLOW = "DynamoDB asks for patience; it is tried again by itself"
_ITEM = "the item is not one that a store can hold: this is an error in the program, report it"
_MISSING = (
    "is the region right, and the stage? `tesserae tables check` tells what differs, "
    "`tesserae tables create` makes what is missing"
)
_CHANGING = "the table is being made or changed; it is tried again by itself"

_BY_CODE: dict[str, Fault] = {
    CONDITION: (ConditionFailed, ""),
    "IdempotentParameterMismatchException": (PermanentFault, _ITEM),
    "ItemCollectionSizeLimitExceededException": (PermanentFault, _ITEM),
    "LimitExceededException": (TransientFault, _SLOW),
    "ProvisionedThroughputExceededException": (TransientFault, _SLOW),
    "ReplicatedWriteConflictException": (TransientFault, _SLOW),
    "ResourceInUseException": (TransientFault, _CHANGING),
    "ResourceNotFoundException": (PermanentFault, _MISSING),
    "TransactionConflictException": (TransientFault, _SLOW),
    "TransactionInProgressException": (TransientFault, _SLOW),
    "ValidationException": (PermanentFault, _ITEM),
}
_PERMANENT_REASONS = {"ValidationError", "ItemCollectionSizeLimitExceeded"}
_FAILED_CONDITION = "ConditionalCheckFailed"


def fault_of(error: ClientError, place: str) -> StoreError:
    """Return the store's error for an answer about `place`, a table's name."""
    if code_of(error) == CANCELLED:
        return _cancellation(reasons_of(error), place)
    return answer_fault(error, f"table {place}", _BY_CODE)


def reasons_of(error: ClientError) -> list[dict[str, Any]]:
    """Return why a transaction was cancelled, a reason for each of its writes."""
    reasons: list[dict[str, Any]] = error.response.get("CancellationReasons", [])
    return reasons


def condition_failed(reason: dict[str, Any]) -> bool:
    """Return whether a write of a cancelled transaction found something else."""
    return reason.get("Code") == _FAILED_CONDITION


def _cancellation(reasons: list[dict[str, Any]], place: str) -> StoreError:
    codes = [str(reason.get("Code")) for reason in reasons]
    text = f"{place}: a transaction was cancelled ({', '.join(codes)})"
    if _PERMANENT_REASONS & set(codes):
        return PermanentFault(text, _ITEM)
    if _FAILED_CONDITION in codes:
        return ConditionFailed(text)
    return TransientFault(text, _SLOW)


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Raise the store's errors for the library's; `place` is the name of the table."""
    try:
        yield
    except ClientError as error:
        raise fault_of(error, place) from error
    except BotoCoreError as error:
        raise library_fault(error, f"DynamoDB ({place})") from error
