"""Staying in step: the client's side of "Order and convergence", as a pure state machine.

Owns the board, the position (epoch, seq) and what is asked for; never a socket. It is fed the
messages of one game in order and answers with a `Step`. RESYNC and SNAPSHOT ask the caller to send
`resync`, with and without `since`; until its reply comes, nothing is asked twice.
"""

from enum import Enum, auto

from tesserae_client import control
from tesserae_client.board import Board
from tesserae_client.errors import BadFrame
from tesserae_client.messages import GameState, Json
from tesserae_client.snapshot import Assembly, SnapshotHead
from tesserae_client.wire import BandFrame, PixelsFrame

BUFFERED_MESSAGES = 4096
"""Most messages kept while a snapshot is fetched by HTTP; past it the snapshot is asked anew."""
_PATIENCE, _DESPAIR = 3, 9


class Step(Enum):
    """What became of a message, and what the caller has to do."""

    IGNORED = auto()
    APPLIED = auto()
    REPLACED = auto()
    """The whole board is a new one."""
    RESYNC = auto()
    """Ask for what is missing since our position."""
    SNAPSHOT = auto()
    """Ask for the whole board."""


class _Phase(Enum):
    CUT = auto()
    FOLLOWING = auto()
    ASKED = auto()
    LOADING = auto()
    FETCHING = auto()


