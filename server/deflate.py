"""How thoroughly a board is deflated: by its size, the same for the stream and for HTTP.

Owns that one decision; deflates nothing itself. Called by snapshots and by the HTTP bodies, each in
a thread.
"""

THOROUGH_BYTES = 2 * 1024 * 1024


def level_for(size_bytes: int) -> int:
    """Choose zlib's level: 6 takes some ms for a 960 x 540 board, and too long for the largest."""
    return 6 if size_bytes <= THOROUGH_BYTES else 1
