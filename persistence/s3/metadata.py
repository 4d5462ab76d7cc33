"""Metadata as S3 holds them: headers in lower case and ASCII, for names like `lastSk` and any text.

`lastSk` travels as `last-sk`; in values all but printable ASCII is percent-encoded, with spaces and
`%`, since headers are trimmed on their way. Pure; called by the adapter of blobs.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from persistence.blobs import checked_metadata

_AS_THEY_ARE = "!\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_EMPTY = "%"
"""An empty value, which S3-compatible stores may drop; no other value is encoded so."""


def encoded_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    """Return the headers, without S3's prefix. Raises PermanentFault."""
    return {
        re.sub("[A-Z]", lambda capital: f"-{capital[0].lower()}", name): (
            quote(value, _AS_THEY_ARE) or _EMPTY
        )
        for name, value in checked_metadata(metadata).items()
    }


def decoded_metadata(headers: Mapping[str, str]) -> dict[str, str]:
    """Return what was encoded; of foreign headers whatever comes out."""
    return {
        re.sub("-([a-z])", lambda small: small[1].upper(), name): (
            "" if value == _EMPTY else unquote(value)
        )
        for name, value in headers.items()
    }
