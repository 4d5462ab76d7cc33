"""The examples of the page about palettes are read as it says."""

import re
from collections.abc import Iterator

import pytest

from canvas.palette_files import parse
from tests.support.source import read

PAGE = "docs/how-to/palettes.md"
FENCE = re.compile(r"^```([\w.]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
READ = {
    "hex": (["paper", "night", "#E86A5C", "#FFC857"], 0),
    "paint.txt": (["#FFFFFF", "#1B2A6B"], 0),
    "gpl": (["paper", "night"], 0),
    "pal": (["#FFFFFF", "#1B2A6B"], 0),
    "json": (["paper", None, "#1B2A6B"], 0),
    "conf": (["White", "Navy"], 0),
}


def examples() -> Iterator[tuple[str, str]]:
    return ((kind, text) for kind, text in FENCE.findall(read(PAGE)) if kind != "sh")


def test_the_page_has_an_example_of_each_format() -> None:
    assert [kind for kind, _ in examples()] == list(READ)


@pytest.mark.parametrize(("kind", "text"), list(examples()))
def test_each_example_is_read(kind: str, text: str) -> None:
    palette = parse(text, f"example.{kind}")
    assert ([color and color.name for color in palette.colors], palette.empty) == READ[kind]
