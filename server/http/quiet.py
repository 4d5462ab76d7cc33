"""The log of aiohttp: requests that break HTTP are told to who sent them, and not to the operator.

Owns which of its lines pass. Anybody can send what cannot be parsed, and aiohttp writes a traceback
of some twenty lines, with the client's bytes in it, for each. Handed to the runner by app.py.
"""

import logging

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError


class _FaultsOfOurs(logging.Filter):
    """Drops what a client caused."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is of interest to the operator."""
        cause = record.exc_info[1] if record.exc_info else None
        return not isinstance(cause, HttpProcessingError | web.RequestPayloadError)


quiet = logging.getLogger("server.http.aiohttp")
quiet.addFilter(_FaultsOfOurs())
