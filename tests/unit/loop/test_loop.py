"""The choice of the event loop."""

import asyncio
import sys

import pytest

from server.loop import SWITCH_INTERVAL, LoopChoice, choose_loop, run_on


def test_the_standard_loop_where_uvloop_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert choose_loop() == LoopChoice("asyncio", None)


def test_uvloop_where_it_is_installed() -> None:
    pytest.importorskip("uvloop", reason="uvloop is not installed")
    choice = choose_loop()
    assert choice.name == "uvloop"

    async def named() -> int:
        return len(type(asyncio.get_running_loop()).__module__)

    assert run_on(choice, named()) == len("uvloop")


def test_the_exit_code_is_handed_on() -> None:
    async def stopped() -> int:
        return 3

    assert run_on(LoopChoice("asyncio", None), stopped()) == 3


def test_threads_beside_the_loop_let_it_go_on_soon() -> None:
    before = sys.getswitchinterval()

    async def interval_us() -> int:
        return round(1e6 * sys.getswitchinterval())

    assert run_on(LoopChoice("asyncio", None), interval_us()) == round(1e6 * SWITCH_INTERVAL)
    assert sys.getswitchinterval() == before
