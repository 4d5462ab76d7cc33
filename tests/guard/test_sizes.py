"""Sizes that keep the code readable: short functions, files that fit in a head."""

from collections.abc import Iterable

import pytest

from tests.support.source import (
    Source,
    functions,
    product_sources,
    project_files,
    python_sources,
    read,
)

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
USUAL_FUNCTION_LINES = 25
USUAL_SHARE = 0.9
MAX_MEDIAN_LINES = 7
CODE_ENDINGS = (".py", ".js", ".mjs", ".css", ".html", ".c")


def function_sizes(sources: Iterable[Source]) -> dict[str, int]:
    return {
        f"{source.path}:{function.lineno} {function.name}": (function.end_lineno or 0)
        - function.lineno
        + 1
        for source in sources
        for function in functions(source.tree)
    }


def test_no_file_is_too_long() -> None:
    lines = {
        path: read(path).count("\n") for path in project_files() if path.endswith(CODE_ENDINGS)
    }
    assert {path: n for path, n in lines.items() if n > MAX_FILE_LINES} == {}


def test_no_function_is_too_long() -> None:
    sizes = function_sizes(python_sources())
    assert {name: n for name, n in sizes.items() if n > MAX_FUNCTION_LINES} == {}


def test_nine_in_ten_functions_are_short() -> None:
    sizes = sorted(function_sizes(product_sources()).values())
    if not sizes:
        pytest.fail("found no function: the scan looks in the wrong place")
    short = sum(n < USUAL_FUNCTION_LINES for n in sizes)
    assert short >= USUAL_SHARE * len(sizes)
    assert sizes[len(sizes) // 2] <= MAX_MEDIAN_LINES
