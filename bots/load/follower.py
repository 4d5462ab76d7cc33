"""One spectator of the load test: it joins, follows, and can prove its board.

Owns the conversation over one line after the other; the rules of following are the client library's
(`GameSync`). The rest of that library is left out, since with it a frame costs more than twice as
much. Placing is a subclass's. Called by its line for each message, and by the member.
"""

import asyncio
from random import Random
from typing import Any

from tesserae_client import control
from tesserae_client.errors import BadFrame
from tesserae_client.messages import Checksum, GameState, decode_text, encode_command, strict
from tesserae_client.snapshot import SnapshotHead
from tesserae_client.sync import GameSync, Step
from tesserae_client.wire import BAND_OP, PIXELS_OP, PixelsFrame, decode_band

from bots.load.frames import TEXT
from bots.load.line import Line
from bots.load.shared import Farewell, Shared

SUBSCRIBE, PROVE, RESYNC = 1, 2, 3
"""Numbers of our commands; only one of each is under way."""
_COMES_LATER = frozenset({"rate", "busy", "internal"})
"""Errors of a `subscribe` that another try may not meet."""
_PATIENCE_MS = 1000


class Follower:
    """Follows one board; `proves` keeps it, too."""

    guest = False

    def __init__(
        self, shared: Shared, rng: Random, *, proves: bool, token: str | None = None
    ) -> None:
        self.sync = GameSync(track=proves)
        self.game_state: GameState | None = None
        self.farewell = Farewell()
        self.line: Line | None = None
        self.rng = rng
        self.shared = shared
        self._token = token
        self._proof: asyncio.Future[bool] | None = None
        self._joined_seq = 0
        """Published before we joined: what comes of it later is no late delivery."""

    # --- the life of a line: called by the line, then by the member ---------------------------

    def opened(self, line: Line) -> None:
        """Take a new line; the server speaks first."""
        self.line = line
        self.farewell = Farewell()

    def cut(self) -> Farewell:
        """Take the end of the line; tell what was said before."""
        self.line = None
        self.sync.cut()
        if self._proof is not None and not self._proof.done():
            self._proof.set_exception(ConnectionError("cut meanwhile"))
        self.shared.tally.connected -= self.farewell.joined
        return self.farewell

    async def prove(self) -> bool:
        """Compare the board with the server's; raises ConnectionError."""
        if self.line is None:
            raise ConnectionError("not there at the end")
        self._proof = asyncio.get_running_loop().create_future()
        self._ask(PROVE, "checksum", {"game": self.shared.game})
        return await self._proof

    # --- what comes: called by the line -------------------------------------------------------

    def received(self, size_bytes: int) -> None:
        """Count what a viewer is sent."""
        self.shared.tally.slot().counts["bytes"] += size_bytes

    def binary(self, payload: bytes) -> None:
        """Take a binary message; raises BadFrame."""
        op = payload[0] if payload else 0
        if op == PIXELS_OP:
            self._pixels(payload)
        elif op == BAND_OP and self.sync.track:
            self._do(self.sync.band(decode_band(payload)))

    @property
    def unanswered(self) -> int:
        """Commands of ours that the crowd waits for: placements."""
        return 0

    def pause(self) -> None:
        """Ask for nothing more before the next line; answers are still taken."""

    @strict
    def text(self, payload: bytes) -> None:
        """Take a JSON message; raises BadFrame."""
        message = decode_text(payload)
        if "re" in message:
            self._reply(message)
        else:
            self._event(message)

    def _pixels(self, payload: bytes) -> None:
        frame = self.shared.frames.decode(payload)
        sync = self.sync
        first = sync.seq + 1
        step = sync.pixels(frame)
        if step is not Step.APPLIED:
            self._do(step)
            return
        self.shared.told(frame.last)
        if frame.last > self._joined_seq:
            self._told(first, frame)

    def _told(self, first: int, frame: PixelsFrame) -> None:
        """Count what was published while we were there, from `first` on at the most."""
        now_s, new = self.shared.tally.now_s(), max(first, self._joined_seq + 1)
        counts = self.shared.tally.slot(now_s).counts
        counts["delivered"] += frame.last + 1 - new
        counts["frames"] += 1
        counts["catch-ups"] += frame.conflated and first == new  # else it is a joiner's
        self.shared.deliveries.seen(new, frame.last, now_s)

    def _event(self, event: dict[str, Any]) -> None:
        name = event["event"]
        if name == "hello":
            self._join()
        elif name in {"starting", "closing", "going"}:
            self._farewells(event)
        elif name == "error":
            self.farewell.reason = f"{event['code']}: {event['message']}"
        elif event.get("game") == self.shared.game:
            self._of_game(name, event)

    def _of_game(self, name: str, event: dict[str, Any]) -> None:
        if name == "snapshot":
            self.shared.tally.slot().counts["snapshots"] += 1
            self._do(self.sync.snapshot(SnapshotHead.from_json(event)))
        elif control.is_numbered(event):
            step = self.sync.numbered(event)
            if step is Step.APPLIED and self.game_state is not None:
                self.game_state = _refreshed(self.game_state, name, event)
            self.shared.told(self.sync.seq)
            self._do(step)

    def _farewells(self, event: dict[str, Any]) -> None:
        said = self.farewell
        said.code = int(event["code"]) if "code" in event else said.code
        said.reason = said.reason or str(event.get("reason") or event["event"])
        said.retry_after_ms = int(event.get("retryAfterMs", said.retry_after_ms))

    def _reply(self, reply: dict[str, Any]) -> None:
        if reply["re"] == SUBSCRIBE:
            self._subscribed(reply)
        elif reply["re"] == RESYNC:
            self._resynced(reply)
        elif reply["re"] == PROVE and self._proof is not None and not self._proof.done():
            self._proved(self._proof, reply)

    # --- joining ------------------------------------------------------------------------------

    def _join(self) -> None:
        watched: dict[str, Any] = {"game": self.shared.game, "snapshot": "inline"}
        if self.sync.position is not None:
            watched["since"] = self.sync.position
        who = {"guest": True} if self.guest and self._token is None else {"token": self._token}
        self._ask(SUBSCRIBE, "subscribe", {**who, "wantsPresence": False, "games": [watched]})

    def _subscribed(self, reply: dict[str, Any]) -> None:
        error = reply["games"][0].get("error") if reply["ok"] else reply["error"]
        if error is not None:
            self._refused(error)
            return
        self._token = reply["you"].get("token") or self._token
        self.farewell.joined = True
        self.shared.tally.connected += 1
        self.shared.tally.slot().counts["joins"] += 1
        self._joined_seq = int(reply["games"][0]["seq"])
        self._begin(reply["games"][0])
        self.joined()

    def joined(self) -> None:
        """Hear that the server knows us and that the stream begins."""

    def _refused(self, error: dict[str, Any] | str) -> None:
        said = self.farewell
        fields = error if isinstance(error, dict) else {"code": error}
        code = str(fields.get("scope") or fields["code"])
        said.reason = f"{code}: {fields['message']}" if "message" in fields else code
        said.retry_after_ms = int(fields.get("retryAfterMs") or fields.get("leftMs") or 0)
        said.final = said.retry_after_ms == 0 and fields["code"] not in _COMES_LATER
        if self.line is not None:
            self.line.hang_up(said.reason)

    def _begin(self, fields: dict[str, Any]) -> None:
        self.game_state = GameState.from_json(fields)
        self.shared.begun(self.game_state.epoch)
        self.shared.told(self.game_state.seq)
        self._do(self.sync.begin(self.game_state))

    # --- staying in step ----------------------------------------------------------------------

    def _do(self, step: Step) -> None:
        if step is Step.RESYNC:
            self.shared.tally.slot().counts["holes"] += 1
            self._resync(self.sync.position)
        elif step is Step.SNAPSHOT:
            self._resync(None)

    def _resync(self, since: dict[str, Any] | None) -> None:
        where = {} if since is None else {"since": since}
        self._ask(RESYNC, "resync", {"game": self.shared.game, **where})

    def _resynced(self, reply: dict[str, Any]) -> None:
        if reply["ok"]:
            self._begin(reply)
        elif reply["error"]["code"] == "rate":
            self._later(reply, self._resync, self.sync.position)
        else:
            raise BadFrame(f"resync was answered with {reply['error']}")

    def _proved(self, proof: "asyncio.Future[bool]", reply: dict[str, Any]) -> None:
        if not reply["ok"]:
            self._later(reply, self._ask, PROVE, "checksum", {"game": self.shared.game})
            return
        told, board = Checksum.from_json(reply), self.sync.board
        here = board is not None and self.sync.seq == told.seq
        proof.set_result(here and board is not None and board.crc32() == told.crc32)

    def _later(self, reply: dict[str, Any], ask: Any, *arguments: Any) -> None:
        """Ask again when the server says that it may be."""
        delay_ms = int(reply["error"].get("retryAfterMs") or _PATIENCE_MS)
        delay_s = delay_ms / 1000 + self.rng.random()
        asyncio.get_running_loop().call_later(delay_s, ask, *arguments)

    def _ask(self, number: int, do: str, fields: dict[str, Any]) -> None:
        if self.line is not None:
            self.line.send(TEXT, encode_command(do, number, fields))


def _refreshed(state: GameState, name: str, event: dict[str, Any]) -> GameState:
    if name not in {"settings", "resize"}:
        return state
    return state.changed({k: v for k, v in event.items() if k not in {"event", "game", "seq"}})
