"""`POST …/base`: operators alone, one at a time, and nothing is changed by what does not suit."""

import asyncio
import base64
import re
import zlib
from typing import Any

import numpy as np
import pytest

from persistence.errors import TransientFault
from server.access.identity import Role
from tests.support.http import BOARD, Answer, Site
from tests.support.world import COMMIT, GAME

PATH = f"{BOARD}/base"
ROWS = [[1, 255, 3], [4, 5, 6]]


def deflated(rows: list[list[int]] | bytes = b"") -> str:
    raw = rows if isinstance(rows, bytes) else np.array(rows, np.uint8).tobytes()
    return base64.b64encode(zlib.compress(raw)).decode()


def body(**more: Any) -> dict[str, Any]:
    rows = more.pop("rows", ROWS)
    size = {"width": len(rows[0]), "height": len(rows)}
    return {**size, "cells": deflated(rows), **more}


def admin(site: Site, *roles: Role) -> str:
    return site.world.auth.issue("op", "Op", roles or [Role.ADMIN], ttl_s=60)


async def send(site: Site, **more: Any) -> Answer:
    """Import as an operator; time passes until what is decided is published."""
    sending = asyncio.create_task(site.send("POST", PATH, body(**more), token=admin(site)))
    while not sending.done():
        await asyncio.wait([sending], timeout=0.01)
        await site.world.quiet()
    return await sending


async def test_a_picture_is_laid_over_the_board(site: Site) -> None:
    await site.place((2, 1, 9))
    answer = await send(site, x=2, y=1)
    assert (answer.status, answer.json()) == (
        201,
        {"game": GAME, "seq": 2, "generation": 0, "x": 2, "y": 1, "width": 3, "height": 2},
    )
    board = site.world.game.replica.board
    assert board.colors()[1:, 2:5].tolist() == [[1, 15, 3], [4, 5, 6]]
    assert [key async for key in keys(site)] != []


async def keys(site: Site) -> Any:
    for key in await site.world.store.blobs.list("canvas/base/"):
        yield key


async def test_a_cell_that_was_covered_names_nobody_until_somebody_places_there(site: Site) -> None:
    await site.place((0, 0, 9), (1, 0, 9))
    await send(site)
    covered, kept = [await site.get(f"{BOARD}/pixel?x={x}&y=0") for x in (0, 1)]
    assert (covered.json()["color"], "by" in covered.json()) == (1, False)
    assert (kept.json()["color"], "by" in kept.json()) == (9, True)


async def test_a_palette_may_come_with_it(site: Site) -> None:
    palette = [{"rgb": f"#{n:02X}0000", "name": f"red {n}"} for n in range(16)]
    assert (await send(site, palette=palette)).status == 201
    assert site.world.game.replica.settings.palette.to_json() == palette


@pytest.mark.parametrize(
    ("change", "status", "code", "words"),
    [
        ({"x": 5}, 422, "out-of-bounds", "3 x 2 at \\(5, 0\\)"),
        ({"x": -1}, 422, "out-of-bounds", "x 0-4 and y 0-1"),
        ({"width": 8}, 422, "out-of-bounds", "smaller"),
        ({"width": 8001}, 400, "bad-request", "width"),
        ({"width": 0}, 400, "bad-request", "width"),
        ({"generation": 1}, 409, "stale-generation", "generation 1"),
        ({"rows": [[1, 16]]}, 422, "bad-color", "16"),
        ({"cells": "?"}, 400, "bad-request", "base64"),
        ({"cells": base64.b64encode(b"junk").decode()}, 400, "bad-request", "deflated"),
        ({"cells": deflated(b"\1" * 5)}, 400, "bad-request", "exactly 6 bytes"),
        ({"cells": deflated(b"\1" * 50_000_000)}, 400, "bad-request", "exactly 6 bytes"),
        ({"cells": deflated(ROWS) + "AAAA"}, 400, "bad-request", "cells"),
        ({"rows": [[255] * 3] * 2}, 400, "bad-request", "no cell is taken"),
        ({"palette": []}, 400, "bad-request", "palette"),
        ({"palette": [{"rgb": "red"}]}, 400, "bad-request", "palette"),
        ({"palette": [{"rgb": "#FF0000"}]}, 400, "bad-request", "empty color 15"),
        ({"palette": [None] * 15 + [{"rgb": "#FF0000"}]}, 422, "bad-color", "color 1"),
        ({"game": "place#main"}, 400, "bad-request", "game"),
    ],
)
async def test_what_does_not_suit_is_told_and_changes_nothing(
    site: Site, change: dict[str, Any], status: int, code: str, words: str
) -> None:
    before = site.world.game.replica.crc32()
    answer = await send(site, **change)
    problem = answer.json()
    assert (answer.status, problem["code"]) == (status, code), problem
    assert re.search(words, problem["detail"]), problem
    assert (site.world.game.head.seq, site.world.game.replica.crc32()) == (0, before)
    assert not site.world.game.importing


async def test_only_operators_may(site: Site) -> None:
    for token, status in (
        (None, 401),
        (site.world.token("ada"), 403),
        (admin(site, Role.MODERATOR, Role.BOT), 403),
    ):
        answer = await site.send("POST", PATH, body(), token=token)
        assert answer.status == status
    assert site.world.game.head.seq == 0


async def test_an_unknown_game(site: Site) -> None:
    answer = await site.send("POST", "api/games/place%23other/base", body(), token=admin(site))
    assert (answer.status, answer.json()["code"]) == (404, "unknown-game")


async def test_one_at_a_time(site: Site) -> None:
    site.world.script.hold(COMMIT)
    first = asyncio.create_task(site.send("POST", PATH, body(), token=admin(site)))
    while site.world.game.head.seq == 0:
        await asyncio.wait([first], timeout=0.01)
    second = await site.send("POST", PATH, body(), token=admin(site))
    assert (second.status, second.json()["code"]) == (409, "conflict")
    site.world.script.release(COMMIT)
    while not first.done():
        await asyncio.wait([first], timeout=0.01)
        await site.world.quiet()
    assert (await first).status == 201


async def test_a_full_disk_is_told_and_may_be_tried_again(site: Site) -> None:
    site.world.script.fail("blobs.put", TransientFault("the disk is full", "make room"), times=1)
    answer = await send(site)
    assert (answer.status, answer.json()["code"]) == (503, "busy")
    assert "make room" in answer.json()["detail"]
    assert (await send(site)).status == 201


async def test_none_while_the_server_stops(site: Site) -> None:
    site.world.game.stop_taking()
    answer = await send(site)
    assert (answer.status, answer.json()["code"]) == (503, "busy")
    assert site.world.game.head.seq == 0
