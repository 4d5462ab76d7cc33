"""The way in: whether somebody new is let in as a guest.

The one place where a login or a captcha hooks in: an entry of another kind is given to app.py, and
every way to become a guest asks it before a guest is made. It knows no limits and no bans, which
hold for everybody in any case. Holders of a token have been let in before and are not asked.
"""

from typing import Protocol


class Entry(Protocol):
    """Judges whoever wants to become a guest."""

    async def admit(self, address: str) -> str | None:
        """Let somebody in (None), or say why not and what helps, in words for them.

        `address` is the client's, as the trusted proxies tell it. May ask elsewhere, in bounded
        time: the connection or the request waits. What it raises is a fault of ours.
        """
        ...


class Everybody:
    """Lets everybody in: the default."""

    async def admit(self, address: str) -> str | None:
        """Let them in."""
        del address
        return None
