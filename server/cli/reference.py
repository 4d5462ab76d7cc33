"""The reference page of the command line, made of the commands themselves.

`python -m server.cli.reference > docs/reference/cli.md` writes it; a test compares. Owns the form
of the page alone: a new command is found by itself.
"""

from collections.abc import Iterator

import click

from server.cli.exits import DONE, FAILED, STORE, USAGE
from server.cli.main import tesserae
from server.cli.options import ALL_NAMES, SettingOption

NAME = "tesserae"
INTRODUCTION = f"""# Command line

Written by `python -m server.cli.reference`; a test holds it against the commands. `--help` after
any of them tells the same.

Exit codes: {DONE} done, or stopped cleanly; {USAGE} usage or configuration; {STORE} the store is
damaged, in use, or taken over by another server; {FAILED} anything else. `tesserae --debug …` shows
the traceback of an error.
"""
ALL_SETTINGS = "Takes every setting as a flag: see [Configuration](configuration.md)."


def to_markdown() -> str:
    """Make the page."""
    return "\n".join([INTRODUCTION, *_sections(tesserae, NAME)])


def _sections(command: click.Command, name: str) -> Iterator[str]:
    context = click.Context(command, info_name=name)
    if not isinstance(command, click.Group):
        yield _section(command, context, name)
        return
    for word in command.list_commands(context):
        found = command.get_command(context, word)
        if found is not None and not found.hidden:
            yield from _sections(found, f"{name} {word}")


def _section(command: click.Command, context: click.Context, name: str) -> str:
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    parts = [f"## `{name}`", f"```text\n{usage}\n```", _help_of(command)]
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    if len([one for one in options if isinstance(one, SettingOption)]) > len(ALL_NAMES) // 2:
        options = [one for one in options if not isinstance(one, SettingOption)]
        parts.append(ALL_SETTINGS)
    rows = [row for option in options for row in _row(option, context)]
    if rows:
        parts.append("\n".join(["| flag | |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _help_of(command: click.Command) -> str:
    """Join the lines of each paragraph: they were wrapped for the source."""
    paragraphs = (command.help or "").replace("\b", "").split("\n\n")
    return "\n\n".join(" ".join(_plain(text).split()) for text in paragraphs)


def _row(option: click.Option, context: click.Context) -> Iterator[str]:
    record = option.get_help_record(context)
    if record is not None and "--help" not in option.opts:
        flag, meaning = record
        yield f"| `{flag.replace('|', chr(92) + '|')}` | {_plain(' '.join(meaning.split()))} |"


def _plain(text: str) -> str:
    """Keep Markdown from reading anything into a text."""
    for mark in "|<*":
        text = text.replace(mark, f"\\{mark}")
    return text


if __name__ == "__main__":
    click.echo(to_markdown(), nl=False)
