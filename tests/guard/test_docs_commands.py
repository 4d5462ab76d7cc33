"""Command lines in the docs work: their subcommands, flags and variables exist."""

import re
from collections.abc import Iterator

import click
import pytest

from server.cli.main import tesserae
from server.config.table import CONFIG_VARIABLE, ROWS
from tests.support.source import markdown_files, read

FENCE = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\s*(?:docker exec \w+ )?(?:\S*/bin/)?tesserae (?!-t)(.+)$", re.MULTILINE)
SERVE = re.compile(r"""\bmake serve ARGS=["']([^"']+)["']""")
FLAG = re.compile(r"(?<!\S)(--[a-z][a-z0-9-]*)")
VARIABLE = re.compile(r"\bTESSERAE_[A-Z_]+\b")
TOLD = ("README.md", "CONTRIBUTING.md", "docs/tutorial/", "docs/how-to/", "docs/explanation/")


def pages() -> list[str]:
    return [path for path in markdown_files() if path.startswith(TOLD)]


def command_lines(text: str) -> Iterator[str]:
    """Arguments of `tesserae` in the shell blocks of a page."""
    for block in FENCE.findall(text):
        joined = block.replace("\\\n", " ")
        yield from COMMAND.findall(joined)
        yield from (f"serve {arguments}" for arguments in SERVE.findall(joined))


def resolved(arguments: str) -> click.Command:
    """The subcommand that the words before the first flag name."""
    command: click.Command = tesserae
    for word in arguments.split():
        if not isinstance(command, click.Group) or word.startswith("-"):
            break
        found = command.get_command(click.Context(command), word)
        assert found is not None, f"no command {word!r} in `tesserae {arguments}`"
        command = found
    return command


def unknown_flags(arguments: str) -> set[str]:
    known = {name for option in resolved(arguments).params for name in option.opts}
    return set(FLAG.findall(arguments)) - known - {"--help"}


@pytest.mark.parametrize("path", pages())
def test_command_lines_exist(path: str) -> None:
    wrong = {line: unknown_flags(line) for line in command_lines(read(path))}
    assert {line: flags for line, flags in wrong.items() if flags} == {}


@pytest.mark.parametrize("path", [*pages(), "Dockerfile"])
def test_variables_exist(path: str) -> None:
    known = {row.variable for row in ROWS} | {CONFIG_VARIABLE}
    assert {
        name for name in VARIABLE.findall(read(path)) if not name.endswith("_")
    } - known == set()


def test_the_scan_sees_a_wrong_flag() -> None:
    lines = list(
        command_lines('```sh\nmake serve ARGS="--prot 9"\nx/bin/tesserae token --sub a\n```\n')
    )
    assert [unknown_flags(line) for line in lines] == [set(), {"--prot"}]
