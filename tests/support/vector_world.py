"""Conversations of the vectors, held with the real sessions of `world`.

What a client sends and what others do meanwhile is the script; what the server says, and where
that leaves a client that keeps to the protocol's page, is recorded. Called by the conformance test,
which compares, and by the command that rewrites the files.
"""

import asyncio
from typing import Any

import numpy as np
import orjson

from canvas.bans import Ban
from canvas.events import BaseImported, PixelPlaced
from canvas.mask import Mask
from canvas.placement import Placement
from canvas.refusals import Refusal, Refused
from server.game.base_blob import BasePicture
from server.game.base_import import Import, Place, import_base
from server.wire import events
from server.wire.codec import Codec
from tests.support.follower import Follower
from tests.support.sockets import WAIT_S
from tests.support.vectors import Cell, Json, cell
from tests.support.wire import Ack, Pixels, decode_binary, json_of
from tests.support.world import BINARY_V1, GAME, JSON_V1, TEXT, Client, World, running

CODECS: dict[str | None, Codec] = {
    "tesserae.v1": BINARY_V1,
    "tesserae.v1.json": JSON_V1,
    None: JSON_V1,
}
SCRIPT = ("connect", "cut", "fromClient", "meanwhile", "neverArrives")
USER = "token-of-"
GUEST = {"id": "g_1", "name": "Calm Otter", "token": f"{USER}guest"}
"""What a server draws at random, as the vectors tell it."""
BINARY_PLACEMENT, JSON_PLACEMENT = "place frame", "place"


class Others:
    """Everybody else on the board; what becomes of their placements is theirs."""

    connection = None
    gone = False

    def accepted(self, event: PixelPlaced, tag: object) -> None:
        """Hear it."""

    def refused(self, refusal: Refusal, placement: Placement, tag: object) -> None:
        raise AssertionError(f"others were refused: {refusal.message}")


