"""The rules of placing, in the order of the protocol's refusals.

Owns each test and its message. A refusal changes nothing and costs nothing, also not much time:
floods of them are an attack, so messages are constants or cached. `RULES` is the order; the head
runs it. `rate`, `unknown-game` and `spectator` come before and are the session's.
"""
# ruff: noqa: ARG001  # every rule takes the same arguments, so that the order is one table

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from canvas.address import AddressBudgets
from canvas.bans import Ban, Bans
from canvas.cooldown import Cooldowns
from canvas.geometry import Geometry
from canvas.growth import Lineage
from canvas.mask import Mask
from canvas.placement import Placement
from canvas.refusals import FOREVER_MS, Refusal, Refused
from canvas.settings import Settings

BUSY_RETRY_MS = 1000


class Decided(Protocol):
    """What the rules read: the decided state of a game."""

    lineage: Lineage
    geometry: Geometry
    settings: Settings
    cooldowns: Cooldowns
    budgets: AddressBudgets
    bans: Bans
    mask: Mask | None
    max_pending: int

    @property
    def pending(self) -> int:
        """Placements that are decided and not yet settled."""
        ...


Rule = Callable[[Decided, Placement, int, int], Refusal | None]
"""Takes the state, the placement, `now_ms` (monotonic) and `wall_ms`."""

# Bound once: in Python 3.11 looking up a member costs as much as a whole rule.
_COOLDOWN = Refused.COOLDOWN
_ADDRESS_COOLDOWN = Refused.ADDRESS_COOLDOWN

_STALE = Refusal(
    Refused.STALE_GENERATION, "That generation of the board is not known here; resync the game"
)
_MASKED = Refusal(Refused.MASKED, "Placing is not allowed on this cell; choose another one")
_BUSY = Refusal(
    Refused.BUSY,
    "The server cannot store more for now; send the placement again a little later",
    BUSY_RETRY_MS,
)
_ENDED = Refusal(Refused.ENDED, "The game has ended; its board can still be watched", FOREVER_MS)


def stale_generation(
    game: Decided, placement: Placement, now_ms: int, wall_ms: int
) -> Refusal | None:
    """Refuse a generation newer than ours, or older than any we know."""
    generation = placement.generation
    if generation is None or game.lineage.frame(generation) is not None:
        return None
    return _STALE


def out_of_bounds(game: Decided, placement: Placement, now_ms: int, wall_ms: int) -> Refusal | None:
    """Refuse a cell outside the board of the placement's own generation."""
    frame = frame_of(game, placement)
    if 0 <= placement.x < frame.width and 0 <= placement.y < frame.height:
        return None
    return _outside(frame.width, frame.height)


def bad_color(game: Decided, placement: Placement, now_ms: int, wall_ms: int) -> Refusal | None:
    """Refuse a colour that the palette does not have."""
    palette = game.settings.palette
    if placement.color in palette.usable:
        return None
    return _no_color(placement.color, palette.hint)


def ended(game: Decided, placement: Placement, now_ms: int, wall_ms: int) -> Refusal | None:
    """Refuse before the game begins and from its end on."""
    settings = game.settings
    if settings.ends_at_ms is not None and wall_ms >= settings.ends_at_ms:
        return _ENDED
    if settings.starts_at_ms is not None and wall_ms < settings.starts_at_ms:
        return Refusal(
            Refused.ENDED,
            "The game has not begun; leftMs tells how long until it does",
            settings.starts_at_ms - wall_ms,
        )
    return None


def banned(game: Decided, placement: Placement, now_ms: int, wall_ms: int) -> Refusal | None:
    """Refuse a banned user and a banned address."""
    ban = game.bans.of(placement.user_id, placement.address, wall_ms)
    return None if ban is None else ban_refusal(ban, wall_ms)


def locked(game: Decided, placement: Placement, now_ms: int, wall_ms: int) -> Refusal | None:
    """Refuse while the board is locked."""
    settings = game.settings
    return _lock(settings.lock_reason) if settings.locked else None


