"""What is sent on the line of the moment, and the commands that wait for their reply there.

Owns the numbering of commands and what is to be done with each reply, which happens in the very
turn in which it is received (a checksum speaks of the board at that point). Never reconnects:
at a cut, all that wait hear of it. Called by the link and the placer.
"""

from asyncio import Future
from collections.abc import Callable
from typing import TypeVar

from tesserae_client.errors import Disconnected, TooMuchPending, command_error
from tesserae_client.line import Line
from tesserae_client.messages import Json, encode_command, strict

MAX_WAITING = 1088
"""Room for every JSON placement that may be unanswered, and 64 other commands."""

OnReply = Callable[[Json], None]
OnCut = Callable[[Exception], None]
_T = TypeVar("_T")


class Commands:
    """Numbers commands, sends them and hands out replies."""

    def __init__(self) -> None:
        self.line: Line | None = None
        """The line of the moment; without one, what is sent is lost with the cut to come."""
        self._waiting: dict[int, tuple[OnReply, OnCut]] = {}
        self._last_id = 0

    def send(
        self, do: str, fields: Json, on_reply: OnReply, on_cut: OnCut = lambda _cut: None
    ) -> None:
        """Send a command. Raises TooMuchPending."""
        if len(self._waiting) >= MAX_WAITING:
            raise TooMuchPending(f"{MAX_WAITING} commands wait for a reply")
        self._last_id += 1
        self._waiting[self._last_id] = on_reply, on_cut
        if self.line is not None:
            self.line.send_now(encode_command(do, self._last_id, fields), text=True)

    def send_binary(self, frame: bytes) -> None:
        """Send a frame that is answered otherwise."""
        if self.line is not None:
            self.line.send_now(frame, text=False)

    @strict
    def _taken(self, reply: Json) -> tuple[OnReply, OnCut] | None:
        return self._waiting.pop(reply["re"], None)

    def reply(self, reply: Json) -> None:
        """Hand a reply to its command; one that nobody waits for is ignored."""
        taken = self._taken(reply)
        if taken is not None:
            taken[0](reply)

    def cut(self) -> None:
        """Take the end of the line: tell all that wait that no reply will come."""
        self.line = None
        waiting, self._waiting = self._waiting, {}
        for _, on_cut in waiting.values():
            on_cut(Disconnected("the line was cut before the reply"))


def settle(future: "Future[_T]", read: Callable[[Json], _T]) -> tuple[OnReply, OnCut]:
    """Build the two callbacks that resolve a future with what `read` makes of an ok reply."""

    def on_reply(reply: Json) -> None:
        if future.done():
            return
        if reply.get("ok"):
            future.set_result(read(reply))
        else:
            future.set_exception(command_error(reply.get("error") or {}))

    def on_cut(fault: Exception) -> None:
        if not future.done():
            future.set_exception(fault)

    return on_reply, on_cut
