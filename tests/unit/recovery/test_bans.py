"""Bans come back at the start: those that hold, whatever else lies in their table."""

import pytest

from canvas.bans import Ban, Bans
from persistence.errors import TransientFault
from persistence.faulty import Faults, faulty
from persistence.ports import Item, Store
from persistence.tables import BANS
from server.game.bans import BanEvents, load_bans, read_ban

NOW_MS = 1_760_000_000_000
NOW_S = NOW_MS // 1000


def user_ban(user: str, **attributes: object) -> Item:
    return {"PK": f"BAN#user#{user}", "SK": "BAN", "reason": "spam", "bannedAt": 1} | attributes


def address_ban(address: str, **attributes: object) -> Item:
    return user_ban("", **attributes) | {"PK": f"BAN#ip#{address}"}


class Told:
    def __init__(self) -> None:
        self.done: list[int] = []
        self.defects: list[tuple[str, str]] = []
        self.events = BanEvents(self.done.append, lambda *defect: self.defects.append(defect))


async def loaded(store: Store, *items: Item) -> tuple[Bans, Told]:
    await store.tables.put_many(BANS, items)
    bans, told = Bans(), Told()
    await load_bans(store.tables, bans, NOW_MS, told.events)
    return bans, told


async def test_users_addresses_and_prefixes_are_banned_again(store: Store) -> None:
    bans, told = await loaded(
        store,
        user_ban("123456789"),
        user_ban("a#b", reason="bots", expiresAt=NOW_S + 0.5),
        address_ban("203.0.113.42", reason="bot"),
        address_ban("2001:db8::/64"),
        address_ban("198.51.100.7/24"),
    )
    assert bans.of_user("123456789", NOW_MS) == Ban("spam")
    assert bans.of_user("a#b", NOW_MS) == Ban("bots", NOW_MS + 500)
    assert bans.of_user("a#b", NOW_MS + 500) is None
    assert bans.of_address("203.0.113.42", NOW_MS) == Ban("bot")
    assert bans.of_address("2001:db8::7", NOW_MS) is not None
    assert bans.of_address("198.51.100.200", NOW_MS) is not None
    assert bans.of_address("203.0.113.43", NOW_MS) is None
    assert (told.done, told.defects) == ([5], [])


async def test_a_ban_that_is_over_is_not_kept(store: Store) -> None:
    bans, told = await loaded(
        store, user_ban("a", expiresAt=NOW_S), address_ban("192.0.2.1", expiresAt=NOW_S - 1)
    )
    assert not bans.any
    assert told.defects == []


@pytest.mark.parametrize(
    ("attributes", "defect"),
    [
        ({"reason": 7}, "its reason is 7"),
        ({"bannedAt": "today"}, "its bannedAt is 'today'"),
        ({"expiresAt": "soon"}, "its expiresAt is 'soon', and should be a number, or absent"),
        ({"expiresAt": True}, "its expiresAt is True, and should be a number, or absent"),
        ({"expiresAt": None}, "its expiresAt is None, and should be a number, or absent"),
    ],
)
async def test_a_slip_lifts_no_ban(
    store: Store, attributes: dict[str, object], defect: str
) -> None:
    bans, told = await loaded(store, user_ban("ann", **attributes))
    assert bans.of_user("ann", NOW_MS + 10**12) is not None
    assert told.defects == [("BAN#user#ann / BAN", defect)]


async def test_what_bans_nobody_is_told_and_passed_over(store: Store) -> None:
    without = {"PK": "BAN#user#", "SK": "BAN"}
    bans, told = await loaded(store, address_ban("nobody"), without, user_ban("ann"))
    assert bans.of_user("ann", NOW_MS) is not None
    assert told.defects == [
        ("BAN#ip#nobody / BAN", "it bans no address: 'nobody' is no IP and no prefix"),
        ("BAN#user# / BAN", "it bans nobody"),
        ("BAN#user# / BAN", "it has no reason"),
        ("BAN#user# / BAN", "it has no bannedAt"),
    ]


@pytest.mark.parametrize(
    "key", [("BAN#user#a", "WARNING"), ("BAN#phone#1", "BAN"), ("BANS", "BAN"), ("x", "y")]
)
def test_items_of_other_kinds_are_no_bans(key: tuple[str, str]) -> None:
    assert read_ban({"PK": key[0], "SK": key[1]}) is None


async def test_many_bans_are_read_in_pages(store: Store) -> None:
    bans, told = await loaded(store, *(user_ban(f"u{number:04}") for number in range(2500)))
    assert told.done == [1000, 2000, 2500]
    assert bans.of_user("u2499", NOW_MS) is not None


async def test_without_its_bans_no_game_begins(store: Store) -> None:
    faults, bans = Faults(), Bans()
    faults.fail("tables.scan", TransientFault("away"))
    with pytest.raises(TransientFault):
        await load_bans(faulty(store, faults).tables, bans, NOW_MS, Told().events)
