"""Decoders of what the server sends, written from the protocol's page and not from the encoders."""

import struct
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson


class Pixels(NamedTuple):
    conflated: bool
    channel: int
    generation: int
    first: int
    last: int
    records: list[int]


class Band(NamedTuple):
    deflated: bool
    channel: int
    generation: int
    seq: int
    first_row: int
    rows: int
    payload: bytes


@dataclass(frozen=True)
class Ack:
    status: int
    channel: int
    request: int
    seq: int
    record: int
    index: int
    stack_left: int
    left_ms: int


class Frame(NamedTuple):
    opcode: int
    payload: bytes


def split_frames(data: bytes) -> list[Frame]:
    """Split what a server wrote into its frames; fails on anything masked, fragmented or cut."""
    frames = []
    while data:
        first, second = data[0], data[1]
        assert first & 0xF0 == 0x80, "fragmented or compressed"
        assert second & 0x80 == 0, "masked"
        size, start = second, 2
        if second == 126:
            (size,), start = struct.unpack("!H", data[2:4]), 4
            assert size > 125
        elif second == 127:
            (size,), start = struct.unpack("!Q", data[2:10]), 10
            assert size > 0xFFFF
        assert len(data) >= start + size, "cut short"
        frames.append(Frame(first & 0x0F, data[start : start + size]))
        data = data[start + size :]
    return frames


def only_frame(data: bytes) -> Frame:
    (frame,) = split_frames(data)
    return frame


def json_of(data: bytes) -> dict[str, Any]:
    frame = only_frame(data)
    assert frame.opcode == 1
    value = orjson.loads(frame.payload)
    assert isinstance(value, dict)
    return value


def decode_binary(payload: bytes) -> Pixels | Band | Ack:
    """Decode the payload of a binary frame to the client."""
    match payload[0]:
        case 0x01:
            flags, channel, generation, first, last = struct.unpack("<xBHIQQ", payload[:24])
            records = [value for (value,) in struct.iter_unpack("<I", payload[24:])]
            return Pixels(bool(flags), channel, generation, first, last, records)
        case 0x02:
            deflated, channel, generation, *rows = struct.unpack("<xBHIQII", payload[:24])
            seq, first_row, count = rows
            return Band(bool(deflated), channel, generation, seq, first_row, count, payload[24:])
        case 0x11:
            assert len(payload) == 32
            return Ack(*struct.unpack("<xBHIQIHHQ", payload))
    raise AssertionError(f"unknown operation {payload[0]:#x}")
