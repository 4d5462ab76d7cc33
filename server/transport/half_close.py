"""The end of what we write, while we still read what the client says.

Owns that TLS has no half of a close, and that a client which has reset the connection meanwhile is
no fault: asyncio's own loop raises then, uvloop does not. Called by the door and by WebSockets.
"""

import asyncio


def end_writing(transport: asyncio.Transport) -> None:
    """Half-close a connection; end it at once when the other side has."""
    if transport.is_closing():
        return
    if not transport.can_write_eof():
        transport.close()  # over TLS: what was written goes out, then the close that TLS has
        return
    try:
        transport.write_eof()
    except OSError:
        transport.abort()
