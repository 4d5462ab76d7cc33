"""The core alone: decode, rules, number, apply; no socket, no disk. Process CPU, best of eight."""

import random
import struct
import time
from dataclasses import dataclass

from bench.results import Result, Row
from canvas.address import AddressPolicy
from canvas.board import Board
from canvas.cooldown import CooldownRule
from canvas.events import PixelPlaced
from canvas.geometry import Geometry
from canvas.growth import Lineage
from canvas.head import Head
from canvas.palette import DEFAULT
from canvas.placement import Placement
from canvas.records import cell_of
from canvas.settings import Settings
from server.collector import building_what_stays
from server.replica.replica import Replica
from server.replica.ring import Ring
from server.wire.binary_v1 import decode_place
from server.wire.codec import Stream

USERS = 5000
ROUNDS = 20
COOLDOWN_MS = 1000
BATCH = 500
"""Placements a flush: what a busy tick publishes."""


def run() -> Result:
    """Measure placements a second of one core."""
    with building_what_stays():
        pass  # from here on the collector is as calm as in the server
    best = min(_seconds() for _ in range(8))
    rate = USERS * ROUNDS / best
    note = (
        f"{USERS} users in turn, one record a frame, cooldown {COOLDOWN_MS} ms, 1024 x 1024;"
        " the goal was set where one frozen value cost 1 µs"
    )
    rows = [
        Row("core placements a second", rate, "/s", 200_000, "higher"),
        Row("one frozen value of fourteen fields, beside it", _frozen_value(), "µs"),
    ]
    return Result("core", rows, note)


@dataclass(frozen=True, slots=True)
class _Frozen:
    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int
    i: int
    j: int
    k: int
    m: int
    n: int
    o: int


def _frozen_value(count: int = 100_000) -> float:
    started = time.process_time()
    for _ in range(count):
        _Frozen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
    return 1e6 * (time.process_time() - started) / count


def _seconds() -> float:
    replica, head = _game()
    frames = _frames()
    users = [(f"user{number}", f"key{number % 500}") for number in range(USERS)]
    started = time.process_time()
    now_ms, pending = 0, []
    for turn in range(ROUNDS):
        now_ms += COOLDOWN_MS
        turn_frames = frames[turn * USERS : (turn + 1) * USERS]
        for (user, key), data in zip(users, turn_frames, strict=True):
            frame = decode_place(data)
            for index, record in enumerate(frame.records):
                x, y, color = cell_of(record)
                placement = tuple.__new__(
                    Placement,
                    (user, "192.0.2.1", key, x, y, color, frame.generation, frame.request, index),
                )
                event = head.place(placement, now_ms, 1_700_000_000_000 + now_ms)
                assert type(event) is PixelPlaced
                pending.append(event)
            if len(pending) >= BATCH:
                replica.apply(pending)
                head.settle(pending)
                pending = []
    return time.process_time() - started


def _game() -> tuple[Replica, Head]:
    settings = Settings(DEFAULT, CooldownRule(COOLDOWN_MS))
    lineage = Lineage([Geometry(1024, 1024)])
    board, ring = Board(1024, 1024), Ring(0, 100_000)
    replica = Replica(Stream("place#main", 1), "e", board, lineage, settings, ring)
    return replica, Head(replica, settings, policy=AddressPolicy(0, 40))


def _frames() -> list[bytes]:
    chance = random.Random(7)
    return [
        struct.pack(
            "<BBHIII",
            0x10,
            0,
            1,
            chance.getrandbits(32),
            0,
            chance.randrange(1024) | chance.randrange(1024) << 13 | chance.randrange(16) << 26,
        )
        for _ in range(USERS * ROUNDS)
    ]
