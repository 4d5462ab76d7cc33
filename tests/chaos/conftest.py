"""Chaos tests run on the loop that the server runs on."""

from tests.support.loops import loop_factories as pytest_asyncio_loop_factories

__all__ = ["pytest_asyncio_loop_factories"]
