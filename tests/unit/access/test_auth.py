"""Tokens: what is issued is verified, and nothing else is."""

import base64
import json
import random
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.access.auth import (
    ALGORITHM,
    GUEST_TTL_S,
    MAX_TOKEN_CHARS,
    MAX_TTL_S,
    Authenticator,
    ExpiredToken,
    ForeignToken,
    MalformedToken,
    Unauthorized,
)
from server.access.identity import Role
from server.access.secret import Secret
from tests.support.clock import FakeClock

SECRET = Secret(b"0123456789abcdef0123456789abcdef")
OTHER = Secret(b"another secret of good length !!")
CLOCK = FakeClock()

Change = Callable[[dict[str, Any]], object]


def authenticator(secret: Secret = SECRET, clock: FakeClock = CLOCK) -> Authenticator:
    return Authenticator(secret, clock.wall_ms, random.Random(5))


def resigned(change: Change, headers: dict[str, Any] | None = None) -> str:
    """A token with changed claims, signed with the right key."""
    ours = authenticator()
    claims = ours._claims("u1", "Ann", [Role.PLAYER], (), 60)
    change(claims)
    header = {"kid": ours._key_id} | (headers or {})
    return jwt.encode(claims, ours._key, ALGORITHM, headers=header)


def test_what_is_issued_is_verified() -> None:
    token = authenticator().issue(
        "u1", "  Ann Lee ", [Role.BOT, Role.ADMIN], ttl_s=60, scopes=["place"]
    )
    identity = authenticator().verify(token)
    assert (identity.id, identity.name, identity.guest) == ("u1", "Ann Lee", False)
    assert identity.roles == {Role.BOT, Role.ADMIN}
    assert identity.scopes == {"place"}
    assert identity.expires_at_ms == CLOCK.wall_ms() + 60_000
    assert len(identity.token_id) == 24


def test_a_token_is_good_until_its_last_millisecond() -> None:
    clock = FakeClock()
    ours = authenticator(clock=clock)
    token = ours.issue("u1", "Ann", [Role.PLAYER], ttl_s=60)
    clock.advance(59_999)
    assert ours.verify(token).id == "u1"
    clock.advance(1)
    with pytest.raises(ExpiredToken, match="expired"):
        ours.verify(token)


def test_a_guest_comes_back_as_who_it_was() -> None:
    ours = authenticator()
    identity, token = ours.mint_guest()
    assert identity.id.startswith("g_")
    assert identity.guest
    assert identity.roles == {Role.PLAYER}
    assert ours.verify(token) == identity
    assert identity.expires_at_ms == CLOCK.wall_ms() + GUEST_TTL_S * 1000


def test_guests_do_not_repeat() -> None:
    ours = authenticator()
    identities = [ours.mint_guest()[0] for _ in range(500)]
    assert len({identity.id for identity in identities}) == 500
    assert len({identity.name for identity in identities}) > 100


def test_another_secret_is_told() -> None:
    token = authenticator(OTHER).issue("u1", "Ann", [Role.PLAYER], ttl_s=60)
    with pytest.raises(ForeignToken, match="another secret"):
        authenticator().verify(token)


def test_the_right_key_id_does_not_make_a_signature_right() -> None:
    ours, theirs = authenticator(), authenticator(OTHER)
    theirs._key_id = ours._key_id
    with pytest.raises(ForeignToken, match="signature"):
        ours.verify(theirs.issue("u1", "Ann", [Role.PLAYER], ttl_s=60))


def without_signature(token: str, header: dict[str, Any]) -> str:
    encoded = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()
    return f"{encoded}.{token.split('.')[1]}."


def test_other_algorithms_are_refused() -> None:
    ours = authenticator()
    claims = ours._claims("u1", "Ann", [Role.ADMIN], (), 60)
    for algorithm in ("HS384", "HS512"):
        token = jwt.encode(claims, ours._key * 2, algorithm, headers={"kid": ours._key_id})
        with pytest.raises(ForeignToken):
            ours.verify(token)
    good = ours._signed(claims)
    for name in ("none", "None", "", None, "RS256", 5):
        with pytest.raises(Unauthorized):
            ours.verify(without_signature(good, {"alg": name, "kid": ours._key_id}))


