"""Who commands are to a server: an operator, by the token of a file or one signed on the spot.

Owns where that token comes from. Our own is signed with the secret of the data directory, for ten
minutes, and never shown; it is sent to nobody but the server that holds the directory. Called by
the commands that go through a running server.
"""

from pathlib import Path
from random import SystemRandom

import click

from persistence.errors import StoreInUse
from server.access.auth import Authenticator
from server.access.identity import Role
from server.access.secret import open_secret
from server.cli.remote import RemoteServer
from server.cli.stores import opened, place_of
from server.clock import SystemClock
from server.config import Settings

OPERATOR = "operator"
TOKEN_TTL_S = 600
MAX_TOKEN_BYTES = 10_000


def own_token(settings: Settings) -> str:
    """Sign a token for the server that has the same secret; it is never shown."""
    authenticator = Authenticator(open_secret(settings), SystemClock().wall_ms, SystemRandom())
    return authenticator.issue(OPERATOR, "Operator", [Role.ADMIN], ttl_s=TOKEN_TTL_S)


def read_token(file: Path) -> str:
    """Read a token. Raises ClickException where there is none, or more than one."""
    try:
        with file.open(encoding="ascii") as opened_file:
            token = opened_file.read(MAX_TOKEN_BYTES).strip()
        if len(token.split()) != 1 or not token.isprintable():
            raise ValueError("it holds no token, or more than one")  # noqa: TRY301  # told as below
    except (OSError, ValueError) as error:
        raise click.ClickException(
            f"{file} cannot be read ({error}); put the output of `tesserae token` there"
        ) from error
    return token


async def running_server(
    settings: Settings, url: str | None, token_file: Path | None
) -> RemoteServer:
    """Find the server that is named, or the one that holds the data directory.

    Raises ClickException where none runs, StoreInUse where one does that no token is sent to, and
    StoreError.
    """
    if url is not None and token_file is not None:
        return RemoteServer(url, read_token(token_file))
    async with opened(settings, read_only=True) as store:
        holding = await store.lease.look()
    if not holding.url:
        raise click.ClickException(
            f"no server runs on {place_of(settings)}; start one with `tesserae serve`, or name"
            " another with --url and --token-file"
        )
    if settings.store != "embedded":
        # Anybody who writes to the table could have told that address: no token is sent there.
        held = f"{place_of(settings)} is held by {holding.owner}, reached at {holding.url}"
        raise StoreInUse(held, "name it with --url and --token-file")
    return RemoteServer(holding.url, own_token(settings), is_own=True)
