"""Placing: cells become sheets, sheets become frames or commands, answers find who waits.

Owns the book of unanswered placements and both forms in which they are sent and answered; never
decides when a line is good. Called by the link.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from operator import index
from random import Random

from tesserae_client import outcomes, wire
from tesserae_client.book import REMEMBERED, Book, Sheet
from tesserae_client.commands import Commands
from tesserae_client.errors import command_error
from tesserae_client.follower import Follower
from tesserae_client.joining import Options
from tesserae_client.messages import Json
from tesserae_client.outcomes import Cell, Outcome, Unknown


class Placer:
    """Sends placements over the lines of one link, and again after a cut."""

    def __init__(
        self, options: Options, follower: Follower, commands: Commands, rng: Random
    ) -> None:
        self._options = options
        self._follower = follower
        self._commands = commands
        self._book = Book(rng)

    def place(self, cells: Sequence[Cell], generation: int | None) -> list[asyncio.Future[Outcome]]:
        """Send placements and return the future of each outcome; None: our own generation.

        Raises TooMuchPending, TypeError for what is no whole number, or ValueError for what no
        frame can hold; nothing is sent then.
        """
        # numpy's small numbers, as a board holds them, would lose their bits when they are shifted.
        plain = [(index(x), index(y), index(color)) for x, y, color in cells]
        self._book.check(plain)
        own = self._follower.generation if generation is None else wire.checked(generation)
        loop = asyncio.get_running_loop()
        answers: list[asyncio.Future[Outcome]] = [loop.create_future() for _ in plain]
        size = self._sheet_size
        for at in range(0, len(plain), size):
            some, theirs = plain[at : at + size], answers[at : at + size]
            sheet = self._book.open(some, theirs, generation=own, now_s=loop.time())
            self._send(sheet)
        return answers

    def ack(self, ack: wire.Ack) -> None:
        """Take a binary answer."""
        asked = self._book.asked(ack.request, ack.record_index)
        if asked is not None:
            self._book.answer(ack.request, ack.record_index, outcomes.from_ack(ack, asked))

    def send_again(self) -> None:
        """Settle what a cut left unknown: the server answers with the first outcome again."""
        for sheet in self._book.to_send_again(asyncio.get_running_loop().time()):
            self._send(sheet)

    def unknown(self) -> list[Unknown]:
        """List what has no answer."""
        return self._book.unknown()

    def give_up(self) -> None:
        """Answer `Unknown` to whoever waits."""
        self._book.give_up()

    @property
    def _sheet_size(self) -> int:
        if self._options.codec == "json":
            return 1
        return REMEMBERED if self._options.settle else wire.FRAME_RECORDS

    def _send(self, sheet: Sheet) -> None:
        if self._options.codec == "json":
            reply = partial(self._reply, sheet)
            self._commands.send("place", self._fields(sheet), reply)
        elif self._follower.state is not None:
            channel, records = self._follower.state.channel, sheet.records()
            frame = wire.encode_place(channel, sheet.request, sheet.generation, records)
            self._commands.send_binary(frame)

    def _fields(self, sheet: Sheet) -> Json:
        x, y, color = sheet.cells[0]
        where = {"x": x, "y": y, "color": color, "generation": sheet.generation}
        return {"game": self._options.game, "request": sheet.request, **where}

    def _reply(self, sheet: Sheet, reply: Json) -> None:
        outcome = outcomes.from_reply(reply, sheet.cells[0], sheet.request)
        self._book.answer(sheet.request, 0, outcome or command_error(reply["error"]))
