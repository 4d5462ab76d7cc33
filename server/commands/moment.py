"""Moments in commands and on the command line: ms since the epoch, or ISO 8601.

Owns what counts as one, and its bounds: times in sort keys have 13 digits. Pure.
"""

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

FIRST_MS = 0
LAST_MS = 9_999_999_999_998
"""November 2286."""
MAX_CHARS = 40
MS = 1000
FORMS = "ms since 1970, or ISO 8601 such as 2026-11-30 or 2026-11-30T18:00:00Z (UTC unless it says)"
_DIGITS = re.compile(r"[0-9]{1,13}")


def moment_ms(value: object) -> int:
    """Return ms since the epoch. Raises ValueError that tells the forms."""
    if isinstance(value, str) and len(value) <= MAX_CHARS:
        value = int(value) if _DIGITS.fullmatch(value) else _iso_ms(value)
    if type(value) is not int:
        raise ValueError(f"give {FORMS}")
    if not FIRST_MS <= value <= LAST_MS:
        raise ValueError(f"{value} is no time between 1970 and 2286; give {FORMS}")
    return value


def _iso_ms(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return int(moment.timestamp() * MS)
    except (ValueError, OverflowError) as error:
        plus = "; in an address, + is written %2B" if " " in text else ""
        raise ValueError(f"{text!r} is no time; give {FORMS}{plus}") from error


Moment = Annotated[
    int,
    BeforeValidator(moment_ms),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": FIRST_MS, "maximum": LAST_MS},
                {"type": "string", "maxLength": MAX_CHARS},
            ]
        }
    ),
]
"""A field of a request; ms once it is read."""
