"""The reference page of the command line says what the commands say."""

import click

from server.cli.main import tesserae
from server.cli.reference import to_markdown
from tests.support.source import read


def test_the_reference_is_up_to_date() -> None:
    remedy = "run: python -m server.cli.reference > docs/reference/cli.md"
    assert read("docs/reference/cli.md") == to_markdown(), remedy


def test_every_command_is_in_it() -> None:
    page = to_markdown()
    context = click.Context(tesserae)
    assert {
        name for name in tesserae.list_commands(context) if f"## `tesserae {name}" not in page
    } == set()
    for name in ("canvas import", "canvas export", "history export", "bots paint"):
        assert f"## `tesserae {name}`\n" in page