@pytest.mark.parametrize("kid", [None, "", "0" * 16])
def test_a_wrong_or_absent_key_id_is_refused(kid: str | None) -> None:
    ours = authenticator()
    claims = ours._claims("u1", "Ann", [Role.PLAYER], (), 60)
    headers = {} if kid is None else {"kid": kid}
    with pytest.raises(ForeignToken):
        ours.verify(jwt.encode(claims, ours._key, ALGORITHM, headers=headers))


@pytest.mark.parametrize("claim", ["iss", "aud", "exp", "iat", "jti", "sub", "name", "roles"])
def test_every_claim_is_required(claim: str) -> None:
    token = resigned(lambda claims: claims.pop(claim))
    with pytest.raises(ForeignToken):
        authenticator().verify(token)


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "someone"},
        {"iss": "tesserae2"},
        {"aud": "other"},
        {"aud": ["tesserae-game", "other"]},
        {"aud": ["tesserae-game"]},
    ],
)
def test_issuer_and_audience_are_pinned(changes: dict[str, Any]) -> None:
    with pytest.raises(ForeignToken):
        authenticator().verify(resigned(lambda claims: claims.update(changes)))


@pytest.mark.parametrize(
    "changes",
    [
        {"sub": ""},
        {"sub": "a b"},
        {"sub": "a#b"},
        {"sub": "é"},
        {"sub": "a\n"},
        {"sub": "x" * 65},
        {"sub": "g_1234"},
        {"sub": "u1", "guest": True},
        {"name": ""},
        {"name": " Ann"},
        {"name": "x" * 33},
        {"name": "An\nn"},
        {"name": "An\u202en"},
        {"name": "An\u200bn"},
        {"name": "Ame\u0301lie"},
        {"name": 5},
        {"roles": []},
        {"roles": "admin"},
        {"roles": ["king"]},
        {"roles": [["admin"]]},
        {"roles": ["player"] * 9},
        {"scopes": "place"},
        {"scopes": ["a b"]},
        {"scopes": [1]},
        {"scopes": ["a"] * 17},
        {"guest": 1},
        {"exp": "soon"},
        {"exp": True},
        {"exp": 1e12},
        {"exp": float("nan")},
        {"exp": 1 << 60},
        {"exp": -5},
    ],
)
def test_claims_of_a_wrong_kind_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(MalformedToken):
        authenticator().verify(resigned(lambda claims: claims.update(changes)))


@pytest.mark.parametrize(
    "text",
    ["", "a", "a.b", "a.b.c", "..", "é.é.é", "e30.e30.e30", "W10.W10.W10", "\ud800", "x" * 10**6],
)
def test_what_is_no_token(text: str) -> None:
    with pytest.raises(Unauthorized):
        authenticator().verify(text)


@given(st.text(max_size=300))
def test_no_text_passes_or_breaks_it(text: str) -> None:
    with pytest.raises(Unauthorized):
        authenticator().verify(text)


GOOD = authenticator().issue("u1", "Ann", [Role.PLAYER], ttl_s=60)


@given(st.integers(0, len(GOOD) - 1), st.characters(codec="ascii"))
def test_no_changed_token_passes_as_another(position: int, character: str) -> None:
    changed = GOOD[:position] + character + GOOD[position + 1 :]
    try:
        assert authenticator().verify(changed) == authenticator().verify(GOOD)
    except Unauthorized:
        assert changed != GOOD


def test_the_largest_token_that_can_be_issued_is_accepted() -> None:
    scopes = [f"{n:02d}" + "s" * 62 for n in range(16)]
    token = authenticator().issue(
        "u" * 64, "\N{GRINNING FACE}" * 32, list(Role), ttl_s=MAX_TTL_S, scopes=scopes
    )
    assert len(token) < MAX_TOKEN_CHARS
    assert authenticator().verify(token).scopes == set(scopes)


@pytest.mark.parametrize(
    ("sub", "name", "ttl_s"),
    [("g_1", "Ann", 60), ("a b", "Ann", 60), ("u", " ", 60), ("u", "A", 0), ("u", "A", 10**9)],
)
def test_what_verify_would_refuse_is_not_issued(sub: str, name: str, ttl_s: int) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        authenticator().issue(sub, name, [Role.PLAYER], ttl_s=ttl_s)


def test_reasons_never_hold_the_token() -> None:
    token = authenticator(OTHER).issue("u1", "Ann", [Role.PLAYER], ttl_s=60)
    with pytest.raises(Unauthorized) as caught:
        authenticator().verify(token)
    assert token[:20] not in caught.value.reason
