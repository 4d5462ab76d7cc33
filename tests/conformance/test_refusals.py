"""Every refusal in both forms: its code, the true colour, what is left, and nothing paid."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from canvas.bans import Ban
from canvas.mask import Mask
from canvas.refusals import Refused
from tests.support.clock import FakeClock
from tests.support.foreign import GAME, JSON, Foreign
from tests.support.serving import Serving, serving

FOREVER = 2**64 - 1
WIDTH, HEIGHT = 20, 10
SHOWN = 6
"""The colour of the cell at (3, 4) before the placement that is refused."""


@dataclass
class Scene:
    """What a refusal needs: the server, its clock, and the client that will ask."""

    room: Serving
    clock: FakeClock
    client: Foreign


Arrange = Callable[[Scene], Awaitable[None]]


async def nothing(scene: Scene) -> None:
    """All is as it should be."""


async def change(scene: Scene, **changes: Any) -> None:
    scene.room.game.change(changes)
    await scene.room.published()


async def end(scene: Scene) -> None:
    await change(scene, endsAt=scene.clock.wall_ms())


async def begin_later(scene: Scene) -> None:
    await change(scene, startsAt=scene.clock.wall_ms() + 5000)


async def ban_for_good(scene: Scene) -> None:
    scene.room.services.bans.add_user("ann", Ban("scribbling"))


async def ban_for_a_minute(scene: Scene) -> None:
    ban = Ban("scribbling", scene.clock.wall_ms() + 60_000)
    scene.room.services.bans.add_address("127.0.0.1", ban)


async def lock(scene: Scene) -> None:
    await change(scene, locked=True, lockReason="a pause")


async def mask(scene: Scene) -> None:
    allowed = np.ones((HEIGHT, WIDTH), dtype=np.uint8)
    allowed[4, 3] = 0
    scene.room.head.mask = Mask.of(allowed)
    await change(scene, locked=False)


async def use_up_the_cooldown(scene: Scene) -> None:
    await scene.client.place(0, 0, 1)


async def use_up_the_address(scene: Scene) -> None:
    async with scene.room.dial() as other:
        await other.play(token=scene.room.token("bob"))
        assert (await other.place(0, 0, 1))["ok"]


async def fill_the_backlog(scene: Scene) -> None:
    scene.room.faults.hold("journal.commit")
    async with scene.room.dial() as other:
        await other.play(token=scene.room.token("bob"))
        await other.say("place", game=GAME, x=0, y=0, color=1)
        await other.ask("ping")


async def spend_the_credits(scene: Scene) -> None:
    left = scene.room.services.rules.credits.burst - 5
    for _ in range(left):
        await scene.client.say("ping")
    await scene.client.ask("limits")


@dataclass(frozen=True)
class Case:
    """One way to be refused."""

    code: str
    arrange: Arrange = nothing
    settings: dict[str, Any] = field(default_factory=dict)
    command: dict[str, Any] = field(default_factory=dict)
    frame: dict[str, Any] = field(default_factory=dict)
    spectator: bool = False
    cell: tuple[int, int, int] = (3, 4, 5)
    shows: int = SHOWN
    seq: int | None = None
    left: dict[str, Any] = field(default_factory=dict)
    left_ms: int = 0


CASES = {
    "rate": Case(
        "rate",
        spend_the_credits,
        {"message_rate": 1, "message_burst": 32},
        left={"retryAfterMs": 1000, "scope": "messages"},
        left_ms=1000,
    ),
    "unknown-game": Case(
        "unknown-game", command={"game": "place#none"}, frame={"channel": 9}, shows=5, seq=0
    ),
    "spectator": Case("spectator", spectator=True),
    "stale-generation": Case(
        "stale-generation", command={"generation": 3}, frame={"generation": 3}, shows=5
    ),
    "out-of-bounds": Case("out-of-bounds", cell=(WIDTH, 4, 5), shows=5),
    "bad-color": Case("bad-color", cell=(3, 4, 16)),
    "ended": Case("ended", end, left={"leftMs": None}, left_ms=FOREVER),
    "not begun": Case("ended", begin_later, left={"leftMs": 5000}, left_ms=5000),
    "banned for good": Case("banned", ban_for_good, left={"leftMs": None}, left_ms=FOREVER),
    "banned address": Case("banned", ban_for_a_minute, left={"leftMs": 60_000}, left_ms=60_000),
    "locked": Case("locked", lock),
    "masked": Case("masked", mask),
    "cooldown": Case(
        "cooldown",
        use_up_the_cooldown,
        {"cooldown_ms": 9000},
        left={"leftMs": 9000},
        left_ms=9000,
    ),
    "address-cooldown": Case(
        "address-cooldown",
        use_up_the_address,
        {"address_cooldown": 700},
        left={"leftMs": 700, "scope": "address"},
        left_ms=700,
    ),
    "address budget": Case(
        "address-cooldown",
        use_up_the_address,
        {"cooldown_ms": 9000, "address_budget": 1},
        left={"leftMs": 9000, "scope": "address"},
        left_ms=9000,
    ),
    "busy": Case(
        "busy", fill_the_backlog, {"max_backlog": 1}, left={"retryAfterMs": 1000}, left_ms=1000
    ),
}

SOMETIMES = {"retryAfterMs", "leftMs", "scope"}


def test_every_refusal_is_here() -> None:
    assert {case.code for case in CASES.values()} == {refused.code for refused in Refused}


@pytest.mark.parametrize("name", CASES)
async def test_a_refusal_as_a_reply(name: str) -> None:
    case = CASES[name]
    await at_the_scene(case, JSON, ask_by_command)


@pytest.mark.parametrize("name", CASES)
async def test_a_refusal_as_an_ack(name: str) -> None:
    case = CASES[name]
    await at_the_scene(case, "tesserae.v1", ask_by_frame)


async def at_the_scene(
    case: Case, codec: str, ask: Callable[[Scene, Case], Awaitable[None]]
) -> None:
    clock = FakeClock()
    async with (
        serving(clock=clock, size=(WIDTH, HEIGHT), **case.settings) as room,
        room.dial(codec) as client,
    ):
        await paint(room, clock)
        who = {"guest": False} if case.spectator else {"token": room.token("ann")}
        await client.play(**who)
        scene = Scene(room, clock, client)
        await case.arrange(scene)
        decided = room.head.seq, len(room.head.cooldowns)
        await ask(scene, case)
        assert (room.head.seq, len(room.head.cooldowns)) == decided, "a refusal costs nothing"
        room.faults.release("journal.commit")


async def paint(room: Serving, clock: FakeClock) -> None:
    """Let somebody from elsewhere have placed what the refusals will show."""
    async with room.dial() as painter:
        await painter.play(token=room.token("zoe"))
        assert (await painter.place(3, 4, SHOWN))["ok"]
    clock.advance(60_000)


async def ask_by_command(scene: Scene, case: Case) -> None:
    x, y, color = case.cell
    reply = await scene.client.place(x, y, color, **case.command)
    error = reply["error"]
    seq = scene.room.game.replica.seq if case.seq is None else case.seq
    assert (error["code"], error["seq"], error["color"]) == (case.code, seq, case.shows)
    assert {key: error[key] for key in SOMETIMES & set(error)} == case.left
    assert error["message"]


async def ask_by_frame(scene: Scene, case: Case) -> None:
    x, y, _ = case.cell
    (ack,) = await scene.client.put(case.cell, request=77, **case.frame)
    seq = scene.room.game.replica.seq if case.seq is None else case.seq
    status = next(refused.status for refused in Refused if refused.code == case.code)
    assert (ack.status, ack.request, ack.index, ack.seq) == (status, 77, 0, seq)
    shown = case.cell[2] if case.code in ECHOED else case.shows
    assert ack.record == x | y << 13 | shown << 26
    assert ack.left_ms == case.left_ms


ECHOED = {"unknown-game", "stale-generation", "out-of-bounds"}
"""There is no such cell or game: the record is what was sent."""