class Recorder:
    """One conversation, over as many lines as it takes."""

    def __init__(self, world: World, *, follow_board: bool) -> None:
        self.steps: list[Json] = []
        self._world = world
        self._follow_board = follow_board
        self._client: Client | None = None
        self._follower = Follower()
        self._guest_token = ""
        self._importing: asyncio.Task[BaseImported] | None = None
        self._asked: dict[tuple[str, int, int], Cell] = {}

    async def take(self, step: Json) -> None:
        """Do what a step says, and record it with all that the server answers."""
        self.steps.append(step)
        kind = next(key for key in SCRIPT if key in step)
        getattr(self, f"_{kind}")(step[kind])
        await self._world.quiet()
        await self._imported()
        lost = {"lost": True} if step.get("answersAreLost") else {}
        for frame in [] if self._client is None else self._client.connection.take_frames():
            self._heard(frame.payload, text=frame.opcode == TEXT, lost=lost)
        self._closed()

    def _connect(self, subprotocol: str | None) -> None:
        self._client = self._world.join(CODECS[subprotocol])

    def _cut(self, _fields: Json) -> None:
        assert self._client is not None
        self._client.hang_up()
        self._client = None

    def _fromClient(self, message: Json | str) -> None:  # noqa: N802 - the key of the step
        assert self._client is not None
        if isinstance(message, str):
            self._note_frame(bytes.fromhex(message))
            self._client.send(bytes.fromhex(message))
        elif "text" in message:
            self._client.send(message["text"])
        else:
            if message.get("do") == "place":
                self._note_command(message)
            self._client.send(self._with_tokens(message))

    def _note_command(self, command: Json) -> None:
        if self._follow_board:
            asked = [command[key] for key in ("x", "y", "color")]
            self._asked[JSON_PLACEMENT, command["id"], 0] = asked

    def _note_frame(self, data: bytes) -> None:
        if len(data) < 12 or data[0] != 0x10:
            return
        request = int.from_bytes(data[4:8], "little")
        for index, at in enumerate(range(12, len(data) - 3, 4)):
            asked = cell(int.from_bytes(data[at : at + 4], "little"))
            self._asked[BINARY_PLACEMENT, request, index] = asked

    def _neverArrives(self, message: str) -> None:  # noqa: N802
        """The line is cut before the server reads it."""

    def _meanwhile(self, deed: Json) -> None:
        world, game = self._world, self._world.game
        for x, y, color in deed.get("place", ()):
            game.submit(Placement("bob", "192.0.2.2", "", x, y, color, None, None, 0), Others())
        if "grow" in deed:
            game.resize(**deed["grow"])
        if "settings" in deed:
            game.change(deed["settings"])
        if "ban" in deed:
            world.bans.add_user(deed["ban"], Ban("griefing", world.clock.wall_ms() + deed["ms"]))
        if "base" in deed:
            self._import(**deed["base"])
        if "mask" in deed:
            game.head.mask = Mask.of(np.array(deed["mask"], np.uint8))
        if "passMs" in deed:
            world.clock.advance(deed["passMs"])
        if "stop" in deed:
            game.stop_taking()

    def _import(self, x: int, y: int, rows: list[list[int]]) -> None:
        world = self._world
        picture = BasePicture.of(np.array(rows, np.uint8))
        wanted = Import(picture, Place(x, y, world.game.head.geometry.generation), "op")
        laying = import_base(world.game, world.store.blobs, wanted)
        self._importing = asyncio.create_task(laying)

    async def _imported(self) -> None:
        """Wait for a picture that is on its way: its blob is written by a thread."""
        if self._importing is not None:
            async with asyncio.timeout(WAIT_S):
                while not self._importing.done():
                    await asyncio.wait([self._importing], timeout=0.001)
                    await self._world.quiet()
            await self._importing
            self._importing = None

    def _heard(self, payload: bytes, *, text: bool, lost: Json) -> None:
        if not text:
            self.steps.append({"toClient": payload.hex(), **lost})
            message: Any = decode_binary(payload)
        else:
            message = self._anonymous(orjson.loads(payload))
            self.steps.append({"toClient": message, **lost})
        if not lost:
            self._follow(message)

    def _follow(self, message: Any) -> None:
        if self._follow_board and not self._leaves_a_gap(message):
            self._follow_stream(message)
        if isinstance(message, Ack) and self._follow_board:
            self._settled_by_ack(message)
        elif isinstance(message, dict) and (JSON_PLACEMENT, message.get("re"), 0) in self._asked:
            self._settled_by_reply(message)

    def _leaves_a_gap(self, message: Any) -> bool:
        return isinstance(message, Pixels) and message.first > self._follower.seq + 1

    def _follow_stream(self, message: Any) -> None:
        follower = self._follower
        before = (follower.epoch, follower.seq)
        follower.take(orjson.loads(orjson.dumps(message)) if isinstance(message, dict) else message)
        if before != (follower.epoch, follower.seq):
            self.steps.append({"state": self._state()})

    def _state(self) -> Json:
        follower = self._follower
        assert follower.board is not None
        return {
            "epoch": follower.epoch,
            "seq": follower.seq,
            "generation": follower.generation,
            "width": follower.board.width,
            "height": follower.board.height,
            "board": follower.board.to_bytes().hex(),
            "crc32": follower.board.crc32(),
        }

    def _settled_by_ack(self, ack: Ack) -> None:
        asked = self._asked[BINARY_PLACEMENT, ack.request, ack.index]
        code = next((why.code for why in Refused if why.status == ack.status), None)
        self._settled({"request": ack.request, "index": ack.index}, asked, code)

    def _settled_by_reply(self, reply: Json) -> None:
        asked = self._asked[JSON_PLACEMENT, reply["re"], 0]
        self._settled({"re": reply["re"]}, asked, reply.get("error", {}).get("code"))

    def _settled(self, which: Json, asked: Cell, refused: str | None) -> None:
        outcome = (
            {"outcome": "placed"} if refused is None else {"outcome": "refused", "code": refused}
        )
        self.steps.append({"settled": {**which, "asked": asked, **outcome}})

    def _closed(self) -> None:
        client = self._client
        if client is None or client.closed_with is None:
            return
        line = client.connection
        told = events.closing(client.closed_with, line.close_reason, line.retry_after_ms)
        self.steps.append({"toClient": json_of(told)})
        self.steps.append({"closed": int(client.closed_with)})
        self._cut({})

    def _with_tokens(self, message: Json) -> Json:
        token = str(message.get("token", ""))
        if not token.startswith(USER):
            return message
        name = token.removeprefix(USER)
        real = self._guest_token if name == "guest" else self._world.token(name)
        return {**message, "token": real}

    def _anonymous(self, message: Json) -> Json:
        """Replace what is drawn at random."""
        you = message.get("you", {})
        if "token" in message:
            self._guest_token = message["token"]
            message.update(id=GUEST["id"], token=GUEST["token"])
        elif "token" in you:
            self._guest_token = you["token"]
            you.update(GUEST)
        elif you.get("id", "") and you["id"].startswith("g_"):
            you.update(id=GUEST["id"], name=GUEST["name"])
        return message


def script_of(conversation: Json) -> list[Json]:
    """The steps that are not the server's."""
    return [step for step in conversation["steps"] if any(key in step for key in SCRIPT)]


async def recorded(conversation: Json, *, follow_board: bool) -> list[Json]:
    """Hold a conversation, and give its steps; `follow_board`: with the states of a client."""
    async with running(**options(conversation["setting"])) as world:
        recorder = Recorder(world, follow_board=follow_board)
        for step in script_of(conversation):
            await recorder.take(step)
        return recorder.steps


def options(setting: Json) -> dict[str, Any]:
    """What a setting says, as the world takes it."""
    return {
        "size": (setting["width"], setting["height"]),
        "cooldown_ms": setting.get("cooldownMs", 0),
        "max_stack": setting.get("maxStack", 1),
        "credits": tuple(setting.get("credits", (0, 0))),
        "guests": setting.get("guests", True),
        "guests_per_address": setting.get("guestsPerAddress", 0),
    }


__all__ = ["GAME", "Recorder", "recorded", "script_of"]
