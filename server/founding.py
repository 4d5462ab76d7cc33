"""What a new `place#main` is founded with, and what of it is applied to one that exists.

Owns the reading of `--size`, `--palette` and `--cooldown-ms`. The first two found a game and are
ignored later; a cooldown that was given is a change of settings at start. Called by app.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canvas.cooldown import CooldownRule
from canvas.palette import DEFAULT, Palette
from canvas.settings import Settings as GameSettings
from server.config import Settings, read_palette
from server.game.config import GameConfig, found
from server.game.names import DEFAULT_GAME

DEFAULT_CHANNEL = 1


@dataclass(frozen=True, slots=True)
class Founding:
    """The wishes of the configuration for the default game."""

    width: int
    height: int
    palette: Palette
    cooldown: CooldownRule
    history_shards: int
    size_given: bool
    palette_given: bool
    cooldown_given: Mapping[str, int]
    """What of the cooldown was given, under the protocol's names."""

    def config(self, epoch: str) -> GameConfig:
        """Make the config of a new game."""
        return found(
            DEFAULT_GAME,
            width=self.width,
            height=self.height,
            settings=GameSettings(self.palette, self.cooldown),
            epoch=epoch,
            channel=DEFAULT_CHANNEL,
            shards=self.history_shards,
        )

    def ignored_by(self, config: GameConfig) -> list[str]:
        """Say in words which given wishes an existing game does not follow."""
        geometry = config.lineage.geometry
        ignored = []
        if self.size_given and (self.width, self.height) != (geometry.width, geometry.height):
            wish, size = f"{self.width}x{self.height}", f"{geometry.width}x{geometry.height}"
            ignored.append(f"--size {wish}: the board is {size}")
        if self.palette_given and self.palette != config.settings.palette:
            ignored.append("--palette: the board keeps the palette it was founded with")
        return ignored

    def changes_to(self, settings: GameSettings) -> Mapping[str, Any]:
        """Tell which settings are to be changed at start; none when they are as wished."""
        wished = settings.changed({"cooldown": self.cooldown_given})
        return {} if wished == settings else {"cooldown": wished.cooldown.to_json()}


def read_founding(settings: Settings) -> Founding:
    """Read the wishes; raises ConfigurationError for a palette file that cannot be used."""
    return Founding(
        width=settings.size.width,
        height=settings.size.height,
        palette=DEFAULT if settings.palette is None else read_palette(settings.palette),
        cooldown=CooldownRule(settings.cooldown_ms, settings.cooldown_stack),
        history_shards=settings.history_shards,
        size_given=settings.given("size"),
        palette_given=settings.given("palette"),
        cooldown_given=_cooldown_given(settings),
    )


def _cooldown_given(settings: Settings) -> Mapping[str, int]:
    wishes = {"ms": settings.cooldown_ms, "maxStack": settings.cooldown_stack}
    names = {"ms": "cooldown_ms", "maxStack": "cooldown_stack"}
    return {name: wish for name, wish in wishes.items() if settings.given(names[name])}
