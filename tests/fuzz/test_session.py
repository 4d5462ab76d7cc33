"""Anything a client can say: each command has exactly one reply, each record exactly one answer.

Nothing that is said makes the server fail: the world ends with no fault noted, and no reply is
`internal`.
"""

import asyncio
import json
import struct
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from server.commands.all import COMMANDS
from server.wire.codes import CloseCode
from tests.support.wire import Ack
from tests.support.world import BINARY_V1, GAME, JSON_V1, Client, World, running

NAMES = [command.name for command in COMMANDS]

wholes = st.one_of(
    st.integers(-2, 25),
    st.sampled_from([16, 19, 20, 2**31, 2**32 - 1, 2**32, 2**53, -(2**31), 10**30]),
)
numbers = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.one_of(wholes, st.none(), st.booleans(), numbers, st.text(max_size=8))
games = st.sampled_from([GAME, GAME, "place#none", "main", "", "#", "x" * 200])
positions = st.one_of(
    scalars,
    st.fixed_dictionaries(
        {}, optional={"epoch": st.sampled_from(["epoch", "other"]), "seq": wholes}
    ),
)
wishes = st.one_of(
    scalars,
    st.fixed_dictionaries(
        {"game": games},
        optional={
            "since": positions,
            "snapshot": st.sampled_from(["inline", "http", "none", "all", 1]),
        },
    ),
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "game": st.one_of(games, scalars),
    "games": st.one_of(scalars, st.lists(wishes, max_size=3)),
    "x": st.one_of(wholes, scalars),
    "y": st.one_of(wholes, scalars),
    "color": st.one_of(st.integers(0, 17), scalars),
    "generation": st.one_of(st.integers(0, 2), scalars),
    "request": st.one_of(st.integers(0, 3), scalars),
    "since": positions,
    "snapshot": scalars,
    "rowsPerBand": st.one_of(st.sampled_from([2, 4, 8000]), scalars),
    "token": st.one_of(st.text(max_size=20), st.none()),
    "guest": st.one_of(st.booleans(), scalars),
    "invisible": st.one_of(st.booleans(), scalars),
    "wantsPresence": st.one_of(st.booleans(), scalars),
    "watchVersion": st.one_of(st.integers(-1, 2), scalars),
    "minIntervalMs": st.one_of(st.sampled_from([0, 60_001]), scalars),
}
optional = st.fixed_dictionaries({}, optional=FIELDS)
commands = st.builds(lambda name, fields: {"do": name, **fields}, st.sampled_from(NAMES), optional)
good_places = st.builds(
    lambda x, y, color, request: {
        "do": "place",
        "game": GAME,
        "x": x,
        "y": y,
        "color": color,
        **({} if request is None else {"request": request}),
    },
    st.integers(0, 20),
    st.integers(0, 10),
    st.integers(0, 16),
    st.one_of(st.none(), st.integers(0, 3)),
)
odd_commands = st.builds(
    lambda name, fields: {"do": name, **fields}, st.one_of(scalars, st.text(max_size=5)), optional
)
words = st.one_of(commands, commands, good_places, odd_commands)

records = st.builds(
    lambda x, y, color: x | y << 13 | color << 26,
    st.one_of(st.integers(0, 20), st.integers(0, 8191)),
    st.one_of(st.integers(0, 10), st.integers(0, 8191)),
    st.integers(0, 63),
)
frames = st.builds(
    lambda channel, request, generation, cells: struct.pack(
        f"<BBHII{len(cells)}I", 0x10, 0, channel, request, generation, *cells
    ),
    st.sampled_from([1, 1, 1, 2]),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0, 0, 0, 1]),
    st.lists(records, min_size=1, max_size=64),
)
TURNS = ["wait", "grow", "lock", "unlock", "join"]
plans = st.lists(st.one_of(words, frames, st.sampled_from(TURNS)), max_size=12)
options = st.fixed_dictionaries(
    {"cooldown_ms": st.sampled_from([0, 0, 1000]), "credits": st.sampled_from([(0, 0), (5, 20)])}
)
codecs = st.sampled_from([BINARY_V1, JSON_V1])


