"""A gate that callers wait at: open, shut, or closed for good with an error."""

import asyncio


class Gate:
    """Many wait, one opens; `fail` lets everyone hear why it will never open again."""

    def __init__(self) -> None:
        self.is_open = False
        self._event = asyncio.Event()
        self._error: Exception | None = None

    def open(self) -> None:
        """Let all that wait pass, and those to come; not after `fail`."""
        self.is_open = self._error is None
        self._event.set()

    def shut(self) -> None:
        """Make those to come wait."""
        self.is_open = False
        if self._error is None:
            self._event.clear()

    def fail(self, error: Exception) -> None:
        """Raise the error to all that wait, and those to come."""
        self.is_open = False
        self._error = self._error or error
        self._event.set()

    async def wait(self) -> None:
        """Pass when open; raises what `fail` was given."""
        while not self.is_open:
            if self._error is not None:
                raise self._error
            await self._event.wait()
