"""Tokens of an outside issuer: what is taken, and the known ways of forging one."""

import base64
import json
import random
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from server.access.auth import (
    MAX_OUTSIDE_TOKEN_CHARS,
    Authenticator,
    ExpiredToken,
    ForeignToken,
    MalformedToken,
    Unauthorized,
)
from server.access.auth_keys import KeyEvents, KeySet
from server.access.auth_outside import CLOCK_LEEWAY_S, OutsideIssuer, OutsideRules
from server.access.identity import Role
from server.access.secret import Secret
from tests.support.clock import FakeClock
from tests.support.issuer import (
    AUDIENCE,
    EXPIRES_S,
    ISSUER,
    key_set,
    private_key,
    public_jwk,
    token,
)

SECRET = Secret(b"0123456789abcdef0123456789abcdef")
KINDS = ("RS256", "ES256", "EdDSA")
ALL_KEYS = key_set(*(public_jwk(kind, kind) for kind in KINDS), public_jwk("RS256", "k1"))


class Room:
    """An authenticator of ours that trusts the issuer."""

    def __init__(self, document: bytes = ALL_KEYS, roles_claim: str | None = None) -> None:
        self.clock = FakeClock()
        self.document = document
        self.keys = KeySet(
            self.fetch, self.clock.monotonic_ms, KeyEvents(lambda _: None, lambda: None)
        )
        rules = OutsideRules(ISSUER, AUDIENCE, roles_claim)
        outside = OutsideIssuer(rules, self.keys, self.clock.wall_ms)
        self.auth = Authenticator(SECRET, self.clock.wall_ms, random.Random(5), outside)

    async def fetch(self) -> bytes:
        return self.document


async def opened(**options: Any) -> Room:
    room = Room(**options)
    await room.keys.read()
    return room


@pytest.mark.parametrize("kind", KINDS)
async def test_a_token_of_each_kind_names_a_player(kind: str) -> None:
    room = await opened()
    identity = room.auth.verify(token(kind, kind))
    assert (identity.id, identity.name, identity.guest) == ("ext:alice", "Alice", False)
    assert identity.roles == {Role.PLAYER}
    assert identity.scopes == frozenset()
    assert identity.expires_at_ms == (EXPIRES_S + CLOCK_LEEWAY_S) * 1000


async def test_our_own_tokens_and_guests_go_on_as_before() -> None:
    room = await opened()
    guest, guest_token = room.auth.mint_guest()
    issued = room.auth.issue("alice", "Alice", [Role.ADMIN], ttl_s=60)
    assert room.auth.verify(guest_token) == guest
    assert room.auth.verify(issued).id == "alice"


async def test_an_audience_may_be_one_of_several() -> None:
    room = await opened()
    assert room.auth.verify(token(aud=["other", AUDIENCE])).id == "ext:alice"


def hmac_by_hand(claims: dict[str, Any], secret: bytes, algorithm: str) -> str:
    """PyJWT would refuse to sign with a public key as a secret."""
    import hashlib
    import hmac

    def part(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    head = part(json.dumps({"alg": algorithm, "kid": "RS256"}).encode())
    signed = f"{head}.{part(json.dumps(claims).encode())}"
    return f"{signed}.{part(hmac.digest(secret, signed.encode(), hashlib.sha256))}"


@pytest.mark.parametrize("encoding", [Encoding.PEM, Encoding.DER])
async def test_the_public_key_is_no_shared_secret(encoding: Encoding) -> None:
    room = await opened()
    public = private_key("RS256").public_key()
    secret = public.public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo)
    claims = jwt.decode(token(), options={"verify_signature": False})
    for algorithm in ("HS256", "RS256"):
        with pytest.raises(ForeignToken):
            room.auth.verify(hmac_by_hand(claims, secret, algorithm))


def with_header(good: str, **changes: Any) -> str:
    head, rest = good.split(".", 1)
    header = json.loads(base64.urlsafe_b64decode(head + "==")) | changes
    header = {name: value for name, value in header.items() if value is not ...}
    encoded = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()
    return f"{encoded}.{rest}"


@pytest.mark.parametrize(
    "changes",
    [
        {"alg": "none"},
        {"alg": "None"},
        {"alg": ""},
        {"alg": None},
        {"alg": ["RS256"]},
        {"alg": ...},
        {"alg": "HS256"},
        {"alg": "RS384"},
        {"alg": "PS256"},
        {"alg": "ES256"},
        {"kid": ...},
        {"kid": ""},
        {"kid": 5},
        {"kid": "ES256"},
        {"kid": "../../etc/passwd"},
        {"crit": ["exp"]},
        {"b64": False},
        {"jwk": public_jwk("RS256", number=1)},
        {"jku": "https://evil.example/keys"},
    ],
)
async def test_a_header_cannot_choose_how_it_is_judged(changes: dict[str, Any]) -> None:
    room = await opened()
    with pytest.raises(Unauthorized):
        room.auth.verify(with_header(token(), **changes))
    with pytest.raises(Unauthorized):
        room.auth.verify(with_header(token(), **changes).rsplit(".", 1)[0] + ".")


