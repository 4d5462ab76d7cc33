"""`tesserae tables`: the tables of the AWS store, made, looked at, and what AWS has to allow.

Owns the group and its flags. Called by main.py.
"""

import asyncio
import os
import re
from typing import Any

import click
import orjson

from server.cli.options import PLACE_NAMES, STORE_NAMES, SettingsCommand, loaded, settings_options
from server.config import Settings

ANY = "*"
ACCOUNT = re.compile(r"[0-9]{12}", re.ASCII)
REGION = re.compile(r"[a-z0-9-]{1,63}", re.ASCII)
REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")


@click.group()
def tables() -> None:
    """Make and check the tables of the AWS store."""


@tables.command(cls=SettingsCommand)
@settings_options(*STORE_NAMES)
@click.option("--dry-run", is_flag=True, help="Show what would be made, and make nothing.")
def create(*, dry_run: bool, **flags: Any) -> int:
    """Make the tables that are missing, and the indexes and TTL that a table lacks.

    Never changes or removes what is there, so that it may be run again at any time. A new table
    takes some seconds, an index over much history longer. The bucket is not made: its rules are
    yours. Takes the flags of serve that name the store.
    """
    settings = _aws_settings(flags)
    from server.cli.table_keeping import create as run  # noqa: PLC0415

    return asyncio.run(run(settings, dry_run=dry_run))


@tables.command(cls=SettingsCommand)
@settings_options(*STORE_NAMES)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def describe(*, as_json: bool, **flags: Any) -> int:
    """Show each table: its state, keys, indexes, billing and TTL, and how much is in it.

    Counts and sizes are DynamoDB's own, up to six hours old. Changes nothing.
    """
    settings = _aws_settings(flags)
    from server.cli.table_keeping import describe as run  # noqa: PLC0415

    return asyncio.run(run(settings, as_json=as_json))


@tables.command(cls=SettingsCommand)
@settings_options(*STORE_NAMES)
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON.")
def check(*, as_json: bool, **flags: Any) -> int:
    """Name every difference between the tables and what they have to be, with what helps.

    Exit code 0 when there is none, 1 when there is one. Changes nothing.
    """
    settings = _aws_settings(flags)
    from server.cli.table_keeping import check as run  # noqa: PLC0415

    return asyncio.run(run(settings, as_json=as_json))


@tables.command(cls=SettingsCommand)
@settings_options(*PLACE_NAMES)
@click.option(
    "--account", required=True, metavar="ID|*",
    help="Account that the tables are in: 12 digits, or * for any.",
)  # fmt: skip
@click.option(
    "--region", metavar="NAME|*", help="Region that the tables are in, or * for any. [AWS_REGION]"
)
@click.option("--read-only", "purpose", flag_value="read", help="For exports, backups and checks.")
@click.option("--create", "purpose", flag_value="create", help="For `tesserae tables create`.")
def policy(account: str, region: str | None, purpose: str | None, **flags: Any) -> None:
    """Print the IAM policy that a server needs, for exactly its tables, indexes and bucket.

    It is JSON, to be given to the role of the task or machine. Without --read-only or --create it
    is for a server, and for the commands that write. Asks AWS nothing.
    """
    settings = _aws_settings(flags)
    account = _checked_account(account)
    region = _checked_region(region or _region(settings))
    from server.openers import policy_for  # noqa: PLC0415

    document = policy_for(settings, region, account, purpose or "serve")
    click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))


def _aws_settings(flags: dict[str, Any]) -> Settings:
    settings = loaded(flags).settings
    if settings.store != "aws":
        raise click.UsageError(
            "the embedded store makes its one file by itself and has no tables to look after;"
            " give --store aws with --bucket, and --stage if it is not dev"
        )
    return settings


def _region(settings: Settings) -> str:
    for region in (settings.region, *map(os.environ.get, REGION_VARIABLES)):
        if region:
            return region
    raise click.UsageError("which region are the tables in? Give --region, or --region '*' for any")


def _checked_region(text: str) -> str:
    if text != ANY and not REGION.fullmatch(text):
        raise click.UsageError(f"{text!r:.100} is no region; give one such as eu-central-1, or '*'")
    return text


def _checked_account(text: str) -> str:
    if text != ANY and not ACCOUNT.fullmatch(text):
        raise click.UsageError(
            f"{text!r:.100} is no account; give its 12 digits"
            " (`aws sts get-caller-identity` tells them), or '*'"
        )
    return text
