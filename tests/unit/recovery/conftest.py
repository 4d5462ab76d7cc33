"""What the tests of recovery share."""

import pytest

from persistence.ports import Store
from tests.support.memory_store import open_memory


@pytest.fixture
def store() -> Store:
    return open_memory()
