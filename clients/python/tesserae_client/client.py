"""The client: one game, watched and placed on, over a line that comes back by itself.

Owns the public API and one task; the conversation is the link's, coming back is the keeper's.
Everything happens on the loop that entered it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from random import Random
from types import TracebackType
from typing import Literal, Self

from tesserae_client import wire
from tesserae_client.address import socket_url
from tesserae_client.backoff import Backoff
from tesserae_client.board import Board
from tesserae_client.errors import ClientClosed
from tesserae_client.events import Event, PixelsChanged
from tesserae_client.feed import Feed
from tesserae_client.fetch import Fetch, fetch_canvas
from tesserae_client.joining import Options
from tesserae_client.keeper import Keeper
from tesserae_client.link import Link
from tesserae_client.messages import Checksum, GameState, Json, Pixel, You, body
from tesserae_client.outcomes import Cell, Outcome
from tesserae_client.presence import Presence

_VERIFY_TRIES = 5


class Client:
    """A player, or with `guest=False` and no token a spectator, on one game.

    `url` is the server's page (`http://…/`) or its socket (`ws://…/ws`). `codec` is "binary" or
    "json"; `snapshot` "inline" or "http". `track_board=False` follows the numbers without a board
    (load tests). `watch=False` only places: it learns the game's state at each joining and hears
    nothing of it afterwards, hence has no board either; many such bots cost no fan-out.
    `settle=False` answers `Unknown` after a cut instead of settling. `max_delay_s` bounds the time
    between two attempts, beside what the server asks; `give_up_after` bounds the failures in a row.
    `on_pixels` is called at once with every change of pixels, `on_event` with every other event;
    they must not block, and what they raise stops the client.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        guest: bool = True,
        game: str = "place#main",
        codec: Literal["binary", "json"] = "binary",
        snapshot: Literal["inline", "http"] = "inline",
        track_board: bool = True,
        watch: bool = True,
        settle: bool = True,
        invisible: bool = False,
        wants_presence: bool = True,
        min_interval_ms: int | None = None,
        max_delay_s: float = 5.0,
        give_up_after: int | None = None,
        on_event: Callable[[Event], None] | None = None,
        on_pixels: Callable[[PixelsChanged], None] | None = None,
        rng: Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        fetch: Fetch = fetch_canvas,
    ) -> None:
        options = Options(
            url=socket_url(url),
            game=game,
            token=token,
            guest=guest,
            codec=codec,
            snapshot=snapshot,
            track_board=track_board and watch,
            watch=watch,
            settle=settle,
            invisible=invisible,
            wants_presence=wants_presence,
            min_interval_ms=min_interval_ms,
        )
        rng = rng or Random()  # jitter and request numbers are no secrets
        self._feed = Feed(on_event, on_pixels)
        self._link = Link(options, self._feed, rng=rng, sleep=sleep, fetch=fetch)
        self._keeper = Keeper(
            self._link,
            Backoff(rng, cap_s=max_delay_s),
            sleep=sleep,
            now_s=_loop_time,
            give_up_after=give_up_after,
        )
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="tesserae-client")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Say goodbye and stop; placements without an answer get `Unknown`. Harmless twice.

        Raises what a listener raised, if that is what stopped the client.
        """
        self._link.stop(ClientClosed("the client was closed"))
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._link.fault is not None:
            raise self._link.fault

    async def ready(self) -> None:
        """Wait until the board is in step; raises `Stopped` when that will never be."""
        await self._link.synced.wait()

    async def place(self, x: int, y: int, color: int) -> Outcome:
        """Place one pixel and wait for its fate: `Placed`, `Refused` or `Unknown`.

        Over a cut it goes on waiting and settles after the resume, at most one pixel in any case.
        Raises `Stopped`, TooMuchPending, or ValueError for what fits no board.
        """
        return (await self.place_many([(x, y, color)]))[0]

    async def place_many(
        self, cells: Iterable[Cell], *, generation: int | None = None
    ) -> list[Outcome]:
        """Place up to 64 pixels (x, y, color); each is decided by itself, in order.

        `generation` says which board the coordinates mean, when it is not this client's own.
        """
        wanted = list(cells)
        if not 1 <= len(wanted) <= wire.FRAME_RECORDS:
            raise ValueError(f"{len(wanted)} placements: give 1 to {wire.FRAME_RECORDS}")
        await self._link.joined.wait()
        return await asyncio.gather(*self._link.place(wanted, generation))

    async def limits(self) -> Json:
        """Ask what is left of cooldown, stack and credits; costs nothing."""
        return await self._link.ask("limits", body, {"game": self._link.options.game})

    async def checksum(self, rows_per_band: int | None = None) -> Checksum:
        """Ask for the server's checksum of the board, perhaps of each band of rows too."""
        fields = {"game": self._link.options.game, "rowsPerBand": rows_per_band}
        return await self._link.ask("checksum", Checksum.from_json, fields)

    async def verify(self) -> bool:
        """Prove that the board is the server's: compare checksums at the very same seq."""
        for _ in range(_VERIFY_TRIES):
            await self.ready()
            agrees = await self._link.ask(
                "checksum", self._agrees, {"game": self._link.options.game}
            )
            if agrees is not None:
                return agrees
        return False

    async def pixel(self, x: int, y: int) -> Pixel:
        """Ask what is published at a cell, by whom and since when."""
        fields = {"game": self._link.options.game, "x": x, "y": y}
        return await self._link.ask("pixel", Pixel.from_json, fields)

    async def rename(self, name: str) -> You:
        """Choose another name, as a guest: `token` is another one from then on.

        Raises CommandFailed when the name cannot be, or when we are no guest.
        """
        return await self._link.ask("rename", self._link.recognize, {"name": name})

    def events(self) -> AsyncIterator[Event]:
        """Iterate over what happens from now on, until the client is closed.

        Ends with `Stopped` when the client gave up. A slow reader loses the oldest events and gets
        `Overflow` instead.
        """
        return self._feed.listen()

    @property
    def board(self) -> Board:
        """The board as far as `seq`; raises RuntimeError before the first one has come."""
        board = self._link.follower.sync.board
        if board is None:
            raise RuntimeError("there is no board: await ready(), and keep track_board on")
        return board

    @property
    def seq(self) -> int:
        """The newest number that the board holds."""
        return self._link.follower.sync.seq

    @property
    def epoch(self) -> str | None:
        """The history that `seq` counts in."""
        return self._link.follower.sync.epoch

    @property
    def generation(self) -> int:
        """The generation in which coordinates are meant; each growth of the board begins one."""
        return self._link.follower.generation

    @property
    def game_state(self) -> GameState | None:
        """Palette, cooldown, lock …, kept up to date; None before the first reply."""
        return self._link.follower.state

    @property
    def presence(self) -> Presence:
        """Who is here."""
        return self._link.follower.presence

    @property
    def you(self) -> You | None:
        """Who the server says we are; None before the first reply."""
        return self._link.you

    @property
    def token(self) -> str | None:
        """Our token, or that of the guest we became: give it back later to be the same."""
        return self._link.token

    @property
    def in_step(self) -> bool:
        """The line is open and the board is as new as the server's at the last joining."""
        return self._link.synced.is_open

    @property
    def connected(self) -> bool:
        """The line is open and the server said who we are."""
        return self._link.joined.is_open

    async def _run(self) -> None:
        try:
            self._link.stop(await self._keeper.run())
        except Exception as fault:  # noqa: BLE001 - raised to all that wait, and by close()
            self._link.stop(fault)

    def _agrees(self, reply: Json) -> bool | None:
        checksum = Checksum.from_json(reply)
        if checksum.seq != self.seq:
            return None
        return checksum.crc32 == self.board.crc32()


def _loop_time() -> float:
    return asyncio.get_running_loop().time()
