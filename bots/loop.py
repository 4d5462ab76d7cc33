"""The event loop of the bots: uvloop where it is installed.

Called by the command line and by the processes of the load test.
"""

import asyncio
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Take uvloop where it is installed: hundreds of bots in one process are glad of it."""
    if find_spec("uvloop") is None:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    return factory
