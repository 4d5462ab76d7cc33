"""The client's side of the conversation: messages in, commands and placements out.

Owns who we are, the gates that callers wait at, and the wiring of what the messages are for: the
follower, the placer and the commands. It decides nothing about coming back (the keeper does).
Called by the keeper for the line's life, by the line for each message, and by the client.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from random import Random
from typing import TypeVar

from tesserae_client import wire
from tesserae_client.backoff import asked_s
from tesserae_client.board_fetch import BoardFetch
from tesserae_client.commands import Commands, settle
from tesserae_client.errors import BadFrame, ClientClosed, RateLimited, Stopped, command_error
from tesserae_client.events import Connected, Lost, PlacementUnknown, Told
from tesserae_client.feed import Feed, ListenerFault
from tesserae_client.fetch import Fetch, http_url
from tesserae_client.follower import Asks, Follower
from tesserae_client.gate import Gate
from tesserae_client.joining import Joined, NotJoined, Options, read_joined, subscribe_fields
from tesserae_client.keeper import Farewell
from tesserae_client.line import Line, open_line
from tesserae_client.messages import GameState, Json, You, decode_text, strict
from tesserae_client.outcomes import Cell, Outcome
from tesserae_client.placer import Placer
from tesserae_client.snapshot import SnapshotHead

_T = TypeVar("_T")


class Link:
    """One conversation, over as many lines as it takes."""

    def __init__(
        self,
        options: Options,
        feed: Feed,
        *,
        rng: Random,
        sleep: Callable[[float], Awaitable[None]],
        fetch: Fetch,
    ) -> None:
        self.options = options
        self.token = options.token
        self.you: You | None = None
        self.joined = Gate()
        self.synced = Gate()
        self.fault: Exception | None = None
        self._feed = feed
        self._rng = rng
        self._farewell = Farewell()
        asks = Asks(self._resync, self._sync_presence, self._start_fetch)
        self.follower = Follower(options.game, feed, asks, track=options.track_board)
        self._commands = Commands()
        self._placer = Placer(options, self.follower, self._commands, rng)
        self._board_fetch = BoardFetch(fetch, self._fetched, rng, sleep)

    # --- the life of a line: called by the keeper ---------------------------------------------

    async def open(self) -> Line:
        """Open a new line; what comes on it is received below."""
        self._farewell = Farewell()
        return await open_line(self.options.url, self.options.codec, self)

    def cut(self) -> Farewell:
        """Take the end of a line: commands fail, unanswered placements become unknown."""
        self.joined.shut()
        self.synced.shut()
        self.follower.sync.cut()
        self._commands.cut()
        self._board_fetch.end()
        for unknown in self._placer.unknown():
            self._feed.publish(PlacementUnknown(unknown))
        if not self.options.settle:
            self._placer.give_up()
        return self._farewell

    def lost(self, reason: str, code: int | None, retry_in_s: float) -> None:
        """Tell listeners that the client comes back later."""
        self._feed.publish(Lost(reason, code, retry_in_s))

    def stop(self, error: Exception) -> None:
        """End for good; whoever waits hears why."""
        if isinstance(error, ListenerFault) and isinstance(error.__cause__, Exception):
            error = error.__cause__
        if not isinstance(error, Stopped):
            self.fault = error
        self.joined.fail(error)
        self.synced.fail(error)
        self._commands.cut()
        self._placer.give_up()
        self._board_fetch.end()
        self._feed.end(None if isinstance(error, ClientClosed) else error)

    # --- what comes: called by the line -------------------------------------------------------

    @strict
    def binary_received(self, _line: Line, data: bytes | bytearray) -> None:
        """Take a binary frame."""
        frame = wire.decode(data)
        if isinstance(frame, wire.PixelsFrame):
            self.follower.pixels(frame)
        elif isinstance(frame, wire.Ack):
            self._placer.ack(frame)
        elif frame is not None:
            self.follower.band(frame)
        self._look()

    @strict
    def text_received(self, line: Line, data: bytes | bytearray) -> None:
        """Take a JSON message: a reply or an event."""
        message = decode_text(data)
        if "re" in message:
            self._commands.reply(message)
        else:
            self._event(line, message)
        self._look()

    def _event(self, line: Line, event: Json) -> None:
        name = event["event"]
        if name == "hello":
            self._hello(line, event)
        elif name in {"starting", "closing", "going"}:
            self._farewells(event)
        elif name == "error":
            self._farewell.reason = f"{event['code']}: {event['message']}"
        elif name == "you":
            self.recognize(event)
            self._feed.publish(Told(name, event))
        else:
            self.follower.event(event)

    def _hello(self, line: Line, event: Json) -> None:
        self._commands.line = line
        line.watch(2 * int(event["pingMs"]) / 1000)
        fields = subscribe_fields(self.options, self.token, self.follower.sync.position)
        self._commands.send("subscribe", fields, self._subscribed)

    def _farewells(self, event: Json) -> None:
        said = self._farewell
        if "code" in event:
            said.code = int(event["code"])
        said.reason = said.reason or str(event.get("reason") or event["event"])
        if "retryAfterMs" in event:
            said.retry_after_ms = int(event["retryAfterMs"])
        self._feed.publish(Told(event["event"], event))

    def _subscribed(self, reply: Json) -> None:
        answer = read_joined(reply)
        if isinstance(answer, NotJoined):
            self._refuse(answer)
        else:
            self._join(answer)

    def _refuse(self, answer: NotJoined) -> None:
        said = self._farewell
        said.final, said.reason = answer.final, answer.reason
        said.retry_after_ms = answer.retry_after_ms
        if self._commands.line is not None:
            self._commands.line.abort()

    def _join(self, joined: Joined) -> None:
        if self.you is not None and self.you.id != joined.you.id:
            self._placer.give_up()  # the numbers of another identity settle nothing
        self.you = joined.you
        self.token = joined.you.token or self.token
        self._farewell.joined = True
        if joined.presence is not None:
            self.follower.presence.snapshot(joined.presence)
        self.follower.begin(joined.state)
        self.joined.open()
        self._feed.publish(Connected(joined.you, joined.state))
        self._placer.send_again()
        if not self.options.watch:
            self._commands.send("watchGames", {"games": []}, _unwatched)

    def recognize(self, fields: Json) -> You:
        """Take who we are from now on, after a rename here or on another line of ours."""
        self.you = You.from_json(fields)
        self.token = self.you.token or self.token
        return self.you

    def _look(self) -> None:
        if not self.synced.is_open and self.follower.sync.synced:
            self.synced.open()

    # --- what goes: called by the client ------------------------------------------------------

    def place(self, cells: Sequence[Cell], generation: int | None) -> list[asyncio.Future[Outcome]]:
        """Send placements (the gate `joined` is open) and return the future of each outcome."""
        return self._placer.place(cells, generation)

    async def ask(self, do: str, read: Callable[[Json], _T], fields: Json) -> _T:
        """Send a command; what `read` makes of an ok reply, in the turn of the reply.

        Raises CommandFailed, Disconnected or Stopped.
        """
        await self.joined.wait()
        answer: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._commands.send(do, fields, *settle(answer, read))
        return await answer

    # --- what the follower asks for -----------------------------------------------------------

    def _resync(self, position: Json | None) -> None:
        self.synced.shut()
        fields = {"game": self.options.game, "since": position}
        self._commands.send("resync", fields, partial(self._resynced, position))

    def _resynced(self, position: Json | None, reply: Json) -> None:
        if reply["ok"]:
            self.follower.begin(GameState.from_json(reply))
            return
        failed = command_error(reply["error"])
        if not isinstance(failed, RateLimited):
            raise BadFrame(f"resync was answered with {failed}")
        line = self._commands.line
        delay_s = asked_s(failed.retry_after_ms) + self._rng.random()

        def again() -> None:
            if self._commands.line is line:
                self._resync(position)

        asyncio.get_running_loop().call_later(delay_s, again)

    def _sync_presence(self) -> None:
        self._commands.send("syncPresence", {}, self._presence_synced)

    def _presence_synced(self, reply: Json) -> None:
        if reply["ok"]:
            self.follower.presence.snapshot(reply["presence"])

    def _start_fetch(self, path: str) -> None:
        self._board_fetch.start(http_url(self.options.url, path))

    def _fetched(self, head: SnapshotHead, packed: bytes) -> None:
        try:
            self.follower.fetched(head, packed)
        except ListenerFault as fault:
            if (line := self._commands.line) is not None:
                line.fail(fault)
        self._look()


def _unwatched(reply: Json) -> None:
    """Take the answer to an empty watch set; one that was refused leaves us watching, no worse."""
    if not reply["ok"] and not isinstance(failed := command_error(reply["error"]), RateLimited):
        raise BadFrame(f"watchGames was answered with {failed}")