async def test_a_key_serves_the_algorithm_alone_that_it_is_made_for() -> None:
    room = await opened(document=key_set(public_jwk("RS256", "k1"), public_jwk("ES256", "k2")))
    for kind, key_id in (("ES256", "k1"), ("RS256", "k2"), ("EdDSA", "k1")):
        with pytest.raises(ForeignToken, match="does not name"):
            room.auth.verify(token(kind, key_id))


async def test_the_right_key_id_does_not_make_a_signature_right() -> None:
    room = await opened()
    for kind in KINDS:
        with pytest.raises(ForeignToken, match="signature"):
            room.auth.verify(token(kind, kind, number=1))


async def test_the_issuer_cannot_sign_as_us_nor_we_as_the_issuer() -> None:
    room = await opened()
    ours = room.auth.issue("bob", "Bob", [Role.ADMIN], ttl_s=60)
    our_key = jwt.get_unverified_header(ours)["kid"]
    with pytest.raises(Unauthorized):
        room.auth.verify(token("RS256", our_key, iss="tesserae", aud="tesserae-game"))
    with pytest.raises(Unauthorized):
        room.auth.verify(with_header(ours, kid="RS256"))


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://other.example"},
        {"iss": ISSUER + "/"},
        {"iss": [ISSUER]},
        {"iss": None},
        {"aud": "other"},
        {"aud": []},
        {"aud": AUDIENCE + "2"},
        {"aud": None},
        {"sub": None},
        {"sub": ""},
        {"sub": 5},
        {"sub": "x" * 256},
        {"exp": None},
        {"exp": "soon"},
        {"exp": True},
        {"exp": float("nan")},
        {"exp": float("inf")},
        {"exp": 1e30},
        {"exp": -1},
        {"nbf": "now"},
        {"nbf": 1_700_000_000 + CLOCK_LEEWAY_S + 1},
    ],
)
async def test_claims_of_a_wrong_kind_are_refused(changes: dict[str, Any]) -> None:
    room = await opened()
    with pytest.raises(Unauthorized):
        room.auth.verify(token(**changes))


async def test_times_have_a_small_leeway_and_no_more() -> None:
    room = await opened()
    assert room.auth.verify(token(nbf=1_700_000_000 + CLOCK_LEEWAY_S)).id == "ext:alice"
    one = token(exp=1_700_000_000)
    room.clock.advance(CLOCK_LEEWAY_S * 1000 - 1)
    identity = room.auth.verify(one)
    assert identity.expires_at_ms == room.clock.wall_ms() + 1, "or it would be closed at once"
    room.clock.advance(1)
    with pytest.raises(ExpiredToken):
        room.auth.verify(one)


async def test_a_long_token_is_taken_and_a_longer_one_refused_unread() -> None:
    room = await opened()
    long = token(groups=["g" * 100] * 50)
    assert 4096 < len(long) <= MAX_OUTSIDE_TOKEN_CHARS
    assert room.auth.verify(long).id == "ext:alice"
    with pytest.raises(MalformedToken):
        room.auth.verify(token(groups=["g" * 100] * 70))


async def test_reasons_never_hold_the_token() -> None:
    room = await opened()
    forged = token(number=1)
    with pytest.raises(Unauthorized) as caught:
        room.auth.verify(forged)
    assert forged[:20] not in caught.value.reason


async def test_a_header_without_end_breaks_nothing() -> None:
    room = await opened()
    for text in (b"[" * 6000, b'{"kid":' * 900, b'{"kid":"k1","alg":"RS256"' + b" " * 5000):
        head = base64.urlsafe_b64encode(text).rstrip(b"=").decode()
        with pytest.raises(Unauthorized):
            room.auth.verify(f"{head}.e30.e30"[:MAX_OUTSIDE_TOKEN_CHARS])


@given(st.text(max_size=300))
def test_no_text_passes_or_breaks_it(text: str) -> None:
    with pytest.raises(Unauthorized):
        Room().auth.verify(text)


async def test_without_an_issuer_its_tokens_are_foreign() -> None:
    alone = Authenticator(SECRET, FakeClock().wall_ms, random.Random(5))
    await alone.prepare(token())
    with pytest.raises(ForeignToken, match="another secret"):
        alone.verify(token())


@pytest.mark.parametrize("sub", ["ext:alice", "ext:sha256:00"])
def test_nobody_is_issued_the_id_of_an_outsider(sub: str) -> None:
    with pytest.raises(ValueError, match="outside issuer"):
        Authenticator(SECRET, FakeClock().wall_ms, random.Random(5)).issue(
            sub, "Alice", [Role.PLAYER], ttl_s=60
        )
