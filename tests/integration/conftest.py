"""Integration tests run on uvloop; a module that says `BOTH_LOOPS = True` on asyncio's too."""

from tests.support.aws import aws_peers, aws_stage
from tests.support.loops import loop_factories as pytest_asyncio_loop_factories

__all__ = ["aws_peers", "aws_stage", "pytest_asyncio_loop_factories"]
