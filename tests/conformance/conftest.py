"""Everything here runs on uvloop; what opens a server or a socket is an integration test."""

from pathlib import Path

import pytest

from tests.support.aws import aws_peers, aws_stage
from tests.support.homes import home
from tests.support.loops import loop_factories as pytest_asyncio_loop_factories

__all__ = ["aws_peers", "aws_stage", "home", "pytest_asyncio_loop_factories"]

SOCKETLESS = {"test_c35_stack.py", "test_c68_forwarded_for.py", "test_order_of_refusals.py"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.name not in SOCKETLESS:
            item.add_marker(pytest.mark.integration)
