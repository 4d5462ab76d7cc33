"""A server that breaks the protocol costs its line and nothing else: the vectors, spoilt."""

import copy
import json
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tesserae_client.errors import BadFrame
from tesserae_client.feed import Feed
from tesserae_client.joining import Options
from tesserae_client.link import Link

from tests.support import vectors
from tests.support.vectors import Json

CONVERSATIONS = vectors.items("conversations")
CODECS = {"tesserae.v1": "binary", "tesserae.v1.json": "json"}
EVIL: list[Any] = [
    *(None, True, -1, 0, 1, 1.5, 2**31, 2**53, 2**63, 2**64, 10**30, 1e308),
    *("", "x", "9" * 5000, [], {}, [1], [[1, 2, 3]], [None], {"a": 1}),
]
GONE = object()


class Nowhere:
    """Takes the place of a line: what the client sends is lost."""

    def send_now(self, data: bytes, *, text: bool) -> None:
        """Nobody listens."""

    def watch(self, silence_s: float) -> None:
        """Time stands still."""

    def abort(self) -> None:
        """It goes on talking."""


async def never(*_: object) -> Any:
    raise AssertionError("nothing is waited for or fetched")


def a_link(codec: Any, *, watch: bool, track: bool) -> Link:
    options = Options(
        url="ws://127.0.0.1/ws",
        game="place#main",
        token="token-of-ann",
        guest=False,
        codec=codec,
        snapshot="inline",
        track_board=track and watch,
        watch=watch,
        settle=True,
        invisible=False,
        wants_presence=False,
        min_interval_ms=None,
    )
    return Link(options, Feed(), rng=Random(1), sleep=never, fetch=never)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container and key in a message."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    return [(value, key) for key in keys] + [p for key in keys for p in places(value[key])]


def spoilt(message: Json, chance: Random) -> Json:
    """The message with one or two values that are not as they should be, or not there."""
    message = copy.deepcopy(message)
    for _ in range(chance.choice((1, 1, 2))):
        found = places(message)
        if found:
            holder, key = chance.choice(found)
            value = chance.choice([*EVIL, GONE, GONE, GONE])
            if value is GONE:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(value)
    return message


def broken(frame: bytes, chance: Random) -> bytes:
    """The frame with other bytes in it, more, or fewer."""
    data = bytearray(frame)
    for _ in range(chance.choice((1, 2, 4))):
        at = chance.randrange(len(data) + 1)
        data[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
    return bytes(data[: chance.choice((None, None, len(data) // 2))])


def say(link: Link, line: Any, message: Json | str, chance: Random) -> None:
    evil = chance.random() < 0.35
    if isinstance(message, str):
        frame = bytes.fromhex(message)
        link.binary_received(line, broken(frame, chance) if evil else frame)
        return
    if "re" in message:
        message = {**message, "re": link._commands._last_id}
    link.text_received(line, json.dumps(spoilt(message, chance) if evil else message).encode())


@given(
    conversation=st.sampled_from(CONVERSATIONS),
    watch=st.booleans(),
    track=st.booleans(),
    seed=st.integers(0, 2**32),
)
async def test_what_breaks_the_protocol_is_told_as_that(
    conversation: Json, seed: int, *, watch: bool, track: bool
) -> None:
    chance, line = Random(seed), Nowhere()
    steps = conversation["steps"]
    codec = CODECS[next(step["connect"] for step in steps if "connect" in step)]
    link = a_link(codec, watch=watch, track=track)
    for step in steps:
        if "connect" in step or "cut" in step:
            link.cut()
            link._commands.line = line  # type: ignore[assignment]
        if "toClient" in step and "lost" not in step:
            try:
                say(link, line, step["toClient"], chance)
            except BadFrame:
                link.cut()
                link._commands.line = line  # type: ignore[assignment]
