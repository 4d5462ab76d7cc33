"""The loops that tests on real sockets run on: uvloop, as the server does."""

import asyncio
import importlib
from collections.abc import Callable, Mapping

import pytest

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def loop_factories(item: pytest.Function) -> Mapping[str, LoopFactory]:
    """uvloop; for a module that says `BOTH_LOOPS = True` asyncio's too."""
    uvloop: LoopFactory = importlib.import_module("uvloop").new_event_loop
    if getattr(item.module, "BOTH_LOOPS", False):
        return {"uvloop": uvloop, "asyncio": asyncio.SelectorEventLoop}
    return {"uvloop": uvloop}
