"""`tesserae store copy`: everything that a store keeps, into another one.

Owns the flags and how a store is named in them. Called by the group `store`.
"""

import asyncio
from typing import Any

import click

from server.cli.options import STORE_NAMES, SettingsCommand, loaded, settings_options

FLAGS = tuple(name for name in STORE_NAMES if name != "store")
FORMS = "embedded:DIR, aws, aws:STAGE or aws:STAGE/BUCKET"


class StoreParameter(click.ParamType[dict[str, str]]):
    """A store, such as embedded:data or aws:prod; the settings that name it, once it is read."""

    name = "store"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, str]:
        """Read the text; fails with what would be accepted."""
        if isinstance(value, dict):
            return value
        place = _place(str(value))
        if place is None:
            self.fail(f"{value!r:.200} is no store; write {FORMS}", param, ctx)
        return place


def _place(text: str) -> dict[str, str] | None:
    kind, colon, rest = text.partition(":")
    stage, slash, bucket = rest.partition("/")
    if colon and not rest:
        return None
    if kind == "embedded":
        return {"store": kind, **({"data": rest} if rest else {})}
    if kind != "aws" or (slash and not (stage and bucket)):
        return None
    named = {"store": kind, "stage": stage, "bucket": bucket}
    return {name: word for name, word in named.items() if word}


@click.command("copy", cls=SettingsCommand)
@settings_options(*FLAGS)
@click.option(
    "--from", "source", type=StoreParameter(), required=True, metavar="STORE",
    help=f"Store to copy: {FORMS}. The other flags say what is left out.",
)  # fmt: skip
@click.option(
    "--to", "target", type=StoreParameter(), required=True, metavar="STORE",
    help="Store to copy to, in the same form; it has to be empty.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Show what would be copied, and copy nothing.")
def copy(source: dict[str, str], target: dict[str, str], *, dry_run: bool, **flags: Any) -> None:
    """Copy all games with their histories, pictures, bans and milestones into an empty store.

    From a data directory to AWS, back, or from one stage to another. A copy that broke off goes on
    when the same command is run again; nothing can be served from it until then. In the end all of
    it is compared with the source, and the games begin a new epoch. Stop the server first, and
    start none on the source afterwards. Needs what an embedded store does not have: the tables, as
    `tesserae tables create` makes them, and the bucket.
    """
    places = [loaded({**flags, **place}).settings for place in (source, target)]
    # Numpy and the stores are loaded only now: help and mistakes in flags come at once.
    from server.cli.copying import Places, run  # noqa: PLC0415

    asyncio.run(run(Places(*places), dry_run=dry_run))
