"""The tables of the seeds: key names, indexes and projections to the letter, ours added beside."""

from persistence.ports import Index, Table

CONFIG = Table("config")
BANS = Table("bans")
MILESTONES = Table(
    "milestones",
    indexes=(Index("TriggerAtIndex", partition="PK", sort="triggerAt", sort_type="N"),),
)
HISTORY = Table(
    "history",
    indexes=(
        Index(
            "XOriginalIndex",
            partition="PK",
            sort="x_original",
            sort_type="N",
            include=("y_original", "offset_x", "offset_y", "colorIndex"),
        ),
        Index(
            "UserIndex",
            partition="userId",
            sort="SK",
            include=("x_original", "y_original", "seq", "colorIndex", "previous"),
        ),
    ),
)
MAIN = Table("main", partition="pk", sort="sk", ttl="expiresAt")

ALL = (CONFIG, BANS, MILESTONES, HISTORY, MAIN)
