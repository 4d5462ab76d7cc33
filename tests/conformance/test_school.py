"""C47, C68: a school and a farm behind one address, by page and by script alike."""

from typing import Any

from tests.support.clock import FakeClock
from tests.support.foreign import JSON
from tests.support.http import Answer
from tests.support.serving import BOARD, Serving, serving

COOLDOWN_MS = 300_000
PUPILS = 30
BUDGET = 40
TRUSTED = "127.0.0.0/8"
SCHOOL, HOME, PROXY = "203.0.113.1", "198.51.100.7", "127.0.0.9"
CELL = {"x": 1, "y": 1, "color": 1}


async def place(room: Serving, token: str, **headers: str) -> Answer:
    return await room.send("POST", f"{BOARD}/pixels", CELL, token=token, **headers)


async def enrol(room: Serving) -> list[tuple[bool, str]]:
    """Thirty guests: every second one by the page, the others by a script; their tokens."""
    pupils = []
    for number in range(PUPILS):
        by_page = number % 2 == 0
        if by_page:
            async with room.dial(JSON) as page:
                await page.play(wantsPresence=False)
                token = page.token
        else:
            token = (await room.send("POST", "api/session")).json()["token"]
        assert token is not None
        pupils.append((by_page, token))
    return pupils


async def take_turn(room: Serving, token: str, *, by_page: bool) -> list[Any]:
    """Place twice; what each placement was told."""
    if not by_page:
        answers = [await place(room, token) for _ in range(2)]
        return [answer.json().get("code") for answer in answers]
    async with room.dial(JSON) as page:
        await page.play(token=token, wantsPresence=False)
        replies = [await page.place(1, 1, 1) for _ in range(2)]
        return [reply.get("error", {}).get("code") for reply in replies]


async def test_c47_thirty_guests_by_page_and_script_each_place_once_per_cooldown() -> None:
    """With the limits that a server has by default."""
    clock = FakeClock()
    limits: dict[str, Any] = {
        "cooldown_ms": COOLDOWN_MS,
        "address_budget": BUDGET,
        "guests_per_address": BUDGET,
    }
    async with serving(clock=clock, **limits) as room:
        pupils = await enrol(room)
        for _ in range(3):
            for by_page, token in pupils:
                assert await take_turn(room, token, by_page=by_page) == [None, "cooldown"]
            clock.advance(COOLDOWN_MS)
        assert room.game.replica.seq == 3 * PUPILS


async def test_c47_a_farm_of_200_guests_by_script_never_passes_its_address_budget() -> None:
    clock = FakeClock()
    async with serving(clock=clock, cooldown_ms=COOLDOWN_MS, address_budget=BUDGET) as room:
        statuses = []
        for _ in range(200):
            farmed = (await room.send("POST", "api/session")).json()["token"]
            answer = await place(room, farmed)
            statuses.append(answer.status)
        assert statuses == [201] * BUDGET + [429] * (200 - BUDGET)
        problem = answer.json()
        assert (problem["code"], problem["leftMs"]) == ("address-cooldown", COOLDOWN_MS)
        assert answer.headers["Retry-After"] == str(COOLDOWN_MS // 1000)
        assert room.game.replica.seq == BUDGET


async def test_c47_a_farm_gets_no_more_guests_by_changing_the_way() -> None:
    async with serving(clock=FakeClock(), guests_per_address=BUDGET) as room:
        made = 0
        for number in range(200):
            if number % 2:
                made += (await room.send("POST", "api/session")).status == 201
            else:
                async with room.dial(JSON) as page:
                    made += (await page.ask("subscribe", guest=True))["ok"]
        assert made == BUDGET


async def test_c68_budgets_go_by_the_address_that_trusted_proxies_tell() -> None:
    async with serving(clock=FakeClock(), address_cooldown=5000, trusted_proxies=TRUSTED) as room:
        statuses = [
            (await place(room, room.token(user), X_Forwarded_For=forwarded)).status
            for user, forwarded in (
                ("ann", SCHOOL),
                ("bob", SCHOOL),
                ("cleo", f"{HOME}, {SCHOOL}"),
                ("dan", f"{SCHOOL}, {PROXY}"),
                ("eve", HOME),
                ("finn", f"{SCHOOL}, {HOME}"),
            )
        ]
        assert statuses == [201, 429, 429, 429, 201, 429]


async def test_c68_a_stranger_cannot_choose_an_address_to_place_from() -> None:
    async with serving(clock=FakeClock(), address_cooldown=5000) as room:
        statuses = [
            (await place(room, room.token(user), X_Forwarded_For=address)).status
            for user, address in (("ann", SCHOOL), ("bob", HOME))
        ]
        assert statuses == [201, 429]
