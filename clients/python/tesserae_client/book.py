"""The book of unanswered placements: what was sent, who waits, what may be sent again.

Owns request numbers and the futures of `place`; never the socket. A cut makes unanswered ones
unknown; sending the same frame again under the same number settles them, since the server answers
what it accepted with the first outcome. It remembers the last 16 accepted of a user for ten
minutes, so only the newest frames of up to 16 records together may be sent again; in these,
places that were answered already are taken by a record that can only be refused.
"""

from asyncio import Future
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from tesserae_client.errors import TooMuchPending
from tesserae_client.outcomes import Cell, Outcome, Unknown
from tesserae_client.records import IMPOSSIBLE, record

MAX_UNANSWERED = 1024
"""Records; the server reads no further either until some of as many are answered."""
REMEMBERED = 16
"""Accepted records of a user that the server remembers."""
REMEMBERED_S = 540.0
"""It forgets after ten minutes; a minute is left for the way."""


@dataclass(slots=True)
class Sheet:
    """One frame of placements under one request number."""

    request: int
    generation: int
    cells: Sequence[Cell]
    sent_at_s: float
    answers: list["Future[Outcome]"]

    @property
    def open(self) -> bool:
        """Some record of it has no answer yet."""
        return not all(answer.done() for answer in self.answers)

    def records(self) -> list[int]:
        """Pack what is to be sent; answered places are taken by an impossible record."""
        return [
            IMPOSSIBLE if answer.done() else record(*cell)
            for cell, answer in zip(self.cells, self.answers, strict=True)
        ]

    def unanswered(self) -> Iterator[Unknown]:
        """Yield the records whose fate is not known."""
        for index, (cell, answer) in enumerate(zip(self.cells, self.answers, strict=True)):
            if not answer.done():
                yield Unknown(*cell, request=self.request, index=index)

    def give_up(self) -> None:
        """Answer `Unknown` to whoever still waits."""
        for unknown in list(self.unanswered()):
            self.answers[unknown.index].set_result(unknown)


class Book:
    """All sheets that are not answered in full, oldest first."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._sheets: dict[int, Sheet] = {}
        self.unanswered = 0

    def check(self, cells: Sequence[Cell]) -> None:
        """Raise TooMuchPending, or ValueError for what no record can hold."""
        if self.unanswered + len(cells) > MAX_UNANSWERED:
            raise TooMuchPending(f"{self.unanswered} placements wait for an answer")
        for cell in cells:
            record(*cell)

    def open(
        self,
        cells: Sequence[Cell],
        answers: list["Future[Outcome]"],
        *,
        generation: int,
        now_s: float,
    ) -> Sheet:
        """Enter placements that are about to be sent, one fresh future for each."""
        sheet = Sheet(self._fresh_request(), generation, cells, now_s, answers)
        self._sheets[sheet.request] = sheet
        self.unanswered += len(cells)
        for answer in answers:
            answer.add_done_callback(partial(self._answered, sheet))
        return sheet

    def asked(self, request: int, index: int) -> Cell | None:
        """Return the cell of an unanswered record; None when nobody waits for it."""
        sheet = self._sheets.get(request)
        if sheet is None or index >= len(sheet.cells) or sheet.answers[index].done():
            return None
        return sheet.cells[index]

    def answer(self, request: int, index: int, outcome: Outcome | Exception) -> None:
        """Hand an outcome to whoever waits for it."""
        if self.asked(request, index) is None:
            return
        answer = self._sheets[request].answers[index]
        if isinstance(outcome, Exception):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    def unknown(self) -> list[Unknown]:
        """List every record without an answer; after a cut their fate is not known."""
        return [unknown for sheet in self._sheets.values() for unknown in sheet.unanswered()]

    def to_send_again(self, now_s: float) -> list[Sheet]:
        """Return the sheets that are safe to send again, oldest first; give up the others."""
        left = REMEMBERED
        safe: list[Sheet] = []
        for sheet in reversed([sheet for sheet in self._sheets.values() if sheet.open]):
            left -= len(sheet.cells)
            if left < 0 or now_s - sheet.sent_at_s > REMEMBERED_S:
                break
            safe.append(sheet)
        self._keep_only(safe)
        return safe[::-1]

    def give_up(self) -> None:
        """Answer `Unknown` to all."""
        self._keep_only([])

    def _keep_only(self, safe: list[Sheet]) -> None:
        kept = {sheet.request for sheet in safe}
        for request in [request for request in self._sheets if request not in kept]:
            self._sheets.pop(request).give_up()

    def _fresh_request(self) -> int:
        while (request := self._rng.getrandbits(32)) in self._sheets:
            pass
        return request

    def _answered(self, sheet: Sheet, _answer: "Future[Outcome]") -> None:
        self.unanswered -= 1
        if not sheet.open:
            self._sheets.pop(sheet.request, None)
