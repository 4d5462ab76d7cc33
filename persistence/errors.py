"""Everything that can go wrong with a store, as one tree.

StoreError
├── ConditionFailed     a conditional write found something else: a plain outcome
├── TransientFault      try again, for as long as it takes (disk full, throttled, timed out)
├── PermanentFault      trying again will not help (missing table, no access, bad item)
│   └── NoStore         there is nothing to read yet
├── StoreDamaged        what is stored cannot be trusted; nothing was changed
├── StoreInUse          another process holds the right to write
└── LeaseLost           another process took the right to write, which this one had
"""


# ruff: noqa: N818 - they are named after what happened, as the design pages name them


class StoreError(Exception):
    """A store could not do what was asked; `hint` tells the operator what helps."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ConditionFailed(StoreError):
    """The condition of a write did not hold; nothing was written."""


class TransientFault(StoreError):
    """The store is away or full for now; the same call may succeed later."""


class PermanentFault(StoreError):
    """The store refuses for good until somebody mends it."""


class NoStore(PermanentFault):
    """Reading was asked for where no store was ever made."""


class StoreDamaged(StoreError):
    """Stored data is not what was written; nothing was changed."""


class StoreInUse(StoreError):
    """Another process writes to this store; the message names it.

    `url` is where it is reached, if it has said so.
    """

    def __init__(self, message: str, hint: str = "", *, url: str = "") -> None:
        super().__init__(message, hint)
        self.url = url


class LeaseLost(StoreError):
    """Another process took over; this one must stop writing, and nothing of it was changed."""
