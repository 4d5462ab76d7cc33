"""The Python client against the protocol vectors: frames, boards, and whole conversations."""

from asyncio import Future
from collections.abc import Iterator
from random import Random
from typing import Any, Literal

import numpy as np
import orjson
import pytest
from tesserae_client import outcomes
from tesserae_client.backoff import comes_back
from tesserae_client.board import Board
from tesserae_client.errors import BadFrame
from tesserae_client.feed import Feed
from tesserae_client.joining import Options
from tesserae_client.line import Line
from tesserae_client.link import Link
from tesserae_client.records import from_triples, parts, record, to_triples
from tesserae_client.snapshot import Assembly, SnapshotHead
from tesserae_client.wire import (
    FOREVER_MS,
    Ack,
    BandFrame,
    Frame,
    PixelsFrame,
    decode,
    encode_place,
)

from tests.support import vectors
from tests.support.vectors import Json

FRAMES = vectors.items("frames")
CODECS: dict[str, Literal["binary", "json"]] = {"tesserae.v1": "binary", "tesserae.v1.json": "json"}


def named(found: list[Json]) -> Any:
    return pytest.mark.parametrize("vector", found, ids=lambda vector: vector["name"])


def frames(to: str, kind: str) -> list[Json]:
    return [vector for vector in FRAMES if vector["to"] == to and kind in vector]


def fields_of(frame: Frame | None) -> Json:
    """A decoded frame in the words of the vectors."""
    if isinstance(frame, PixelsFrame):
        return {
            "kind": "pixels",
            "conflated": frame.conflated,
            "channel": frame.channel,
            "generation": frame.generation,
            "first": frame.first,
            "last": frame.last,
            "cells": [list(cell) for cell in to_triples(frame.records)],
        }
    if isinstance(frame, BandFrame):
        return {
            "kind": "band",
            "encoding": "deflate-raw" if frame.deflated else "raw",
            "channel": frame.channel,
            "generation": frame.generation,
            "seq": frame.seq,
            "firstRow": frame.first_row,
            "rows": frame.rows,
            "payload": bytes(frame.payload).hex(),
        }
    assert isinstance(frame, Ack)
    return {
        "kind": "ack",
        "status": frame.status,
        "code": code_of(frame),
        "channel": frame.channel,
        "request": frame.request,
        "seq": frame.seq,
        "cell": list(parts(frame.record)),
        "index": frame.record_index,
        "stackLeft": frame.stack_left,
        "leftMs": None if frame.left_ms == FOREVER_MS else frame.left_ms,
    }


def code_of(ack: Ack) -> str:
    outcome = outcomes.from_ack(ack, (0, 0, 0))
    return outcome.code if isinstance(outcome, outcomes.Refused) else "accepted"


@named(frames("client", "fields"))
def test_frames_are_read(vector: Json) -> None:
    assert fields_of(decode(bytes.fromhex(vector["hex"]))) == vector["fields"]


@named(frames("client", "malformed"))
def test_malformed_frames_are_told(vector: Json) -> None:
    with pytest.raises(BadFrame):
        decode(bytes.fromhex(vector["hex"]))


@named(frames("client", "ignored"))
def test_operations_of_a_later_version_are_left_alone(vector: Json) -> None:
    assert decode(bytes.fromhex(vector["hex"])) is None


@named(frames("server", "fields"))
def test_placements_are_written(vector: Json) -> None:
    fields = vector["fields"]
    head = (fields["channel"], fields["request"], fields["generation"])
    assert encode_place(*head, [record(*cell) for cell in fields["cells"]]).hex() == vector["hex"]


@named(vectors.items("packing", "boards"))
def test_boards_are_put_together_from_bands(vector: Json) -> None:
    width, height = vector["width"], vector["height"]
    assembly = Assembly(SnapshotHead("e", 9, 3, width, height, len(vector["bands"]), None))
    for band in vector["bands"]:
        rows = (band["firstRow"], band["rows"], band["encoding"] == "deflate-raw")
        assembly.add(BandFrame(7, 3, 9, *rows, bytes.fromhex(band["payload"])))
    board = Board.from_packed(width, height, assembly.packed)
    assert board.colors.tolist() == [[int(digit, 16) for digit in row] for row in vector["rows"]]
    assert (board.packed().hex(), board.crc32()) == (vector["packed"], vector["crc32"])


def test_records_have_their_bits() -> None:
    found = vectors.items("packing", "records")
    packed = from_triples([vector["cell"] for vector in found])
    assert packed.tolist() == [vector["record"] for vector in found]
    assert np.frombuffer(b"".join(bytes.fromhex(v["hex"]) for v in found), "<u4").tolist() == (
        packed.tolist()
    )


def test_close_codes_tell_whether_to_come_back() -> None:
    closes = vectors.items("events", "closes")
    assert [comes_back(close["code"]) for close in closes] == [c["comesBack"] for c in closes]


class Drawn(Random):
    """Draws the request numbers of a conversation, in their order."""

    def __init__(self, requests: Iterator[int]) -> None:
        super().__init__(1)
        self._requests = requests

    def getrandbits(self, _bits: int) -> int:
        return next(self._requests)


