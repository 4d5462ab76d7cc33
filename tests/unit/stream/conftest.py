"""What the tests of the stream share."""

from typing import Any

import pytest

from tests.support.stage import Stage


@pytest.fixture
async def stage() -> Any:
    made = Stage()
    yield made
    await made.stop()
