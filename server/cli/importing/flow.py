"""The steps of `tesserae canvas import`: look at the board, plan, show, ask, lay.

Owns which way an import goes: through the server that is named, through the one that holds the data
directory, or straight into the directory. Called by canvas_import.py once the flags are good.
"""

from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom

import click

from canvas.cooldown import CooldownRule
from canvas.palette import DEFAULT
from canvas.settings import Settings as GameSettings
from persistence.errors import NoStore, StoreDamaged, StoreInUse
from pictures.masking import masked
from pictures.picture import Picture, PictureError
from pictures.reading import read
from server.cli.asking import confirm
from server.cli.importing.offline import import_offline
from server.cli.importing.online import Remote
from server.cli.importing.plan import (
    Colors,
    Plan,
    Target,
    Unsuitable,
    check_fits,
    choose,
    make_plan,
    new_target,
)
from server.cli.importing.view import View
from server.cli.operator import OPERATOR, own_token, read_token
from server.cli.stores import complain, opened, place_of
from server.cli.surroundings import surroundings
from server.config import Settings
from server.config.palette import read_listed
from server.founding import DEFAULT_CHANNEL
from server.game.base_blob import BasePicture
from server.game.base_import import Import, ImportRefused, Place
from server.game.config import GameConfig, found
from server.game.epoch import new_epoch
from server.game.names import DEFAULT_GAME
from server.recovery.present import read_present
from server.recovery.reader import RecoveryEvents


@dataclass(frozen=True, slots=True)
class Wish:
    """The flags of the command."""

    picture: Path
    game: str
    at: tuple[int, int] | None
    palette: Path | None
    mask: Path | None
    reduce: bool
    dither: bool
    dry_run: bool
    yes: bool
    url: str | None
    token_file: Path | None

    @property
    def reduces(self) -> bool:
        """Whether colours may become others."""
        return self.reduce or self.dither


async def run(wish: Wish, settings: Settings) -> None:
    """Import; raises what `exits.report` explains."""
    view = View()
    try:
        await _run(wish, settings, view)
    except (PictureError, Unsuitable, ImportRefused) as error:
        raise click.ClickException(f"{error}") from error


async def _run(wish: Wish, settings: Settings, view: View) -> None:
    picture = _picture(wish, view)
    target = await _target(wish, settings, picture, view)
    plan = _plan(wish, picture, target, view)
    view.show(plan)
    if wish.dry_run:
        view.note("Nothing was changed: --dry-run.")
        return
    if plan.inexact and not wish.reduces:
        raise Unsuitable(
            f"colors of the picture that are not in the palette: {plan.matched.changed_colors}, of"
            f" {plan.inexact} cells; --reduce takes the nearest ones, --dither mixes them,"
            " --palette brings others; nothing was changed"
        )
    if not target.is_blank and not wish.yes:
        cells = f"{plan.differing:,} cells of {target.game}"
        confirm(f"Change {cells}?", f"change {cells}")
    with view.working("Packing the picture"):
        base = BasePicture.of(plan.cells)
    seq = await _carry_out(wish, settings, plan, base, view)
    view.note(f"The picture is in: {target.game} at seq {seq}.")


def _picture(wish: Wish, view: View) -> Picture:
    with view.working("Reading the picture"):
        picture = read(wish.picture)
        if wish.mask is not None:
            picture = masked(picture, read(wish.mask))
    for text in picture.notes:
        view.note(f"{wish.picture}: {text}.")
    return picture


def _plan(wish: Wish, picture: Picture, target: Target, view: View) -> Plan:
    at = wish.at or (0, 0)
    # A large picture takes long to match: what does not fit is told before.
    check_fits(target, picture, at)
    colors = _colors(wish, picture, None if target.board is None else target.palette.empty)
    with view.working("Matching colors") as progress:
        return make_plan(
            target,
            picture,
            colors or Colors(target.palette),
            at,
            dither=wish.dither,
            progress=progress,
        )