class GameSync:
    """One game as this client knows it; `track=False` follows the numbers without a board."""

    def __init__(self, *, track: bool = True) -> None:
        self.track = track
        self.board: Board | None = None
        self.epoch: str | None = None
        self.seq = 0
        self.generation = 0
        self.empty = 15
        self._target = 0
        self._phase = _Phase.CUT
        self._assembly: Assembly | None = None
        self._buffer: list[PixelsFrame | Json] = []
        self._asked_in_vain = 0

    @property
    def position(self) -> Json | None:
        """`since` for a resume; None before the first board."""
        return None if self.epoch is None else {"epoch": self.epoch, "seq": self.seq}

    @property
    def synced(self) -> bool:
        """All is here that the server had published when it was asked."""
        return self._phase is _Phase.FOLLOWING and self.seq >= self._target

    @property
    def fetching(self) -> bool:
        """A snapshot is to be got by HTTP; the stream is kept meanwhile."""
        return self._phase is _Phase.FETCHING

    def cut(self) -> None:
        """Forget what was under way; board and position stay good."""
        self._phase = _Phase.CUT
        self._assembly = None
        self._buffer.clear()

    def begin(self, state: GameState) -> Step:
        """Take the state that precedes the stream (of `subscribe` or `resync`)."""
        self._target = state.seq
        self.empty = state.empty
        if state.resume == "snapshot":
            self._phase = _Phase.LOADING
            return Step.IGNORED
        if not self.track and (state.resume == "current" or self.epoch != state.epoch):
            self._adopt(state.epoch, state.seq, state.generation)
            return Step.REPLACED
        self._phase = _Phase.FOLLOWING
        there = self.seq == state.seq or state.resume == "events"
        if self.epoch != state.epoch or not there:
            return self._ask(Step.SNAPSHOT)
        return Step.IGNORED

    def pixels(self, frame: PixelsFrame) -> Step:
        """Take a frame of pixels."""
        step = self._order(frame.first, frame.last, frame)
        if step is not Step.APPLIED:
            return step
        if frame.generation != self.generation:
            return self._ask(Step.SNAPSHOT)
        if self.board is not None:
            records = frame.records if frame.conflated else frame.records[self._skipped(frame) :]
            try:
                self.board.apply(records, distinct=frame.conflated)
            except IndexError as fault:
                raise BadFrame(f"a pixel outside the board: {fault}") from fault
        return self._advance(frame.last)

    def numbered(self, event: Json) -> Step:
        """Take a numbered JSON event; one that nobody knows calls for a snapshot."""
        seq = control.seq_of(event)
        step = self._order(seq, seq, event)
        if step is not Step.APPLIED:
            return step
        generation = control.generation_of(event, self.generation)
        if self.track and not self._picture(event):
            return self._ask(Step.SNAPSHOT)
        self.generation = generation
        return self._advance(seq)

    def snapshot(self, head: SnapshotHead) -> Step:
        """Take the head of a snapshot that was asked for; one that was not is ignored."""
        if self._phase is not _Phase.LOADING:
            return Step.IGNORED
        self._target = max(self._target, head.seq)  # events may follow an older snapshot
        if not self.track:
            self._adopt(head.epoch, head.seq, head.generation)
            return Step.REPLACED
        if head.url is not None:
            self._phase = _Phase.FETCHING
            return Step.IGNORED
        self._assembly = Assembly(head)
        return Step.IGNORED

    def band(self, band: BandFrame) -> Step:
        """Take one band of it."""
        if self._assembly is None:
            return Step.IGNORED
        self._assembly.add(band)
        if not self._assembly.complete:
            return Step.IGNORED
        head, packed = self._assembly.head, self._assembly.packed
        self._assembly = None
        self._install(head, packed)
        return Step.REPLACED

    def fetched(self, head: SnapshotHead, packed: bytes) -> Step:
        """Take a board that was fetched by HTTP, then what came meanwhile by rule 4."""
        if self._phase is not _Phase.FETCHING:
            return Step.IGNORED
        if len(packed) * 2 - head.width * head.height not in {0, 1}:
            raise BadFrame(f"{len(packed)} bytes for a board of {head.width} x {head.height}")
        self._install(head, packed)
        waiting, self._buffer = self._buffer, []
        steps = [self._replay(message) for message in waiting]
        return next((s for s in steps if s in {Step.RESYNC, Step.SNAPSHOT}), Step.REPLACED)

    def _replay(self, message: PixelsFrame | Json) -> Step:
        return self.pixels(message) if isinstance(message, PixelsFrame) else self.numbered(message)

    def _order(self, first: int, last: int, message: PixelsFrame | Json) -> Step:
        phase = self._phase
        if phase is _Phase.FETCHING:
            return self._keep(message)
        if phase is _Phase.LOADING or phase is _Phase.CUT or last <= self.seq:
            return Step.IGNORED
        return Step.APPLIED if first <= self.seq + 1 else self._ask(Step.RESYNC)

    def _keep(self, message: PixelsFrame | Json) -> Step:
        if len(self._buffer) >= BUFFERED_MESSAGES:
            self._buffer.clear()
            return self._ask(Step.SNAPSHOT)
        self._buffer.append(message)
        return Step.IGNORED

    def _picture(self, event: Json) -> bool:
        return self.board is not None and control.apply(event, self.board, self.empty)

    def _skipped(self, frame: PixelsFrame) -> int:
        return self.seq + 1 - frame.first

    def _ask(self, step: Step) -> Step:
        if self._phase is _Phase.ASKED:
            return Step.IGNORED
        self._phase = _Phase.ASKED
        self._asked_in_vain += 1
        if self._asked_in_vain > _DESPAIR:
            raise BadFrame(f"{_DESPAIR} answers to resync led nowhere after seq {self.seq}")
        return Step.SNAPSHOT if self._asked_in_vain > _PATIENCE else step

    def _advance(self, seq: int) -> Step:
        self.seq = seq
        self._asked_in_vain = 0
        return Step.APPLIED

    def _install(self, head: SnapshotHead, packed: bytes | bytearray) -> None:
        self.board = Board.from_packed(head.width, head.height, packed)
        self._adopt(head.epoch, head.seq, head.generation)

    def _adopt(self, epoch: str, seq: int, generation: int) -> None:
        self.epoch, self.seq, self.generation = epoch, seq, generation
        self._phase = _Phase.FOLLOWING
        self._asked_in_vain = 0
