"""A file of tokens: who the first bots of a crew are.

Owns how it is read, and its bounds. Called by the command line and by scenarios, before anybody
connects.
"""

from pathlib import Path

MAX_BYTES = 1 << 20
"""Room for thousands of them."""


def read_tokens(path: Path) -> tuple[str, ...]:
    """Read one token a line; raises ValueError, which says what helps."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) <= MAX_BYTES:
            return tuple(content.decode().split())
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror}); check the path") from error
    except ValueError as error:
        # UnicodeDecodeError is one, and what Path says of a zero byte in a name.
        raise ValueError("is no text file of tokens, one a line; check it") from error
    raise ValueError(f"has more than {MAX_BYTES >> 20} MB; give fewer tokens")
