"""`tesserae canvas import`: a picture becomes the board, after it was shown what changes.

Owns the flags and the order: look, show, ask, lay. Works beside a running server and through it; a
directory that nobody holds is locked meanwhile. Called by the group `canvas`.
"""

import asyncio
from pathlib import Path
from typing import Any

import click

from server.cli.options import STORE_NAMES, SettingsCommand, loaded, settings_options
from server.cli.parameters import PlaceParameter
from server.game.names import DEFAULT_GAME


@click.command("import", cls=SettingsCommand)
@click.argument("picture", type=click.Path(path_type=Path))
@settings_options(*STORE_NAMES, "secret_file")
@click.option("--game", default=DEFAULT_GAME, show_default=True, help="Game to import into.")
@click.option(
    "--at", type=PlaceParameter(), metavar="X,Y", help="Where the picture's corner goes. [0,0]"
)
@click.option(
    "--palette",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Palette that the board is to have, too.",
)
@click.option(
    "--mask",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Picture of the same size: white is taken, black is left as it is.",
)
@click.option(
    "--reduce",
    is_flag=True,
    help="Take the nearest color for those that the palette does not have, and the 16 colors that"
    " are needed most of a larger palette.",
)
@click.option("--dither", is_flag=True, help="Mix colors by patterns; implies --reduce.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask before a painted board is changed.")
@click.option("--url", metavar="URL", help="A server elsewhere, instead of --data.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File with the token of an admin there.",
)
def import_(**flags: Any) -> None:
    """Make a picture the board, or a part of it.

    PICTURE is a PNG, GIF, BMP, WebP or JPEG file, one pixel a cell; what is transparent leaves the
    board as it is. Without a board yet, the picture founds one of its size. Beside a running server
    of the same --data the import goes through that server, and everybody sees it at once.
    """
    # Numpy and Pillow are loaded only now, so that help and mistakes in flags come at once.
    from server.cli.importing.flow import Wish, run  # noqa: PLC0415

    names = (*STORE_NAMES, "secret_file", "config_file")
    wish = Wish(**{name: value for name, value in flags.items() if name not in names})
    if (wish.url is None) != (wish.token_file is None):
        raise click.UsageError("--url and --token-file go together; give both, or --data")
    asyncio.run(run(wish, loaded({name: flags[name] for name in names}).settings))
