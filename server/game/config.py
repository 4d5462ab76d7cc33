"""The config item of a game: what it is, apart from its pixels.

Owns the attribute names of the config table and the founding of a new game. Written together with
each control event and, for `seq` alone, after a snapshot. Called by the game and by recovery.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from canvas.cooldown import CooldownRule
from canvas.geometry import Geometry
from canvas.growth import Lineage
from canvas.palette import Palette
from canvas.settings import Settings
from persistence.errors import StoreDamaged
from persistence.ports import Condition, Item, Key, Update
from persistence.tables import CONFIG
from server.game.config_types import check_types
from server.game.names import config_sort_key
from server.game.partitions import shards_of

PARTITION = "CONFIG"


@dataclass(frozen=True, slots=True)
class GameConfig:
    """One game's item in the config table."""

    game: str
    epoch: str
    channel: int
    lineage: Lineage
    settings: Settings
    partitions: tuple[str, ...]
    """Partitions of the history that the game ever used."""
    shards: int = 1
    """How many of them are written to in turn."""
    fence: int = 0
    """Of the writer who serves the game; 0 before there was one."""
    seq: int = 0
    """Seq of the last control event or snapshot; the history is at least that long."""
    writers: Mapping[int, int] = field(default_factory=dict)
    """Each fence's last valid seq; what a fence wrote beyond it was never published."""

    def to_item(self) -> Item:
        """Make the whole item, as it is founded."""
        return {
            "PK": PARTITION,
            "SK": config_sort_key(self.game),
            "epoch": self.epoch,
            "channel": self.channel,
            "writers": {str(fence): seq for fence, seq in self.writers.items()},
            "historyPartitions": list(self.partitions),
            "historyShards": self.shards,
            **changing_attributes(self.seq, self.settings, self.lineage),
        }

    @classmethod
    def from_item(cls, game: str, item: Item) -> "GameConfig":
        """Read an item; raises StoreDamaged when it does not hold together."""
        try:
            check_types(item)
            return cls._read(game, item)
        except (KeyError, TypeError, ValueError) as error:
            raise StoreDamaged(
                f"the config item of {game} cannot be read: {error}",
                "`tesserae store check` tells what else is damaged; put the item back from a"
                " backup, or the whole store and run `tesserae epoch new`",
            ) from error

    @classmethod
    def _read(cls, game: str, item: Item) -> "GameConfig":
        lineage = Lineage.from_json(item["growths"])
        geometry = lineage.geometry
        if (geometry.width, geometry.height) != (item["width"], item["height"]):
            raise ValueError("width and height are not those of the last growth")
        return cls(
            game=game,
            epoch=item["epoch"],
            channel=item["channel"],
            lineage=lineage,
            settings=_settings(item),
            partitions=tuple(item["historyPartitions"]),
            shards=len(shards_of(game, item.get("historyShards", 1))),
            fence=item.get("fence", 0),
            seq=item["seq"],
            writers={int(fence): seq for fence, seq in item["writers"].items()},
        )

    @property
    def last_fence(self) -> int:
        """The highest fence that ever served the game; 0 before there was one."""
        return max([self.fence, *self.writers])


def _settings(item: Item) -> Settings:
    return Settings(
        palette=Palette.from_json(item["palette"], item["empty"]),
        cooldown=CooldownRule(item["cooldownMs"], item["cooldownRule"]["maxStack"]),
        locked=item["locked"],
        lock_reason=item.get("lockReason"),
        starts_at_ms=item.get("startsAt"),
        ends_at_ms=item.get("endsAt"),
    )


def key_of(game: str) -> Key:
    """Key of a game's item in the config table."""
    return Key(PARTITION, config_sort_key(game))


def changing_attributes(seq: int, settings: Settings, lineage: Lineage) -> dict[str, Any]:
    """Attributes that a control event at `seq` may have changed."""
    geometry = lineage.geometry
    return {
        "width": geometry.width,
        "height": geometry.height,
        "cooldownMs": settings.cooldown.ms,
        "locked": settings.locked,
        "lockReason": settings.lock_reason,
        "globalOffsetX": geometry.offset_x,
        "globalOffsetY": geometry.offset_y,
        "generation": geometry.generation,
        "growths": lineage.to_json(),
        "seq": seq,
        "cooldownRule": settings.cooldown.to_json(),
        "palette": settings.palette.to_json(),
        "empty": settings.palette.empty,
        "startsAt": settings.starts_at_ms,
        "endsAt": settings.ends_at_ms,
    }


def control_update(
    game: str,
    seq: int,
    settings: Settings,
    lineage: Lineage,
    *,
    fence: int,
    epoch: str | None = None,
) -> Update:
    """Write what a control event changed; goes into the event's own transaction.

    Only while `fence` is the newest, so that what a superseded writer sent late changes nothing.
    `epoch` is given where the event begins a new one.
    """
    changed = changing_attributes(seq, settings, lineage)
    begun = {} if epoch is None else {"epoch": epoch}
    return Update(CONFIG, key_of(game), set=changed | begun, condition=served_by(fence))


def served_by(fence: int) -> Condition:
    """Return the condition that a game is still its writer's; 0 for one that had none yet."""
    return Condition(equals={"fence": fence}) if fence else Condition(absent=("fence",))


def found(
    game: str,
    *,
    width: int,
    height: int,
    settings: Settings,
    epoch: str,
    channel: int,
    shards: int = 1,
) -> GameConfig:
    """Make the config of a new game; raises ValueError for an impossible size."""
    lineage = Lineage([Geometry(width, height)])
    partitions = shards_of(game, shards)
    return GameConfig(game, epoch, channel, lineage, settings, partitions, shards)
