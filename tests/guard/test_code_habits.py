"""Habits that no linter keeps for us: nothing swallowed, nothing blocking, nothing that sleeps."""

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.support.source import (
    PACKAGES,
    ROOT,
    Source,
    dotted_name,
    functions,
    own_nodes,
    product_sources,
    python_sources,
)

TOO_WIDE = {"Exception", "BaseException"}
BLOCKING = {
    "time.sleep", "open", "io.open", "os.open", "os.fsync", "os.replace", "os.rename", "os.unlink",
    "os.stat", "os.listdir", "os.scandir", "shutil.copy", "shutil.rmtree", "shutil.move",
    "sqlite3.connect", "subprocess.run", "subprocess.check_output", "subprocess.check_call",
    "socket.create_connection", "socket.getaddrinfo", "socket.gethostbyname", "input",
    "urllib.request.urlopen",
}  # fmt: skip
BLOCKING_METHODS = {
    "read_bytes", "read_text", "write_bytes", "write_text", "execute", "executemany", "fetchall",
    "mkdir", "unlink", "iterdir", "rglob", "touch",
}  # fmt: skip


def is_blocking(name: str) -> bool:
    return name in BLOCKING or name.rpartition(".")[2] in BLOCKING_METHODS


def blocking_calls(source: Source) -> Iterator[str]:
    for function in functions(source.tree):
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        nodes = list(own_nodes(function))
        awaited = {id(node.value) for node in nodes if isinstance(node, ast.Await)}
        for node in nodes:
            if isinstance(node, ast.Call) and id(node) not in awaited:
                name = dotted_name(node.func)
                if is_blocking(name):
                    yield f"{source.path}:{node.lineno} {name}() in {function.name}"


def caught(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {"BaseException"}
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {dotted_name(kind).rpartition(".")[2] for kind in types}


def does_nothing(body: list[ast.stmt]) -> bool:
    return all(
        isinstance(line, ast.Pass | ast.Continue)
        or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
        for line in body
    )


def swallowed(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler):
            hides = bool(caught(node) & TOO_WIDE) and does_nothing(node.body)
        elif isinstance(node, ast.Call) and dotted_name(node.func).endswith("suppress"):
            hides = not TOO_WIDE.isdisjoint(dotted_name(kind) for kind in node.args)
        else:
            continue
        if hides:
            yield f"{source.path}:{node.lineno}"


def test_nothing_blocks_the_loop() -> None:
    sources = python_sources("server", "presence", "bots", "clients/python/tesserae_client")
    assert [found for source in sources for found in blocking_calls(source)] == []


def test_the_scan_sees_a_blocking_call() -> None:
    text = (
        "async def f():\n    time.sleep(1)\n    def g():\n        open('x')\n    await a.execute()"
    )
    found = list(blocking_calls(Source("f.py", text, ast.parse(text))))
    assert found == ["f.py:2 time.sleep() in f"]


def test_no_exception_is_swallowed() -> None:
    assert [found for source in python_sources() for found in swallowed(source)] == []


def test_the_scan_sees_a_swallowed_exception() -> None:
    text = "try:\n    f()\nexcept Exception:\n    pass\nwith suppress(Exception):\n    f()"
    assert len(list(swallowed(Source("f.py", text, ast.parse(text))))) == 2


def test_no_test_sleeps() -> None:
    """Waiting for something is bounded polling, and lives in tests/support alone."""
    naps = [
        f"{source.path}:{node.lineno}"
        for source in python_sources("tests")
        if not source.path.startswith("tests/support/")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and dotted_name(node.func) in {"time.sleep", "asyncio.sleep"}
        and not (isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
    ]
    assert naps == []


def lines_with(mark: str, sources: Iterable[Source]) -> list[str]:
    return [
        f"{source.path}:{number}"
        for source in sources
        for number, line in enumerate(source.text.splitlines(), 1)
        if mark in line
    ]


@pytest.mark.parametrize("mark", ["TO" + "DO", "FIX" + "ME", "XX" + "X"])
def test_nothing_is_left_for_later(mark: str) -> None:
    assert lines_with(mark, python_sources()) == []


def test_no_stub_ships() -> None:
    assert lines_with("raise NotImplementedError", product_sources()) == []


def test_every_package_is_typed() -> None:
    assert [path for path in PACKAGES if not (ROOT / path / "py.typed").is_file()] == []


def test_every_module_says_what_it_owns() -> None:
    assert [s.path for s in product_sources() if not ast.get_docstring(s.tree)] == []
