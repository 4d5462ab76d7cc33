"""Chaos tests run on the loop that the server runs on."""

from tests.support.aws import aws_peers, aws_stage, microburst
from tests.support.loops import loop_factories as pytest_asyncio_loop_factories

__all__ = ["aws_peers", "aws_stage", "microburst", "pytest_asyncio_loop_factories"]
