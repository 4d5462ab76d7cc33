"""Pages that can be found, links that lead somewhere, commands that exist."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from tests.support.source import ROOT, markdown_files, read

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MAKE = re.compile(r"\bmake ([a-z][a-z-]*)")
DECISION = re.compile(r"docs/adr/(\d{4})-[a-z0-9-]+\.md")
KINDS = ("tutorial", "how-to", "reference", "explanation", "adr")
PARTS = ("## Context", "## Decision", "## Consequences")


def anchor(heading: str) -> str:
    """The fragment that a heading gets where Markdown is shown."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def links(path: str) -> Iterator[tuple[str, str]]:
    """(file, fragment) of each relative link of a page; the file is relative to the project."""
    for target in LINK.findall(CODE.sub("", read(path))):
        if not re.match(r"[a-z]+:", target):
            file, _, fragment = unquote(target).partition("#")
            absolute = ((ROOT / path).parent / file).resolve() if file else ROOT / path
            yield absolute.relative_to(ROOT).as_posix(), fragment


def broken(path: str) -> Iterator[str]:
    for file, fragment in links(path):
        if not (ROOT / file).exists():
            yield f"{path} -> {file}"
        elif fragment and fragment not in {anchor(text) for text in HEADING.findall(read(file))}:
            yield f"{path} -> {file}#{fragment}"


def decisions() -> list[str]:
    return [path for path in markdown_files() if DECISION.fullmatch(path)]


def test_every_link_leads_somewhere() -> None:
    assert [link for path in markdown_files() for link in broken(path)] == []


def test_every_page_is_in_the_index() -> None:
    pages = {
        path for path in markdown_files() if path.startswith(tuple(f"docs/{k}/" for k in KINDS))
    }
    indexed = {file for file, _ in links("docs/README.md")}
    assert pages - indexed - set(decisions()) == set()


def test_every_decision_is_in_the_index() -> None:
    assert {file for file, _ in links("docs/adr/README.md")} >= set(decisions())


def test_decisions_are_numbered_without_holes() -> None:
    numbers = [int(DECISION.fullmatch(path)[1]) for path in decisions()]  # type: ignore[index]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers


def test_decisions_have_their_parts() -> None:
    for path in decisions():
        text = read(path)
        assert re.search(r"^Status: (accepted|superseded by \[)", text, re.MULTILINE), path
        assert re.search(r"^Date: \d{4}-\d\d-\d\d$", text, re.MULTILINE), path
        assert [part for part in PARTS if f"\n{part}\n" not in text] == [], path


def test_every_make_target_that_is_told_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    told = {
        (path, target)
        for path in markdown_files()
        for code in CODE.findall(read(path))
        for target in MAKE.findall(code)
    }
    assert {(path, target) for path, target in told if target not in targets} == set()


def test_readme_gives_the_two_commands() -> None:
    commands = "\n".join(FENCE.findall(read("README.md")))
    assert "make serve" in commands
    assert "make test" in commands


def test_readme_and_contributing_stay_short() -> None:
    assert len(read("README.md").splitlines()) <= 60
    assert len(read("CONTRIBUTING.md").splitlines()) <= 90
