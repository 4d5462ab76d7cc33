"""Chooses the event loop: uvloop where it is installed, the standard loop elsewhere.

Called once by the composition root, which logs the choice. Nothing else of the server asks which
loop runs it.
"""

import asyncio
import importlib
import sys
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

SWITCH_INTERVAL = 0.001
"""Seconds after which a thread that waits for the interpreter gets it. With Python's 5 ms the loop
has 50 turns, not 700, while a snapshot of 1,000 players is written down beside it."""


class LoopChoice(NamedTuple):
    """The loop that the process runs on."""

    name: str
    """`uvloop` or `asyncio`, for the log."""
    factory: Callable[[], asyncio.AbstractEventLoop] | None
    """None lets asyncio make its own."""


def choose_loop() -> LoopChoice:
    """Take uvloop when it can be imported."""
    try:
        uvloop = importlib.import_module("uvloop")
    except ImportError:
        return LoopChoice("asyncio", None)
    return LoopChoice("uvloop", uvloop.new_event_loop)


def run_on(choice: LoopChoice, main: Coroutine[Any, Any, int]) -> int:
    """Run a coroutine to its end on a loop of its own and return its exit code."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        with asyncio.Runner(loop_factory=choice.factory) as runner:
            return runner.run(main)
    finally:
        sys.setswitchinterval(before)
