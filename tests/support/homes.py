"""Where a board lives in tests that hold on every store: a data directory, or a stage on AWS.

Each life opens the store anew, as a process does. `home` is a fixture; a conftest imports it with
those of `tests.support.aws`. Without the peers the half on AWS says so and is skipped.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from persistence.ports import Store
from tests.support.aws import AwsStage
from tests.support.stores import embedded

STORES = ("embedded", "aws")


@dataclass(frozen=True, slots=True)
class Home:
    """One place, empty at first."""

    data: Path
    """The data directory of its servers, which on AWS stays empty."""
    opened: Callable[[], AbstractAsyncContextManager[Store]]
    """The store as its one writer opens it; what its lease forbids is the caller's care."""
    flags: tuple[str, ...]
    """What a server is told beside its data directory."""
    refusing: tuple[str, ...]
    """What one is told that shall not wait for another to go."""
    remedy: str
    """What one is told that finds another: a part of the words."""


@pytest.fixture(params=STORES)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Home:
    """Each in turn."""
    data = tmp_path / "data"
    if request.param == "embedded":
        return Home(data, lambda: embedded(data), (), (), "--data")
    stage: AwsStage = request.getfixturevalue("aws_stage")
    return Home(data, stage.writing, stage.flags(), ("--lease", "fail"), "--lease wait")
