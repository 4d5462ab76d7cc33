"""Settings: where games are kept, and how often boards are stored whole."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from server.config.about import About
from server.config.values import Number, Whole

GROUP = "Store"


class Storing(BaseModel):
    """The group Store."""

    data: Annotated[
        Path, About(GROUP, "Directory of the embedded store; made when it is not there.", "DIR")
    ] = Path("data")
    store: Annotated[
        Literal["embedded", "aws"],
        About(
            GROUP,
            "Where games are kept: in SQLite and files, or in DynamoDB and S3.",
            "embedded|aws",
        ),
    ] = "embedded"
    history_shards: Annotated[
        Whole,
        Field(ge=1, le=64),
        About(
            GROUP,
            "Partitions that a board's history is written to in turn; a board keeps its number "
            "unless this is given.",
            "N",
            "DynamoDB takes about 1,000 placements a second in each; SQLite needs one.",
        ),
    ] = 1
    snapshot_interval: Annotated[
        Number,
        Field(gt=0, le=86_400),
        About(
            GROUP,
            "Longest time between two snapshots of a board that changes, in seconds.",
            "S",
            "Bounds how much history a start has to read.",
        ),
    ] = 60.0
    snapshot_pixels: Annotated[
        Whole,
        Field(ge=1, le=10_000_000),
        About(
            GROUP,
            "Placements after which a snapshot is made sooner.",
            "N",
            "A start then reads history for well under a second.",
        ),
    ] = 10_000
