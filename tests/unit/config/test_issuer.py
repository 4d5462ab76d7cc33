"""The settings of an outside issuer: an address that nobody on the way can fake, all or none."""

import pytest

from server.config import ConfigurationError, load

URL = "https://issuer.example/realms/school/keys"
WHOLE = {"jwks_url": URL, "jwks_issuer": "https://issuer.example", "jwks_audience": "tesserae"}


def told(flags: dict[str, str]) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        load(flags, {})
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (URL, URL),
        (f" {URL}#part ", URL),
        ("http://localhost:9/keys", "http://localhost:9/keys"),
        ("http://127.0.0.53/keys", "http://127.0.0.53/keys"),
        ("http://[::1]:9/keys?a=b", "http://[::1]:9/keys?a=b"),
    ],
)
def test_addresses_that_are_taken(written: str, read: str) -> None:
    assert load({**WHOLE, "jwks_url": written}, {}).settings.jwks_url == read


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("http://issuer.example/keys", "not encrypted"),
        ("http://10.0.0.1/keys", "not encrypted"),
        ("http://localhost.example/keys", "not encrypted"),
        ("http://127.0.0.1.example/keys", "not encrypted"),
        ("file:///etc/passwd", "no address"),
        ("https://", "no address"),
        ("https://user:word@issuer.example/keys", "no address"),
        ("https://[::1/keys", "no address"),
        ("https://issuer.example:99999/keys", "no address"),
        ("keys.json", "no address"),
        ("", "no address"),
    ],
)
def test_addresses_that_are_none_or_that_somebody_could_fake(written: str, wrong: str) -> None:
    (problem,) = told({**WHOLE, "jwks_url": written})
    assert problem.startswith("--jwks-url")
    assert wrong in problem
    assert problem.endswith(
        "Give an address that begins with https://, or with http:// on this machine."
    )


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_what_is_missing_is_named(name: str) -> None:
    (problem,) = told({key: value for key, value in WHOLE.items() if key != name})
    assert problem.endswith(f"Give {name.replace('_', '-')}, too.")


def test_roles_alone_are_no_issuer() -> None:
    (problem,) = told({"jwks_roles_claim": "roles"})
    assert "--jwks-roles-claim" in problem
    assert "Give jwks-url and jwks-issuer and jwks-audience, too." in problem


@pytest.mark.parametrize("name", ["jwks_issuer", "jwks_audience", "jwks_roles_claim"])
@pytest.mark.parametrize("written", ["", "x" * 256])
def test_a_claim_has_a_length(name: str, written: str) -> None:
    (problem,) = told({**WHOLE, name: written})
    assert problem.startswith(f"--{name.replace('_', '-')}")
