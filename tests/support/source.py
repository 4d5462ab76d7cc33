"""The project's own files, for the guard tests: what is there, and parsed Python.

Lists what git would commit (tracked and new files, ignored ones not); where there is no git it
walks the tree instead. Read once per process.
"""

import ast
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "canvas",
    "pictures",
    "presence",
    "persistence",
    "server",
    "bots",
    "clients/python/tesserae_client",
)
NOT_OURS = {"data", "dist", "build", "node_modules", "htmlcov", "__pycache__"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source(NamedTuple):
    """One Python file."""

    path: str
    text: str
    tree: ast.Module


@cache
def project_files() -> tuple[str, ...]:
    """All files of the project, relative to its root, sorted."""
    found = _listed_by_git() if (ROOT / ".git").exists() and shutil.which("git") else _walked()
    return tuple(sorted(path for path in found if (ROOT / path).is_file()))


def _listed_by_git() -> Iterator[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return (name for name in listed.stdout.decode().split("\0") if name)


def _walked() -> Iterator[str]:
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        hidden = any(part.startswith(".") for part in parts[:-1] if part != ".ci")
        if not hidden and not NOT_OURS.intersection(parts):
            yield "/".join(parts)


def read(path: str) -> str:
    """The text of one file of the project."""
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def parsed(path: str) -> Source:
    """One Python file of the project."""
    text = read(path)
    return Source(path, text, ast.parse(text, path))


def python_sources(*folders: str) -> tuple[Source, ...]:
    """Parsed Python files under the given folders (all of the project when none is given)."""
    prefixes = tuple(f"{folder}/" for folder in folders) or ("",)
    paths = (path for path in project_files() if path.endswith(".py") and path.startswith(prefixes))
    return tuple(parsed(path) for path in paths)


def product_sources() -> tuple[Source, ...]:
    """The Python files that ship."""
    return python_sources(*PACKAGES)


def markdown_files() -> list[str]:
    """All Markdown pages of the project."""
    return [path for path in project_files() if path.endswith(".md")]


def functions(tree: ast.AST) -> Iterator[Function]:
    """All functions and methods of a file, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """What runs when the function runs: its nodes without those of functions inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def dotted_name(node: ast.AST) -> str:
    """`a.b.c` of a name or attribute; a part that is no name (a call, say) is `?`."""
    if isinstance(node, ast.Attribute):
        return f"{dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def module_name(path: str) -> str:
    """The dotted module name of a product file."""
    dotted = path.removeprefix("clients/python/").removesuffix(".py").replace("/", ".")
    return dotted.removesuffix(".__init__")
