"""What a setting carries beside its type, and the types that several groups share."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from server.config.values import Accepts, Whole

TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class About:
    """What a person is told of a setting."""

    group: str
    help: str
    metavar: str
    why: str = ""
    """The reason for the default, for the reference page."""


Port = Annotated[Whole, Field(ge=0, le=65535)]
Count = Annotated[Whole, Field(ge=0, le=10_000_000)]
ADDRESSES_FORM = Accepts("a host name or an address")
