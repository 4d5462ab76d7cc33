"""Settings: what a new board is, and how often one may place."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from canvas.cooldown import MAX_STACK
from server.config.about import TEN_YEARS_MS, About, Count
from server.config.values import BoardSize, Networks, OffOrWhole, Size, Whole

GROUP = "Canvas"


class Canvas(BaseModel):
    """The group Canvas."""

    size: Annotated[
        BoardSize,
        About(
            GROUP, "Size that a new place#main is founded with; ignored by an existing one.", "WxH"
        ),
    ] = Size(960, 540)
    palette: Annotated[
        Path | None,
        About(
            GROUP,
            "Palette file (hex list, .gpl, JSON, Pxls …) that a new place#main is founded with.",
            "FILE",
        ),
    ] = None
    cooldown_ms: Annotated[
        Whole,
        Field(ge=0, le=TEN_YEARS_MS),
        About(
            GROUP,
            "Time between two placements of one user, in ms; applied at start when given.",
            "MS",
            "Five minutes is what large public canvases settled on.",
        ),
    ] = 300_000
    cooldown_stack: Annotated[
        Whole,
        Field(ge=1, le=MAX_STACK),
        About(
            GROUP,
            "Placements that may be saved up while not placing; applied at start when given.",
            "N",
        ),
    ] = 1
    address_cooldown: Annotated[
        OffOrWhole,
        Field(ge=0, le=TEN_YEARS_MS),
        About(
            GROUP,
            "Shortest time between two placements of one address, in ms.",
            "off|MS",
            "A school or a mobile network shares one address among many players.",
        ),
    ] = 0
    address_budget: Annotated[
        Count,
        About(
            GROUP,
            "Cooldowns of one address that may run at once; 0: no limit.",
            "N",
            "Room for a class behind one router, none for a farm of hundreds.",
        ),
    ] = 40
    address_exceptions: Annotated[
        Networks,
        About(
            GROUP,
            "Networks that no limit per address holds for, such as the hall of an event.",
            "CIDR,…",
        ),
    ] = ()
