"""Settings: who may play, and what proves it."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, SecretStr

from server.config.about import About, Count
from server.config.values import Accepts, KeyAddress, OnOff

GROUP = "Identity"
MAX_CLAIM_CHARS = 255


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
    jwks_url: Annotated[
        KeyAddress | None,
        Accepts("an address that begins with https://, or with http:// on this machine"),
        About(
            GROUP,
            "Key set (JWKS) of an outside issuer whose tokens are taken as well as ours.",
            "URL",
        ),
    ] = None
    jwks_issuer: Annotated[
        str | None,
        Field(min_length=1, max_length=MAX_CLAIM_CHARS),
        Accepts("the issuer as its tokens spell it in iss"),
        About(GROUP, "Issuer that such tokens name in iss, to the letter.", "TEXT"),
    ] = None
    jwks_audience: Annotated[
        str | None,
        Field(min_length=1, max_length=MAX_CLAIM_CHARS),
        Accepts("the audience as the tokens spell it in aud"),
        About(
            GROUP,
            "Audience that such tokens name in aud: they must be meant for this server.",
            "TEXT",
        ),
    ] = None
    jwks_roles_claim: Annotated[
        str | None,
        Field(min_length=1, max_length=MAX_CLAIM_CHARS),
        Accepts("the name of a claim, such as roles or realm_access.roles"),
        About(
            GROUP,
            "Claim of such tokens that lists roles of this server; all are players without it.",
            "CLAIM",
        ),
    ] = None
