"""Integration tests run on uvloop; a module that says `BOTH_LOOPS = True` on asyncio's too."""

import asyncio
import importlib
from collections.abc import Callable, Mapping

import pytest

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def pytest_asyncio_loop_factories(item: pytest.Function) -> Mapping[str, LoopFactory]:
    uvloop: LoopFactory = importlib.import_module("uvloop").new_event_loop
    if getattr(item.module, "BOTH_LOOPS", False):
        return {"uvloop": uvloop, "asyncio": asyncio.SelectorEventLoop}
    return {"uvloop": uvloop}
