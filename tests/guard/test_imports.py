"""No import cycles, so each module imports alone; each adapter library has its one place."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter

import pytest

from tests.support.source import ROOT, Source, dotted_name, module_name, product_sources

IMPORT_ALL = """
import importlib, json, sys
for module in json.load(sys.stdin):
    importlib.import_module(module)
"""

HOMES = {
    "websockets": ("server/transport/", "clients/python/"),
    "aiohttp": ("server/http/", "persistence/s3"),
    "aioboto3": ("persistence/dynamodb", "persistence/s3", "persistence/aws"),
    "boto3": ("persistence/dynamodb", "persistence/s3", "persistence/aws"),
    "botocore": ("persistence/dynamodb", "persistence/s3", "persistence/aws"),
    "sqlite3": ("persistence/sqlite",),
    "structlog": ("server/telemetry/logs",),
    "jwt": ("server/access/auth",),
    "prometheus_client": ("server/telemetry/metrics", "server/telemetry/readings"),
    "uvloop": ("server/loop",),
    "isal": ("server/deflate",),
    "pydantic_settings": ("server/config",),
    "click": ("server/cli/", "bots/"),
    "rich": ("server/cli/", "server/telemetry/progress", "bots/", "pictures/halfblocks"),
    "PIL": ("pictures/",),
    "pyarrow": ("server/cli/",),
    "playwright": (),
    "hypothesis": (),
    "pytest": (),
}


def imported(source: Source) -> Iterator[tuple[str, int]]:
    """Top-level names that a file imports, wherever in it, with the line."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0], node.lineno


def statements_at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """What runs while a module is imported: no function bodies, nothing for type checkers only."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and dotted_name(node.test).endswith("TYPE_CHECKING"):
            waiting.extend(node.orelse)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def needed(source: Source, modules: set[str]) -> set[str]:
    """Modules of ours that have to be there before this one."""
    names: set[str] = set()
    for node in statements_at_import(source.tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            below = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= below & modules or {node.module or ""}
    return (names & modules) - {module_name(source.path)}


def test_there_is_no_import_cycle() -> None:
    """Hence the order of imports cannot matter, and each module imports alone."""
    sources = product_sources()
    modules = {module_name(source.path) for source in sources}
    graph = {module_name(source.path): needed(source, modules) for source in sources}
    assert len(list(TopologicalSorter(graph).static_order())) == len(modules)


@pytest.mark.parametrize("backwards", [False, True])
def test_every_module_can_be_imported(backwards: bool) -> None:
    names = (module_name(source.path) for source in product_sources())
    modules = sorted((n for n in names if not n.endswith("__main__")), reverse=backwards)
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORT_ALL],
        input=json.dumps(modules),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr


def test_relative_imports_are_not_used() -> None:
    """They would slip past the scans of this file."""
    relative = [
        f"{source.path}:{node.lineno}"
        for source in product_sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


@pytest.mark.parametrize("library", sorted(HOMES))
def test_library_is_imported_only_in_its_place(library: str) -> None:
    strays = [
        f"{source.path}:{line}"
        for source in product_sources()
        for name, line in imported(source)
        if name == library and not source.path.startswith(HOMES[library])
    ]
    assert strays == [], f"{library} belongs in {HOMES[library] or 'tests'}"


def test_canvas_and_presence_need_only_pure_modules() -> None:
    allowed = {
        "canvas", "presence", "numpy", "array", "bisect", "collections", "dataclasses", "enum",
        "functools", "heapq", "ipaddress", "itertools", "json", "math", "operator", "re", "types",
        "typing", "zlib",
    }  # fmt: skip
    strays = [
        f"{source.path}:{line} {name}"
        for source in product_sources()
        if source.path.startswith(("canvas/", "presence/"))
        for name, line in imported(source)
        if name not in allowed
    ]
    assert strays == []
