"""Whoever is told that a store is damaged is told, too, which command of ours helps."""

import ast
from collections.abc import Iterator
from importlib import import_module

from tests.support.source import Source, dotted_name, functions, product_sources

COMMAND = "tesserae "


def texts_in(node: ast.AST, source: Source) -> Iterator[str]:
    """The texts that an expression is made of: its own, and those of the names in it."""
    module = import_module(source.path.removesuffix(".py").replace("/", "."))
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.Name):
            yield str(getattr(module, part.id, ""))


def local_texts(function: ast.AST, name: str, source: Source) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and name in {dotted_name(one) for one in node.targets}:
            yield from texts_in(node.value, source)


def hints(source: Source) -> Iterator[tuple[int, str]]:
    """Where damage is told, and the texts of its hint."""
    for function in functions(source.tree):
        for node in ast.walk(function):
            if not (isinstance(node, ast.Call) and dotted_name(node.func) == "StoreDamaged"):
                continue
            hint = node.args[1] if len(node.args) > 1 else ast.Constant("")
            texts = list(texts_in(hint, source))
            if isinstance(hint, ast.Name):
                texts += local_texts(function, hint.id, source)
            yield node.lineno, "".join(texts)


def test_every_damage_names_a_command() -> None:
    told = {
        f"{source.path}:{line}": hint
        for source in product_sources()
        if "StoreDamaged(" in source.text and not source.path.endswith("errors.py")
        for line, hint in hints(source)
    }
    assert len(told) > 10
    assert {place: hint for place, hint in told.items() if COMMAND not in hint} == {}
