"""The log of aiohttp: what clients do is not told to the operator.

Owns which of its lines pass. Anybody can send what cannot be parsed, or hang up in the middle of a
body, and aiohttp writes a traceback of some twenty lines, with the client's bytes in it, for each.
Handed to the runner by app.py.
"""

import logging

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

CLIENTS = (HttpProcessingError, web.RequestPayloadError, ConnectionError)
"""A ConnectionError comes here only when it is the client's: others are faults to problems.py."""


class _FaultsOfOurs(logging.Filter):
    """Drops what a client caused."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is of interest to the operator."""
        cause = record.exc_info[1] if record.exc_info else None
        return not isinstance(cause, CLIENTS)


quiet = logging.getLogger("server.http.aiohttp")
quiet.addFilter(_FaultsOfOurs())
