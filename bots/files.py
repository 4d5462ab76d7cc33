"""Room for the sockets of all bots: an open file each.

Owns the limit of the process. Raises what it may by itself; what it may not is told before anybody
sets out. Called by the command line.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

SPARE_FILES = 64
"""For the libraries, the terminal and the tokens."""


def make_room(clients: int) -> None:
    """See that so many connections can be open; raises ValueError, which says what helps."""
    if find_spec("resource") is None:  # Windows has no such limit
        return
    raise_limit(import_module("resource"), clients + SPARE_FILES)


def raise_limit(limits: Any, needed: int) -> None:
    """Let the process open `needed` files; `limits` is the module `resource`. Raises ValueError."""
    soft, hard = limits.getrlimit(limits.RLIMIT_NOFILE)
    if soft == limits.RLIM_INFINITY or soft >= needed:
        return
    if hard != limits.RLIM_INFINITY and hard < needed:
        raise ValueError(
            f"So many clients need {needed:,} open files, and a process may have {hard:,} here: "
            f"send fewer, or raise the limit (ulimit -Hn, LimitNOFILE)."
        )
    limits.setrlimit(limits.RLIMIT_NOFILE, (needed, hard))
