"""Ears for faults that a test does not expect."""

from typing import NoReturn

import pytest

from persistence.errors import StoreError


def unexpected(fault: StoreError) -> NoReturn:
    """Fail the test, as no `except Exception` of the code under test can hide."""
    pytest.fail(f"told of a fault: {fault!r}")
