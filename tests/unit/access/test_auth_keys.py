"""The keys of an outside issuer: what of a key set is usable, when it is read, and for how long."""

import asyncio
import json
from typing import Any

import pytest

from server.access import auth_keys
from server.access.auth_keys import (
    KEEP_MS,
    MAX_DOCUMENT_BYTES,
    MAX_KEYS,
    MIN_BETWEEN_MS,
    IssuerAway,
    KeyEvents,
    KeySet,
    KeysUnreadable,
    read_keys,
)
from tests.support.clock import FakeClock
from tests.support.issuer import key_set, private_key, public_jwk

RSA = public_jwk("RS256")


class Shelf:
    """A key set, whoever serves it, and what the operator was told."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.document: bytes | None = key_set(RSA)
        self.fetches = 0
        self.told: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        events = KeyEvents(self.told.append, lambda: self.told.append("back"))
        self.keys = KeySet(self.fetch, self.clock.monotonic_ms, events)

    async def fetch(self) -> bytes:
        self.fetches += 1
        await self.gate.wait()
        if self.document is None:
            raise KeysUnreadable("the issuer is away")
        return self.document

    def knows(self, key_id: str) -> bool:
        return self.keys.find(key_id, "RS256") is not None

    async def look_up(self, key_id: str) -> int | None:
        """The wait that is told, if one is."""
        try:
            await self.keys.look_up(key_id, "RS256")
        except IssuerAway as away:
            return away.retry_after_ms
        return None


@pytest.fixture
async def shelf() -> Any:
    shelf = Shelf()
    task = asyncio.create_task(shelf.keys.run())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    yield shelf
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("kind", ["RS256", "ES256", "EdDSA"])
def test_keys_of_each_kind_are_found_by_id_and_algorithm(kind: str) -> None:
    keys = read_keys(key_set(public_jwk(kind)))
    assert list(keys) == [("k1", kind)]
    bare = read_keys(key_set(public_jwk(kind, use=None, alg=None)))
    assert list(bare) == [("k1", kind)]


@pytest.mark.parametrize(
    "unfit",
    [
        {**RSA, "use": "enc"},
        {**RSA, "alg": "RS512"},
        {**RSA, "alg": "HS256"},
        {**RSA, "kid": ""},
        {**RSA, "kid": 5},
        {**RSA, "kid": "k" * 256},
        {**RSA, "n": "A" * 2000},
        {**RSA, "n": 5},
        {**RSA, "n": "!"},
        {**RSA, "e": "A" * 7},
        {**RSA, "kty": ["RSA"]},
        {**RSA, "d": "AQAB"},
        {name: value for name, value in RSA.items() if name != "kid"},
        {"kty": "oct", "k": "c2VjcmV0", "kid": "k1", "alg": "HS256"},
        {"kty": "oct", "k": "c2VjcmV0", "kid": "k1", "alg": "RS256"},
        public_jwk("ES384"),
        {**public_jwk("ES256"), "crv": "secp256k1"},
        {**public_jwk("ES256"), "x": "AAAA"},
        {**public_jwk("EdDSA"), "crv": "Ed448"},
        {},
        "key",
        None,
    ],
)
def test_what_is_no_key_for_signatures_of_ours_is_left_out(unfit: Any) -> None:
    good = public_jwk("ES256", "good")
    document = json.dumps({"keys": [unfit, good]}).encode()
    assert list(read_keys(document)) == [("good", "ES256")]


def test_a_short_rsa_key_is_left_out() -> None:
    from jwt.algorithms import RSAAlgorithm

    short = RSAAlgorithm.to_jwk(private_key("RS256", 0, 1024).public_key(), as_dict=True)
    with pytest.raises(KeysUnreadable, match="no key"):
        read_keys(json.dumps({"keys": [{**short, "kid": "k1"}]}).encode())


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (b"", "no JSON"),
        (b"<html>", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "no key set"),
        (b"5", "no key set"),
        (b'{"keys":{}}', "no key set"),
        (b'{"keys":[]}', "no key with an id"),
        (key_set(*[RSA] * (MAX_KEYS + 1)), "more than 64 keys"),
        (b" " * (MAX_DOCUMENT_BYTES + 1), "bytes"),
    ],
)
def test_what_is_no_key_set_is_told(document: bytes, words: str) -> None:
    with pytest.raises(KeysUnreadable, match=words):
        read_keys(document)


async def test_keys_are_read_at_once_and_then_known(shelf: Shelf) -> None:
    assert shelf.knows("k1")
    assert not shelf.knows("k2")
    assert await shelf.look_up("k1") is None
    assert shelf.fetches == 1


async def test_a_new_key_is_read_when_it_is_first_met(shelf: Shelf) -> None:
    shelf.clock.advance(MIN_BETWEEN_MS)
    shelf.document = key_set(public_jwk("RS256", "k2", number=1))
    assert await shelf.look_up("k2") is None
    assert shelf.knows("k2")
    assert not shelf.knows("k1"), "what the issuer has withdrawn is known no more"


async def test_a_flood_of_made_up_key_ids_asks_the_issuer_once(shelf: Shelf) -> None:
    assert await shelf.look_up("made-up") == MIN_BETWEEN_MS, "it was read just now"
    shelf.clock.advance(MIN_BETWEEN_MS)
    answers = await asyncio.gather(*(shelf.look_up(f"made-up-{n}") for n in range(500)))
    assert answers == [None] * 500
    shelf.clock.advance(MIN_BETWEEN_MS - 1)
    assert {await shelf.look_up(f"more-{n}") for n in range(500)} == {1}
    assert shelf.fetches == 2


async def test_whoever_comes_while_keys_are_read_waits_for_them() -> None:
    shelf = Shelf()
    shelf.gate.clear()
    task = asyncio.create_task(shelf.keys.run())
    await asyncio.sleep(0)
    coming = [asyncio.create_task(shelf.look_up("k1")) for _ in range(3)]
    await asyncio.sleep(0)
    assert not any(one.done() for one in coming)
    shelf.gate.set()
    assert await asyncio.gather(*coming) == [None] * 3
    assert shelf.knows("k1")
    assert shelf.fetches == 1
    task.cancel()


async def test_nobody_waits_for_ever(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth_keys, "PATIENCE", 0.0)
    shelf.clock.advance(MIN_BETWEEN_MS)
    shelf.gate.clear()
    assert await shelf.look_up("k2") == MIN_BETWEEN_MS
    shelf.gate.set()


async def test_known_keys_serve_while_the_issuer_is_away_but_not_for_ever(shelf: Shelf) -> None:
    shelf.document = None
    shelf.clock.advance(KEEP_MS)
    await shelf.keys.read()
    assert shelf.knows("k1")
    shelf.clock.advance(1)
    assert not shelf.knows("k1")
    assert await shelf.look_up("k1") == MIN_BETWEEN_MS - 1
    shelf.clock.advance(MIN_BETWEEN_MS)
    assert await shelf.look_up("k1") == MIN_BETWEEN_MS, "asked again, in vain"
    shelf.document = key_set(RSA)
    shelf.clock.advance(MIN_BETWEEN_MS)
    assert await shelf.look_up("k1") is None
    assert shelf.knows("k1")


async def test_the_operator_is_told_once_for_a_spell() -> None:
    shelf = Shelf()
    shelf.document = None
    for _ in range(3):
        await shelf.keys.read()
    assert shelf.told == ["the issuer is away"]
    shelf.document = key_set(RSA)
    await shelf.keys.read()
    await shelf.keys.read()
    shelf.document = b"<html>"
    await shelf.keys.read()
    assert shelf.told == ["the issuer is away", "back", "what came is no JSON"]
    assert shelf.knows("k1"), "what comes wrong takes nothing away"
