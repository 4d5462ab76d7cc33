"""`tesserae token`: signs a token with the deployment's secret.

Takes no lock and works beside a running server; makes the secret when the data directory has none
yet. The token is the only thing on standard output.
"""

import random
import re
from datetime import UTC, datetime
from typing import Any

import click

from server.access.auth import MAX_TTL_S, Authenticator
from server.access.identity import Role
from server.access.secret import missing, open_secret
from server.cli.options import SettingsCommand, loaded, settings_options
from server.clock import SystemClock

UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


class Duration(click.ParamType[int]):
    """A time such as 90s, 15m, 12h, 30d or 2w; seconds once it is read."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text; fails with what would be accepted."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"([0-9]{1,9})([smhdw])", str(value).strip().lower())
        seconds = int(match[1]) * UNIT_S[match[2]] if match else 0
        if not 1 <= seconds <= MAX_TTL_S:
            longest = MAX_TTL_S // UNIT_S["d"]
            self.fail(f"{value!r}: give 90s, 15m, 12h, 30d or 2w, up to {longest}d", param, ctx)
        return seconds


@click.command(cls=SettingsCommand)
@settings_options("data", "secret_file")
@click.option("--sub", required=True, metavar="ID", help="Id of the user, the same for ever.")
@click.option("--name", required=True, help="Name that others see, up to 32 characters.")
@click.option(
    "--role",
    "roles",
    multiple=True,
    default=[Role.PLAYER.value],
    show_default=True,
    type=click.Choice([role.value for role in Role]),
    help="What the user is; may be given several times.",
)
@click.option(
    "--ttl", type=Duration(), default="30d", show_default=True, help="How long it is good."
)
def token(sub: str, name: str, roles: tuple[str, ...], ttl: int, **flags: Any) -> None:
    """Print a token for a player, an operator or a bot.

    The token is the only line on standard output. It is signed with the server's own secret, so
    give the --data (or the TESSERAE_SECRET) that the server has.
    """
    clock = SystemClock()
    settings = loaded(flags).settings
    made = missing(settings)
    secret = open_secret(settings)
    authenticator = Authenticator(secret, clock.wall_ms, random.SystemRandom())
    try:
        signed = authenticator.issue(sub, name, [Role(role) for role in roles], ttl_s=ttl)
    except ValueError as error:
        raise click.UsageError(f"{error}") from error
    if made is not None:
        click.echo(f"Made a new secret, {made}: only a server with this --data knows it.", err=True)
    until = datetime.fromtimestamp(clock.wall_ms() // 1000 + ttl, UTC)
    click.echo(f"{sub} is {' and '.join(roles)} until {until:%Y-%m-%d %H:%M} UTC.", err=True)
    click.echo("Join link: <address of the page>/#token=<the token below>", err=True)
    click.echo(signed)
