"""Where a report goes: the terminal, a JSON file or standard output, and a page.

Owns that a file which cannot be written is told before the run. Called by the command line.
"""

import os
from pathlib import Path

import click

from bots.load.page import page
from bots.load.report import Report
from bots.load.text import lines

STANDARD = "-"


def check_targets(json: Path | None, html: Path | None) -> None:
    """Find out before the run, not after it, that a report cannot be written."""
    if str(html) == STANDARD:
        raise click.UsageError("--html takes a file; only --json goes to standard output.")
    for file in (json, html):
        if file is None or str(file) == STANDARD:
            continue
        if not file.absolute().parent.is_dir():
            raise click.UsageError(f"{file}: there is no such folder; make it first.")
        if not os.access(file if file.exists() else file.absolute().parent, os.W_OK):
            raise click.UsageError(f"{file} cannot be written; name another file.")


def write(report: Report, json: Path | None, html: Path | None) -> None:
    """Say the report, and write it to the files; the text makes way for JSON on standard output."""
    piped = str(json) == STANDARD
    for line in lines(report):
        click.echo(line, err=piped)
    encoded = report.model_dump_json(indent=2) + "\n"
    if piped:
        click.echo(encoded, nl=False)
    try:
        if json is not None and not piped:
            json.write_text(encoded, encoding="utf-8")
        if html is not None:
            html.write_text(page(report), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(
            f"{error.filename} cannot be written: {error.strerror}"
        ) from error