def masked(game: Decided, placement: Placement, now_ms: int, wall_ms: int) -> Refusal | None:
    """Refuse a cell that the mask closes."""
    mask = game.mask
    if mask is None:
        return None
    x, y = here(game, placement)
    return None if mask.allows(x, y) else _MASKED


def cooldown(game: Decided, placement: Placement, now_ms: int, wall_ms: int) -> Refusal | None:
    """Refuse before the user's cooldown has ended."""
    left_ms = game.cooldowns.left_ms(placement.user_id, now_ms)
    if left_ms == 0:
        return None
    return Refusal(_COOLDOWN, "Your cooldown is still running; place again after leftMs", left_ms)


def address_cooldown(
    game: Decided, placement: Placement, now_ms: int, wall_ms: int
) -> Refusal | None:
    """Refuse what the user's address may not place now."""
    key = placement.address_key
    left_ms = game.budgets.left_ms(key, placement.user_id, now_ms) if key else 0
    if left_ms == 0:
        return None
    return Refusal(
        _ADDRESS_COOLDOWN,
        "Your network has placed all that it may for now; place again after leftMs",
        left_ms,
        "address",
    )


def busy(game: Decided, placement: Placement, now_ms: int, wall_ms: int) -> Refusal | None:
    """Refuse while too many placements wait for the journal."""
    return None if game.pending < game.max_pending else _BUSY


RULES: tuple[tuple[Refused, Rule], ...] = (
    (Refused.STALE_GENERATION, stale_generation),
    (Refused.OUT_OF_BOUNDS, out_of_bounds),
    (Refused.BAD_COLOR, bad_color),
    (Refused.ENDED, ended),
    (Refused.BANNED, banned),
    (Refused.LOCKED, locked),
    (Refused.MASKED, masked),
    (Refused.COOLDOWN, cooldown),
    (Refused.ADDRESS_COOLDOWN, address_cooldown),
    (Refused.BUSY, busy),
)

_IN_ORDER = tuple(rule for _, rule in RULES)


def judge(game: Decided, placement: Placement, now_ms: int, wall_ms: int) -> Refusal | None:
    """Run every rule in order; the first refusal, or None when all agree."""
    for rule in _IN_ORDER:
        refusal = rule(game, placement, now_ms, wall_ms)
        if refusal is not None:
            return refusal
    return None


def frame_of(game: Decided, placement: Placement) -> Geometry:
    """Frame that the placement's position speaks of; the current one when it names none we know."""
    generation = placement.generation
    if generation is None:
        return game.geometry
    return game.lineage.frame(generation) or game.geometry


def here(game: Decided, placement: Placement) -> tuple[int, int]:
    """Position of a placement within its bounds, moved to the current generation."""
    geometry = game.geometry
    if placement.generation is None or placement.generation == geometry.generation:
        return placement.x, placement.y
    return game.lineage.translate(placement.x, placement.y, placement.generation)


def ban_refusal(ban: Ban, wall_ms: int) -> Refusal:
    """Tell a ban: why, and how long still."""
    if ban.expires_at_ms is None:
        return Refusal(Refused.BANNED, f"You are banned for good: {ban.reason}", FOREVER_MS)
    left_ms = ban.expires_at_ms - wall_ms
    return Refusal(Refused.BANNED, f"You are banned for leftMs: {ban.reason}", left_ms)


@lru_cache(maxsize=64)
def _outside(width: int, height: int) -> Refusal:
    return Refusal(
        Refused.OUT_OF_BOUNDS,
        f"That cell is outside the board; use x 0-{width - 1} and y 0-{height - 1}",
    )


@lru_cache(maxsize=256)
def _no_color(color: int, hint: str) -> Refusal:
    return Refusal(Refused.BAD_COLOR, f"Color {color} is not in the palette; use {hint}")


@lru_cache(maxsize=64)
def _lock(reason: str | None) -> Refusal:
    why = f": {reason}" if reason else ""
    return Refusal(Refused.LOCKED, f"The board is locked{why}; watch it until it is opened again")
