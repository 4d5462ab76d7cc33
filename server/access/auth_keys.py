"""The public keys of an outside issuer: read, kept, and read anew.

Owns what of a JSON Web Key Set is usable (RS256, ES256 and EdDSA, nothing symmetric), how long keys
stay good while the issuer is away, and how often it is asked. One task reads (`run`), whoever meets
an unknown key wakes it and waits; finding a key never waits. It opens no connection: `fetch` does.
Called by auth_outside.py.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jwt
import orjson

from server.access.limits import MonotonicMs

MAX_DOCUMENT_BYTES = 256 * 1024
MAX_KEYS = 64
MAX_KEY_ID_CHARS = 255
MAX_MODULUS_CHARS = 1366
"""RSA up to 8192 bits, in base64url: verifying costs by the square of the length."""
MAX_EXPONENT_CHARS = 6
"""Up to 32 bits; 65537, which all use, has 17."""
MIN_RSA_BITS = 2048

READ_EVERY = 600.0
"""A key that the issuer has withdrawn is refused after so long."""
RETRY_EVERY = 60.0
MIN_BETWEEN_MS = 30_000
"""Made-up key ids cannot make us ask the issuer more often."""
KEEP_MS = 24 * 3_600_000
"""Known keys serve while the issuer is away, for a day: an event outlives its outage."""
PATIENCE = 10.0
"""Longer than any fetch takes."""

ALGORITHMS = {("RSA", None): "RS256", ("EC", "P-256"): "ES256", ("OKP", "Ed25519"): "EdDSA"}
"""By type and curve; each key serves one algorithm alone, whatever a token says of itself."""

Keys = dict[tuple[str, str], jwt.PyJWK]
"""By key id and algorithm."""
Fetch = Callable[[], Awaitable[bytes]]
"""Give the document. Raises KeysUnreadable."""


class KeysUnreadable(Exception):  # noqa: N818 - it names the outcome
    """The issuer did not give a set of keys that can be used; the text says why."""


class IssuerAway(Exception):  # noqa: N818 - it names the outcome
    """A token cannot be judged now; it may be sent again after `retry_after_ms`."""

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__("the keys of the token's issuer cannot be read now; try again later")
        self.retry_after_ms = retry_after_ms


class KeyEvents(NamedTuple):
    """What the operator is told, each once for a spell."""

    away: Callable[[str], None]
    """The keys cannot be read, and why."""
    back: Callable[[], None]


class KeySet:
    """The keys of one issuer, as read last."""

    def __init__(self, fetch: Fetch, monotonic_ms: MonotonicMs, events: KeyEvents) -> None:
        self._fetch = fetch
        self._monotonic_ms = monotonic_ms
        self._events = events
        self._keys: Keys = {}
        self._read_at_ms = 0
        self._asked_at_ms: int | None = None
        self._failing = False
        self._reading = False
        self._wanted = asyncio.Event()
        self._round = asyncio.Event()
        """Set when the reading of the moment, or the next one, is done."""

    def find(self, key_id: str, algorithm: str) -> jwt.PyJWK | None:
        """Give a known key at once; None when there is none, or all are too old."""
        if self._monotonic_ms() - self._read_at_ms > KEEP_MS:
            return None
        return self._keys.get((key_id, algorithm))

    async def look_up(self, key_id: str, algorithm: str) -> None:
        """Have the keys read anew if this one is unknown and they were not read just now.

        Raises IssuerAway when that has to wait, or fails.
        """
        if self.find(key_id, algorithm) is not None:
            return
        wait_ms = self._wait_ms()
        if wait_ms and not self._reading:
            raise IssuerAway(wait_ms)
        self._wanted.set()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._round.wait()
        except TimeoutError as error:
            raise IssuerAway(MIN_BETWEEN_MS) from error
        if self._failing:
            raise IssuerAway(MIN_BETWEEN_MS)

    def _wait_ms(self) -> int:
        if self._asked_at_ms is None:
            return 0
        return max(0, self._asked_at_ms + MIN_BETWEEN_MS - self._monotonic_ms())

    async def run(self) -> None:
        """Read the keys now, then every so often and when woken, until cancelled."""
        while True:
            await self.read()
            try:
                async with asyncio.timeout(RETRY_EVERY if self._failing else READ_EVERY):
                    await self._wanted.wait()
            except TimeoutError:
                continue

    async def read(self) -> None:
        """Read the keys once; what fails is told to the operator and leaves the known ones."""
        self._reading = True
        self._asked_at_ms = self._monotonic_ms()
        try:
            self._keys = read_keys(await self._fetch())
        except KeysUnreadable as fault:
            self._failed(str(fault))
        else:
            self._read_at_ms = self._monotonic_ms()
            self._succeeded()
        finally:
            self._reading = False
            self._wanted.clear()
            self._round.set()
            self._round = asyncio.Event()

    def _failed(self, reason: str) -> None:
        if not self._failing:
            self._events.away(reason)
        self._failing = True

    def _succeeded(self) -> None:
        if self._failing:
            self._events.back()
        self._failing = False


def read_keys(document: bytes) -> Keys:
    """Read a JSON Web Key Set (RFC 7517); keys for other uses are left out, as it asks.

    Raises KeysUnreadable when nothing usable is in it.
    """
    if len(document) > MAX_DOCUMENT_BYTES:
        raise KeysUnreadable(f"the key set has more than {MAX_DOCUMENT_BYTES} bytes")
    try:
        found = orjson.loads(document)
    except orjson.JSONDecodeError as error:
        raise KeysUnreadable("what came is no JSON") from error
    entries = found.get("keys") if isinstance(found, dict) else None
    if not isinstance(entries, list):
        raise KeysUnreadable('what came is no key set: it has no list "keys"')
    if len(entries) > MAX_KEYS:
        raise KeysUnreadable(f"the key set has more than {MAX_KEYS} keys")
    keys = dict(_usable(entries))
    if not keys:
        raise KeysUnreadable("the key set has no key with an id for RS256, ES256 or EdDSA")
    return keys


def _usable(entries: list[Any]) -> Iterator[tuple[tuple[str, str], jwt.PyJWK]]:
    for entry in entries:
        algorithm = _algorithm(entry) if isinstance(entry, dict) else None
        if algorithm is None:
            continue
        try:
            key = jwt.PyJWK(entry, algorithm)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue  # one broken key must not take the others down
        if algorithm == "RS256" and key.key.key_size < MIN_RSA_BITS:
            continue
        yield (entry["kid"], algorithm), key


def _algorithm(entry: Mapping[str, Any]) -> str | None:
    """For which algorithm a key is meant; None when it is not for signatures of a known kind."""
    key_type, curve = entry.get("kty"), entry.get("crv")
    if not isinstance(key_type, str) or not isinstance(curve, str | None):
        return None
    algorithm = ALGORITHMS.get((key_type, curve))
    fits = entry.get("use", "sig") == "sig" and entry.get("alg", algorithm) == algorithm
    is_public = "d" not in entry
    small = _fits(entry, "n", MAX_MODULUS_CHARS) and _fits(entry, "e", MAX_EXPONENT_CHARS)
    named = "kid" in entry and _fits(entry, "kid", MAX_KEY_ID_CHARS)
    return algorithm if fits and is_public and small and named else None


def _fits(entry: Mapping[str, Any], name: str, most: int) -> bool:
    value = entry.get(name, "-")
    return isinstance(value, str) and 1 <= len(value) <= most
