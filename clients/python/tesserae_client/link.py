"""The client's side of the conversation: messages in, commands and placements out.

Owns the line of the moment, what waits for an answer on it and over it, and the follower. It
decides nothing about coming back (the keeper does) and has no task of its own, except one while a
board is fetched by HTTP. Called by the keeper for the line's life, by the line for each message,
and by the client.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from http.client import HTTPException
from random import Random
from typing import TypeVar

from tesserae_client import outcomes, wire
from tesserae_client.backoff import Backoff
from tesserae_client.book import REMEMBERED, Book, Sheet
from tesserae_client.commands import Commands, OnReply, settle
from tesserae_client.errors import BadFrame, ClientClosed, RateLimited, Stopped, command_error
from tesserae_client.events import Connected, Lost, PlacementUnknown, Told
from tesserae_client.feed import Feed
from tesserae_client.fetch import Fetch, http_url
from tesserae_client.follower import Asks, Follower
from tesserae_client.gate import Gate
from tesserae_client.joining import Joined, NotJoined, Options, read_joined, subscribe_fields
from tesserae_client.keeper import Farewell
from tesserae_client.line import Line, open_line
from tesserae_client.messages import GameState, Json, You, decode_text, encode_command, strict
from tesserae_client.outcomes import Cell, Outcome

_T = TypeVar("_T")
_DEFAULT_RETRY_MS = 1000


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
        self._sleep = sleep
        self._fetch = fetch
        asks = Asks(self._resync, self._sync_presence, self._start_fetch)
        self.follower = Follower(options.game, feed, asks, track=options.track_board)
        self._book = Book(rng)
        self._commands = Commands()
        self._line: Line | None = None
        self._farewell = Farewell()
        self._fetching: asyncio.Task[None] | None = None

    # --- the life of a line: called by the keeper ---------------------------------------------

    async def open(self) -> Line:
        """Open a new line; what comes on it is received below."""
        self._farewell = Farewell()
        return await open_line(self.options.url, self.options.codec, self)

    def cut(self) -> Farewell:
        """Take the end of a line: commands fail, unanswered placements become unknown."""
        self._line = None
        self.joined.shut()
        self.synced.shut()
        self.follower.sync.cut()
        self._commands.cut()
        self._end_fetch()
        for unknown in self._book.unknown():
            self._feed.publish(PlacementUnknown(unknown))
        if not self.options.settle:
            self._book.give_up()
        return self._farewell

    def lost(self, reason: str, code: int | None, retry_in_s: float) -> None:
        """Tell listeners that the client comes back later."""
        self._feed.publish(Lost(reason, code, retry_in_s))

    def stop(self, error: Exception) -> None:
        """End for good; whoever waits hears why."""
        if not isinstance(error, Stopped):
            self.fault = error
        self.joined.fail(error)
        self.synced.fail(error)
        self._commands.cut()
        self._book.give_up()
        self._end_fetch()
        self._feed.end(None if isinstance(error, ClientClosed) else error)

    # --- what comes: called by the line -------------------------------------------------------

    def binary_received(self, _line: Line, data: bytes | bytearray) -> None:
        """Take a binary frame."""
        frame = wire.decode(data)
        if isinstance(frame, wire.PixelsFrame):
            self.follower.pixels(frame)
        elif isinstance(frame, wire.Ack):
            self._ack(frame)
        else:
            self.follower.band(frame)
        self._look()

    def text_received(self, line: Line, data: bytes | bytearray) -> None:
        """Take a JSON message: a reply or an event."""
        message = decode_text(data)
        if "re" in message:
            self._commands.reply(message)
        else:
            self._event(line, message)
        self._look()

    @strict
    def _event(self, line: Line, event: Json) -> None:
        name = event["event"]
        if name == "hello":
            self._hello(line, event)
        elif name in {"starting", "closing", "going"}:
            self._farewells(event)
        elif name == "error":
            self._farewell.reason = f"{event['code']}: {event['message']}"
        else:
            self.follower.event(event)

    def _hello(self, line: Line, event: Json) -> None:
        self._line = line
        line.watch(2 * int(event["pingMs"]) / 1000)
        fields = subscribe_fields(self.options, self.token, self.follower.sync.position)
        self._command("subscribe", fields, self._subscribed)

    def _farewells(self, event: Json) -> None:
        said = self._farewell
        said.code = event.get("code", said.code)
        said.reason = said.reason or str(event.get("reason") or event["event"])
        said.retry_after_ms = event.get("retryAfterMs", said.retry_after_ms)
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
        if self._line is not None:
            self._line.abort()

    def _join(self, joined: Joined) -> None:
        if self.you is not None and self.you.id != joined.you.id:
            self._book.give_up()  # the numbers of another identity settle nothing
        self.you = joined.you
        self.token = joined.you.token or self.token
        self._farewell.joined = True
        if joined.presence is not None:
            self.follower.presence.snapshot(joined.presence)
        self.follower.begin(joined.state)
        self.joined.open()
        self._feed.publish(Connected(joined.you, joined.state))
        for sheet in self._book.to_send_again(asyncio.get_running_loop().time()):
            self._send_sheet(sheet)

    def _look(self) -> None:
        if not self.synced.is_open and self.follower.sync.synced:
            self.synced.open()

    # --- what goes: called by the client ------------------------------------------------------

    def place(self, cells: Sequence[Cell]) -> list[asyncio.Future[Outcome]]:
        """Send placements (the gate `joined` is open) and return the future of each outcome."""
        loop = asyncio.get_running_loop()
        answers: list[asyncio.Future[Outcome]] = [loop.create_future() for _ in cells]
        size = self._sheet_size
        for at in range(0, len(cells), size):
            sheet = self._book.open(
                cells[at : at + size],
                answers[at : at + size],
                generation=self.follower.generation,
                now_s=loop.time(),
            )
            self._send_sheet(sheet)
        return answers

    async def ask(self, do: str, read: Callable[[Json], _T], fields: Json) -> _T:
        """Send a command; what `read` makes of an ok reply, in the turn of the reply.

        Raises CommandFailed, Disconnected or Stopped.
        """
        await self.joined.wait()
        answer: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        on_reply, on_cut = settle(answer, read)
        self._command(do, fields, on_reply, on_cut)
        return await answer

    @property
    def _sheet_size(self) -> int:
        if self.options.codec == "json":
            return 1
        return REMEMBERED if self.options.settle else wire.FRAME_RECORDS

    def _command(
        self,
        do: str,
        fields: Json,
        on_reply: OnReply,
        on_cut: Callable[[Exception], None] = lambda _cut: None,
    ) -> None:
        command_id = self._commands.open(on_reply, on_cut)
        if self._line is not None:
            self._line.send_now(encode_command(do, command_id, fields), text=True)

    def _send_sheet(self, sheet: Sheet) -> None:
        state = self.follower.state
        if self._line is None or state is None:
            return  # the cut that is about to be told makes it unknown, and then it is sent again
        if self.options.codec == "binary":
            frame = wire.encode_place(
                state.channel, sheet.request, sheet.generation, sheet.records()
            )
            self._line.send_now(frame, text=False)
        else:
            self._command("place", self._place_fields(sheet), partial(self._place_reply, sheet))

    def _place_fields(self, sheet: Sheet) -> Json:
        x, y, color = sheet.cells[0]
        where = {"x": x, "y": y, "color": color, "generation": sheet.generation}
        return {"game": self.options.game, "request": sheet.request, **where}

    def _place_reply(self, sheet: Sheet, reply: Json) -> None:
        outcome = outcomes.from_reply(reply, sheet.cells[0], sheet.request)
        self._book.answer(sheet.request, 0, outcome or command_error(reply["error"]))

    def _ack(self, ack: wire.Ack) -> None:
        asked = self._book.asked(ack.request, ack.record_index)
        if asked is not None:
            self._book.answer(ack.request, ack.record_index, outcomes.from_ack(ack, asked))

    # --- what the follower asks for -----------------------------------------------------------

    def _resync(self, position: Json | None) -> None:
        self.synced.shut()
        fields = {"game": self.options.game, "since": position}
        self._command("resync", fields, partial(self._resynced, position))

    def _resynced(self, position: Json | None, reply: Json) -> None:
        if reply["ok"]:
            self.follower.begin(GameState.from_json(reply))
            return
        failed = command_error(reply["error"])
        if not isinstance(failed, RateLimited):
            raise BadFrame(f"resync was answered with {failed}")
        line = self._line
        delay_s = failed.retry_after_ms / 1000 + self._rng.random()

        def again() -> None:
            if self._line is line:
                self._resync(position)

        asyncio.get_running_loop().call_later(delay_s, again)

    def _sync_presence(self) -> None:
        self._command("syncPresence", {}, self._presence_synced)

    def _presence_synced(self, reply: Json) -> None:
        if reply["ok"]:
            self.follower.presence.snapshot(reply.get("presence") or reply)

    def _start_fetch(self, path: str) -> None:
        self._end_fetch()
        url = http_url(self.options.url, path)
        self._fetching = asyncio.create_task(self._fetch_board(url), name="tesserae-fetch")

    def _end_fetch(self) -> None:
        if self._fetching is not None:
            self._fetching.cancel()
            self._fetching = None

    async def _fetch_board(self, url: str) -> None:
        backoff = Backoff(self._rng)
        while True:
            try:
                head, packed = await self._fetch(url)
                self.follower.fetched(head, packed)
            except (OSError, HTTPException, BadFrame):
                await self._sleep(backoff.next_s())  # the stream is kept meanwhile
            else:
                self._look()
                return