@settings(max_examples=150, deadline=None)
@given(plans, options, codecs)
def test_each_command_has_one_reply_and_each_record_one_answer(
    plan: list[Any], how: dict[str, Any], codec: Any
) -> None:
    asyncio.run(converse(plan, how, codec))


async def converse(plan: list[Any], how: dict[str, Any], codec: Any) -> None:
    async with running(**how) as world:
        client = world.join(codec)
        heard = client.heard()
        assert [one["event"] for one in heard] == ["hello"]
        for number, step in enumerate(plan):
            if client.closed_with is not None:
                break
            if isinstance(step, dict):
                await say(world, client, {**step, "id": number})
            elif isinstance(step, bytes):
                await place(world, client, step)
            else:
                await turn(world, client, step)
        assert client.closed_with in {None, CloseCode.RATE, CloseCode.TOKEN}


async def say(world: World, client: Client, command: dict[str, Any]) -> None:
    client.send(json.dumps(command))
    await world.quiet()
    heard = client.heard()
    replies = [one for one in heard if isinstance(one, dict) and "re" in one]
    assert [reply["re"] for reply in replies] == [command["id"]], heard
    assert_well_formed(replies[0])


def assert_well_formed(reply: dict[str, Any]) -> None:
    if reply["ok"]:
        assert "error" not in reply
        return
    error = reply["error"]
    assert error["code"] != "internal"
    assert error["message"]
    if error["code"] == "bad-request":
        assert error["field"]


async def place(world: World, client: Client, frame: bytes) -> None:
    client.send(frame)
    await world.quiet()
    acks = [one for one in client.heard() if isinstance(one, Ack)]
    count = len(frame) // 4 - 3
    if client.closed_with is None:
        assert sorted(ack.index for ack in acks) == list(range(count))
    for ack in acks:
        assert ack.status in range(14)
        assert ack.channel == int.from_bytes(frame[2:4], "little")
        assert ack.request == int.from_bytes(frame[4:8], "little")


async def turn(world: World, client: Client, step: str) -> None:
    if step == "wait":
        world.clock.advance(1000)
    elif step == "grow":
        world.game.resize("expand", 1)
    elif step == "join":
        client.send({"do": "subscribe", "id": 0, "guest": True, "games": [{"game": GAME}]})
    else:
        world.game.change({"locked": step == "lock"})
    await world.quiet()
    client.heard()


texts = st.one_of(
    st.text(max_size=40),
    st.binary(max_size=40).map(lambda data: data.decode("utf-8", "replace")),
    st.recursive(
        st.one_of(st.none(), st.integers(), st.text(max_size=5)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
        ),
        max_leaves=8,
    ).map(str),
    st.integers(1, 5000).map(lambda depth: "[" * depth),
    st.integers(1, 2000).map(lambda depth: '{"do":' * depth),
)


@settings(max_examples=200, deadline=None)
@given(texts)
def test_any_text_is_a_command_or_ends_the_connection(text: str) -> None:
    asyncio.run(hear_text(text))


async def hear_text(text: str) -> None:
    async with running() as world:
        client = world.join()
        client.heard()
        client.send(text)
        await world.quiet()
        heard = client.heard()
        if client.closed_with is CloseCode.PROTOCOL:
            assert [one["event"] for one in heard] == ["error"]
        else:
            assert client.closed_with is None
            assert [one["re"] for one in heard if "re" in one] in [[None], [0]]


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=60), frames, frames.map(lambda frame: frame[:-1])))
def test_any_bytes_are_a_frame_of_placements_or_end_the_connection(data: bytes) -> None:
    asyncio.run(hear_bytes(data))


async def hear_bytes(data: bytes) -> None:
    async with running() as world:
        client = world.join()
        await client.play()
        if data[:2] == b"\x10\0" and len(data) % 4 == 0 and 16 <= len(data) <= 12 + 4 * 64:
            await place(world, client, data)
            assert client.closed_with is None
            return
        client.send(data)
        assert client.closed_with is CloseCode.PROTOCOL
        assert world.game.head.seq == 0
