"""The page of the cases names tests that exist, and leaves out none that bears a case's number."""

import re

from tests.support.source import functions, python_sources, read

PAGE = "docs/explanation/cases.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
ROW = re.compile(r"^\| (C\d+b?) \|", re.MULTILINE)
NUMBER = re.compile(r"test_(c\d+b?)_")


def known_tests() -> set[tuple[str, str]]:
    return {
        (source.path, function.name)
        for source in python_sources("tests")
        for function in functions(source.tree)
    }


def test_every_test_that_is_named_exists() -> None:
    known = known_tests()
    files = {path for path, _ in known}
    named = set(TEST.findall(read(PAGE)))
    assert named
    assert {(path, name) for path, name in named if name and (path, name) not in known} == set()
    assert {path for path, _ in named} - files == set()


def test_every_numbered_test_has_its_row() -> None:
    rows = {row.lower() for row in ROW.findall(read(PAGE))}
    numbers = [NUMBER.match(name) for _, name in known_tests()]
    numbered = {number[1] for number in numbers if number is not None}
    assert numbered - rows == set()


def test_rows_are_in_order() -> None:
    numbers = [(int(re.sub(r"\D", "", row)), row) for row in ROW.findall(read(PAGE))]
    assert numbers == sorted(numbers)
    assert len(numbers) == len(set(numbers))
