"""Ids, names and roles of those whom an outside issuer knows."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.access.identity import Identity, Role, checked_id, checked_name
from server.access.outsiders import outsider, token_id_of


def known(roles_claim: str | None = None, **claims: Any) -> Identity:
    return outsider(
        {"sub": "alice", **claims}, roles_claim=roles_claim, token_id="t", expires_at_ms=5
    )


@pytest.mark.parametrize("sub", ["alice", "a@b.example", "5f0c-11", "x" * 60, "g_guest"])
def test_a_subject_of_our_form_stays_readable(sub: str) -> None:
    assert known(sub=sub).id == f"ext:{sub}"


@pytest.mark.parametrize("sub", ["auth0|5f0c", "a b", "é", "x" * 61, "a\n", "\ud800", "a/b"])
def test_any_other_subject_is_hashed(sub: str) -> None:
    found = known(sub=sub).id
    assert found.startswith("ext:sha256:")
    assert checked_id(found) == known(sub=sub).id


def test_no_plain_subject_passes_for_a_hashed_one() -> None:
    hashed = known(sub="auth0|alice").id
    assert known(sub=hashed.removeprefix("ext:")).id != hashed


@given(st.text(min_size=1, max_size=255), st.text(min_size=1, max_size=255))
def test_different_people_have_different_ids(one: str, other: str) -> None:
    assert (known(sub=one).id == known(sub=other).id) == (one == other)


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"name": "Alice"}, "Alice"),
        ({"name": "Alice", "preferred_username": "al"}, "Alice"),
        ({"preferred_username": "al"}, "al"),
        ({"name": "", "preferred_username": "al"}, "al"),
        ({"name": 5, "preferred_username": "al"}, "al"),
        ({"name": "  Alice \t Lee\n"}, "Alice Lee"),
        ({"name": "Al\u202eice\u200b"}, "Alice"),
        ({"name": "Ame\u0301lie"}, "Amélie"),
        ({"name": "x" * 40}, "x" * 32),
        ({"name": "x" * 31 + " y"}, "x" * 31),
        ({"name": "Admin", "preferred_username": "al"}, "al"),
        ({"name": "A" + "\u0301" * 9, "preferred_username": "al"}, "al"),
        ({"name": "\ufe0f", "preferred_username": "al"}, "al"),
    ],
)
def test_names_are_made_valid(claims: dict[str, Any], name: str) -> None:
    assert known(**claims).name == name


@pytest.mark.parametrize("claims", [{}, {"name": "\u200b"}, {"name": "\u3164"}, {"name": "Admin"}])
def test_who_has_no_name_to_show_gets_one_that_stays(claims: dict[str, Any]) -> None:
    name = known(**claims).name
    assert name.startswith("Player ")
    assert name == known(**claims).name != known(sub="bob", **claims).name


@given(st.text(max_size=80))
def test_every_name_is_one_that_tokens_may_carry(text: str) -> None:
    name = known(name=text).name
    assert checked_name(name) == name


def test_roles_count_only_where_the_operator_says_so() -> None:
    claims: dict[str, Any] = {"roles": ["admin"], "realm_access": {"roles": ["moderator"]}}
    assert known(**claims).roles == {Role.PLAYER}
    assert known("roles", **claims).roles == {Role.PLAYER, Role.ADMIN}
    assert known("realm_access.roles", **claims).roles == {Role.PLAYER, Role.MODERATOR}


@pytest.mark.parametrize(
    ("value", "roles"),
    [
        (None, set()),
        ([], set()),
        ("bot", {Role.BOT}),
        ("moderator teacher", {Role.MODERATOR}),
        (["teacher", "moderator", 5, None, ["admin"]], {Role.MODERATOR}),
        (["Admin", "ADMIN"], set()),
    ],
)
def test_other_roles_of_the_issuer_mean_nothing(value: object, roles: set[Role]) -> None:
    assert known("https://x.example/roles", **{"https://x.example/roles": value}).roles == {
        Role.PLAYER,
        *roles,
    }


@pytest.mark.parametrize("value", [5, True, {"admin": True}, ["a"] * 257])
def test_a_claim_that_lists_no_roles_is_told(value: object) -> None:
    with pytest.raises(ValueError, match="roles is a list"):
        known("roles", roles=value)


def test_a_path_that_leads_nowhere_gives_no_role() -> None:
    for claims in ({}, {"a": 5}, {"a": {"b": None}}, {"a": ["b"]}):
        assert known("a.b.c", **claims).roles == {Role.PLAYER}


def test_who_runs_the_place_may_be_named_so() -> None:
    assert known("roles", roles=["admin"], name="Admin").name == "Admin"


def test_a_token_has_an_id_by_which_it_can_be_revoked() -> None:
    assert token_id_of({"jti": "t-1"}, "a.b.c") == "t-1"
    for claims in ({}, {"jti": "a b"}, {"jti": 5}):
        made = token_id_of(claims, "a.b.c")
        assert checked_id(made) == made != token_id_of(claims, "a.b.d")