class Wire(Line):
    """A line without a socket: keeps what the client sends until it is looked at."""

    def __init__(self) -> None:
        self.sent: list[Json | str] = []

    def send_now(self, data: bytes, *, text: bool) -> None:
        self.sent.append(orjson.loads(data) if text else data.hex())

    def watch(self, silence_s: float) -> None:
        """Time stands still."""


class Replay:
    """One conversation, with a real client on its side of it."""

    def __init__(self, vector: Json) -> None:
        self.steps = vector["steps"]
        connect = next(step["connect"] for step in self.steps if "connect" in step)
        options = Options(
            url="ws://127.0.0.1/ws",
            game="place#main",
            token="token-of-ann",
            guest=False,
            codec=CODECS[connect],
            snapshot="inline",
            track_board=True,
            watch=True,
            settle=True,
            invisible=False,
            wants_presence=False,
            min_interval_ms=None,
        )
        self.link = Link(options, Feed(), rng=Drawn(self._requests()), sleep=never, fetch=never)
        self.line = Wire()
        self.ids: dict[int, int] = {}
        self.placed: dict[tuple[str, int, int], Future[outcomes.Outcome]] = {}
        self.dropped = False

    def _requests(self) -> Iterator[int]:
        seen = set()
        for step in self.steps:
            said = step.get("fromClient", step.get("neverArrives", {}))
            request = request_of(said)
            if request is not None and request not in seen:
                seen.add(request)
                yield request

    def run(self) -> None:
        for step in self.steps:
            for key in step.keys() & TAKEN:
                getattr(self, f"_{key}")(step)

    def _connect(self, _step: Json) -> None:
        self.line, self.dropped = Wire(), False

    def _cut(self, _step: Json) -> None:
        self.link.cut()

    def _dropped(self, _step: Json) -> None:
        assert self.dropped
        self.link.cut()

    def _toClient(self, step: Json) -> None:  # noqa: N802 - the key of the step
        message = step["toClient"]
        if "lost" in step:
            return
        if isinstance(message, dict):
            if "re" in message:
                message = {**message, "re": self.ids.get(message["re"], -1)}
            self.link.text_received(self.line, orjson.dumps(message))
            return
        try:
            self.link.binary_received(self.line, bytes.fromhex(message))
        except BadFrame:
            self.dropped = True

    def _neverArrives(self, step: Json) -> None:  # noqa: N802
        self._expect(step["neverArrives"])

    def _fromClient(self, step: Json) -> None:  # noqa: N802
        self._expect(step["fromClient"])

    def _expect(self, message: Json | str) -> None:
        if isinstance(message, dict) and message["do"] == "checksum":
            return
        if not self.line.sent:
            self._place(message)
        said = self.line.sent.pop(0)
        if isinstance(message, dict):
            assert isinstance(said, dict)
            self.ids[message["id"]] = said["id"]
            assert essence(said) == essence(message)
        else:
            assert said == message

    def _place(self, message: Json | str) -> None:
        """A person places: the one thing that a client does not do by itself."""
        cells, which = placement_of(message)
        for index, answer in enumerate(self.link.place(cells, None)):
            self.placed[(*which, index)] = answer

    def _settled(self, step: Json) -> None:
        settled = step["settled"]
        which = ("re", settled["re"]) if "re" in settled else ("request", settled["request"])
        outcome = self.placed[(*which, settled.get("index", 0))].result()
        if settled["outcome"] == "placed":
            assert isinstance(outcome, outcomes.Placed)
        else:
            assert isinstance(outcome, outcomes.Refused)
            assert outcome.code == settled["code"]
            assert [outcome.x, outcome.y, outcome.color] == settled["asked"]

    def _state(self, step: Json) -> None:
        sync = self.link.follower.sync
        assert sync.board is not None
        assert {
            "epoch": sync.epoch,
            "seq": sync.seq,
            "generation": sync.generation,
            "width": sync.board.width,
            "height": sync.board.height,
            "board": sync.board.packed().hex(),
            "crc32": sync.board.crc32(),
        } == step["state"]


TAKEN = {"connect", "cut", "dropped", "toClient", "fromClient", "neverArrives", "settled", "state"}


async def never(*_: object) -> Any:
    raise AssertionError("no conversation waits or fetches")


def request_of(message: Json | str) -> int | None:
    """The request number of a placement; None for any other message."""
    if isinstance(message, dict):
        return message.get("request")
    return int.from_bytes(bytes.fromhex(message)[4:8], "little")


def placement_of(message: Json | str) -> tuple[list[tuple[int, int, int]], tuple[str, int]]:
    """What is placed, and by what its answers are known."""
    if isinstance(message, dict):
        return [(message["x"], message["y"], message["color"])], ("re", message["id"])
    data = bytes.fromhex(message)
    cells = [parts(value) for value in np.frombuffer(data[12:], "<u4").tolist()]
    return cells, ("request", int.from_bytes(data[4:8], "little"))


def essence(message: Json) -> Json:
    """What a vector promises of a command; the rest is a client's choice."""
    if message["do"] != "subscribe":
        return {key: value for key, value in message.items() if key != "id"}
    games = [{k: game.get(k) for k in ("game", "since")} for game in message["games"]]
    return {"do": "subscribe", "token": message["token"], "games": games}


@named([v for v in vectors.items("conversations") if v.get("client", True)])
async def test_conversations(vector: Json) -> None:
    replay = Replay(vector)
    replay.run()
    assert replay.line.sent == []