def _colors(wish: Wish, picture: Picture, empty: int | None) -> Colors | None:
    if wish.palette is None:
        return None
    try:
        return choose(read_listed(wish.palette), picture, empty, reduce=wish.reduces)
    except OSError as error:
        raise Unsuitable(f"{wish.palette} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise Unsuitable(f"{wish.palette}: {error}") from error


# --- where it goes -----------------------------------------------------------


async def _target(wish: Wish, settings: Settings, picture: Picture, view: View) -> Target:
    if wish.url is not None:
        return _remote(wish).target(wish.game)
    try:
        return await _stored(wish, settings, view)
    except NoStore:
        return _unfounded(wish, settings, picture)


async def _stored(wish: Wish, settings: Settings, view: View) -> Target:
    """Read the board beside whoever writes to it. Raises NoStore when there is none."""
    with view.reading() as advance:
        async with opened(settings, read_only=True) as store:
            events = RecoveryEvents(advance, _ignore)
            present = await read_present(store, wish.game, events)
    if present is None:
        raise NoStore(f"there is no game {wish.game} in {place_of(settings)}")
    replica = present.outcome.replica
    geometry, palette = replica.lineage.geometry, replica.settings.palette
    return Target(wish.game, replica.board, geometry, palette, replica.epoch)


def _unfounded(wish: Wish, settings: Settings, picture: Picture) -> Target:
    if wish.game != DEFAULT_GAME:
        raise Unsuitable(
            f"there is no game {wish.game} in {place_of(settings)};"
            f" only {DEFAULT_GAME} can be founded"
        )
    if wish.at is not None:
        raise Unsuitable(
            f"there is no board in {place_of(settings)} yet, so that --at has no meaning;"
            " leave it out to found one of the picture's size,"
            " or run `tesserae serve --size WxH` first"
        )
    colors = _colors(wish, picture, None)
    return new_target(wish.game, picture, colors.palette if colors else DEFAULT)


async def _carry_out(
    wish: Wish, settings: Settings, plan: Plan, base: BasePicture, view: View
) -> int:
    if wish.url is not None:
        return _through(_remote(wish), plan, base, view)
    geometry = plan.target.geometry
    place = Place(plan.x, plan.y, geometry.generation)
    wanted = Import(base, place, OPERATOR, plan.palette)
    try:
        with view.reading() as advance:
            async with surroundings(settings, advance, complain) as around:
                event = await import_offline(around, _founding(plan, settings), wanted)
    except StoreInUse as busy:
        if not busy.url or plan.target.board is None:
            raise
        if settings.store != "embedded":
            # Anybody who writes to the table could have told that address: no token is sent there.
            remedy = "name it with --url and --token-file, or stop it first"
            raise StoreInUse(str(busy), remedy) from busy
        return _through(Remote(busy.url, own_token(settings), is_own=True), plan, base, view)
    return event.seq


def _through(remote: Remote, plan: Plan, base: BasePicture, view: View) -> int:
    with view.working(f"Sending it to {remote.url}") as progress:
        return remote.carry_out(plan, base, progress)


def _founding(plan: Plan, settings: Settings) -> GameConfig:
    geometry = plan.target.geometry
    rule = CooldownRule(settings.cooldown_ms, settings.cooldown_stack)
    return found(
        plan.target.game,
        width=geometry.width,
        height=geometry.height,
        settings=GameSettings(plan.palette, rule),
        epoch=plan.target.epoch or new_epoch(SystemRandom()),
        channel=DEFAULT_CHANNEL,
    )


def _remote(wish: Wish) -> Remote:
    assert wish.url is not None  # noqa: S101  # the only caller has looked
    assert wish.token_file is not None  # noqa: S101  # they go together
    return Remote(wish.url, read_token(wish.token_file))


def _ignore(_damage: StoreDamaged) -> None:
    """Leave it to whoever writes to the store to tell of a snapshot of no use."""
