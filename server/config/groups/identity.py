"""Settings: who may play, and what proves it."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, SecretStr

from server.config.about import About, Count
from server.config.values import Accepts, OnOff

GROUP = "Identity"


class Identities(BaseModel):
    """The group Identity."""

    secret: Annotated[
        SecretStr | None,
        Accepts("at least 32 random characters, such as `openssl rand -hex 32` makes"),
        About(
            GROUP,
            "Secret that signs tokens. Made on first start in DIR/secret when none is given.",
            "TEXT",
        ),
    ] = None
    secret_file: Annotated[
        Path | None, About(GROUP, "File that holds the signing secret.", "FILE")
    ] = None
    guests: Annotated[OnOff, About(GROUP, "Let people play without a token.", "on|off")] = True
    guests_per_address: Annotated[
        Count,
        About(
            GROUP,
            "Guests of one address who are connected or left within the last hour; 0: no limit. "
            "Holders of an issued token are not counted.",
            "N",
            "As many as may place at once by the default address budget.",
        ),
    ] = 40
