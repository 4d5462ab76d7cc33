"""From the table of ways to the command line: a command for each way, the shared options once.

Owns how a field of a way's options becomes an argument or a flag, and the flags that every way has.
Called by cli.py when it is imported.
"""

from collections.abc import Callable
from math import isnan
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import click
from pydantic.fields import FieldInfo

from bots.options import Options

MAX_BOTS = 10_000
MAX_RATE = 10_000
MAX_SECONDS = 7 * 24 * 3600
USUAL_BOTS = 10
SCHEMES = ("http://", "https://", "ws://", "wss://")
URL_FORM = "give the page's address, as http://HOST:PORT/, or its socket's, as ws://HOST:PORT/ws"
URL, GAME = "ws://127.0.0.1:8080/ws", "place#main"
ARGUMENT = "picture"
"""The one field that is given by its place."""
OPPOSITES = {"once": "--keep"}
"""Flags whose absence has a name too."""
METAVARS = {"at": "X,Y", "region": "X1,Y1,X2,Y2"}


def server_url(_context: click.Context, _option: click.Parameter, url: str | None) -> str | None:
    """Refuse what is no address before anybody sets out for it."""
    if url is not None and not url.startswith(SCHEMES):
        raise click.BadParameter(f"{url!r}: {URL_FORM}")
    return url


class Amount(click.FloatRange):
    """A number within bounds, and really one: `nan` is outside of none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read it; fails with a usage error."""
        number = float(super().convert(value, param, ctx))
        if isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


SHARED: tuple[click.Parameter, ...] = (
    click.Option(
        ["--url"],
        default=URL,
        show_default=True,
        callback=server_url,
        help="The server: its page or its socket.",
    ),
    click.Option(["--game"], default=GAME, show_default=True, help="The canvas."),
    click.Option(
        ["--rate"],
        type=Amount(0, MAX_RATE, min_open=True),
        help="Placements a second of each bot. [default: as the cooldown allows]",
    ),
    click.Option(
        ["--seconds"],
        type=Amount(0, MAX_SECONDS, min_open=True),
        help="End after so long. [default: at Ctrl-C]",
    ),
    click.Option(
        ["--spectators"],
        type=click.IntRange(0, MAX_BOTS),
        default=0,
        show_default=True,
        help="Clients beside the bots that only watch.",
    ),
    click.Option(
        ["--seed"],
        type=int,
        default=0,
        show_default=True,
        help="The same seed makes the same choices.",
    ),
    click.Option(
        ["--token-file"],
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Tokens, one a line, for the first bots; the others are guests.",
    ),
)


def command(
    name: str, summary: str, options: type[Options], run: Callable[..., int]
) -> click.Command:
    """Build the command of a way; `run` gets everything by name, the number of bots as `bots`."""
    own = [_parameter(field, info) for field, info in options.model_fields.items()]
    return click.Command(name, params=[*_bots(own), *own, *SHARED], callback=run, help=summary)


def _bots(own: list[click.Parameter]) -> list[click.Parameter]:
    """Ways without options take N by its place, the others --bots."""
    if not own:
        return [click.Argument(["bots"], metavar="N", type=click.IntRange(0, MAX_BOTS))]
    number, text = click.IntRange(1, MAX_BOTS), "How many work together."
    return [click.Option(["--bots"], type=number, default=USUAL_BOTS, show_default=True, help=text)]


def _parameter(name: str, info: FieldInfo) -> click.Parameter:
    if name == ARGUMENT:
        return click.Argument([name], metavar=name.upper())
    flag = f"--{name.replace('_', '-')}"
    if info.annotation is bool:
        both = "/".join(filter(None, (flag, OPPOSITES.get(name))))
        return click.Option([both], is_flag=True, default=False, help=info.description)
    needed = {"required": True} if info.is_required() else {"default": info.default}
    return click.Option(
        [flag],
        type=_type(info.annotation),
        metavar=METAVARS.get(name),
        show_default=not info.is_required() and info.default is not None,
        help=info.description,
        **needed,
    )


def _type(annotation: Any) -> click.ParamType[Any]:
    if get_origin(annotation) is Literal:
        return click.Choice(get_args(annotation))
    plain = next(iter(set(get_args(annotation)) - {NoneType}), annotation)
    return click.INT if plain is int and get_origin(annotation) is not tuple else click.STRING
