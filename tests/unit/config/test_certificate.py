"""What certificate and key must be, and what is said of those that are not."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from server.config.certificate import MAX_FILE_BYTES, Unfit, read_certificate
from tests.support.certificates import DAY, Pair, make_pair


def refusal_of(pair: Pair) -> Unfit:
    with pytest.raises(Unfit) as refused:
        read_certificate(*pair)
    assert refused.value.remedy.endswith((".", "key", "noout", "wait."))
    return refused.value


@pytest.mark.parametrize("kind", ["ec", "rsa"])
def test_a_pair_is_read_and_tells_when_it_expires(kind: str, tmp_path: Path) -> None:
    key = rsa.generate_private_key(65537, 2048) if kind == "rsa" else None
    certificate = read_certificate(*make_pair(tmp_path, key=key, ends=timedelta(days=90)))
    left = datetime.fromtimestamp(certificate.expires_s, UTC) - datetime.now(UTC)
    assert timedelta(days=89) < left <= timedelta(days=90)
    assert certificate.context.minimum_version.name == "TLSv1_2"


def test_a_chain_may_follow_the_certificate(tmp_path: Path) -> None:
    pair, other = make_pair(tmp_path), make_pair(tmp_path, "issuer")
    pair.cert.write_bytes(pair.cert.read_bytes() + other.cert.read_bytes())
    assert read_certificate(*pair).expires_s > 0


def test_what_is_out_of_its_time_is_told(tmp_path: Path) -> None:
    expired = refusal_of(make_pair(tmp_path, begins=-2 * DAY, ends=-DAY))
    assert (expired.setting, expired.remedy) == ("tls_cert", "Renew it, then start again.")
    assert "expired" in expired.wrong
    early = refusal_of(make_pair(tmp_path, begins=DAY, ends=2 * DAY))
    assert "not yet valid" in early.wrong
    assert "clock" in early.remedy


def test_a_key_of_another_certificate_is_told(tmp_path: Path) -> None:
    pair, other = make_pair(tmp_path), make_pair(tmp_path, "other")
    refused = refusal_of(Pair(pair.cert, other.key))
    assert (refused.setting, refused.wrong) == ("tls_key", f"is not the key of {pair.cert}")


def test_a_key_of_another_kind_is_told_alike(tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    other = make_pair(tmp_path, "other", key=rsa.generate_private_key(65537, 2048))
    refused = refusal_of(Pair(pair.cert, other.key))
    assert (refused.setting, refused.wrong) == ("tls_key", f"is not the key of {pair.cert}")


def test_a_key_that_no_client_takes_is_told(tmp_path: Path) -> None:
    refused = refusal_of(make_pair(tmp_path, key=ec.generate_private_key(ec.SECP256K1())))
    assert (refused.setting, refused.wrong) == ("tls_key", "serves no client (NO_SHARED_CIPHER)")


@pytest.mark.parametrize("setting", ["tls_cert", "tls_key"])
def test_a_pipe_is_refused_and_not_waited_for(setting: str, tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    path = pair.cert if setting == "tls_cert" else pair.key
    path.unlink()
    os.mkfifo(path)
    refused = refusal_of(pair)
    assert (refused.setting, refused.wrong) == (setting, "is a pipe")


def test_a_key_with_a_password_is_told_and_nobody_is_asked_for_it(tmp_path: Path) -> None:
    refused = refusal_of(make_pair(tmp_path, password=b"secret"))
    assert (refused.setting, refused.wrong) == ("tls_key", "is locked by a password")
    assert "openssl pkey -in" in refused.remedy


@pytest.mark.parametrize("setting", ["tls_cert", "tls_key"])
@pytest.mark.parametrize("text", [None, b"", b"nonsense", b"-" * (MAX_FILE_BYTES + 9)])
def test_a_file_of_another_kind_is_told(setting: str, text: bytes | None, tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    path = pair.cert if setting == "tls_cert" else pair.key
    path.unlink()
    if text is not None:
        path.write_bytes(text)
    refused = refusal_of(pair)
    assert refused.setting == setting
    assert ("cannot be read" in refused.wrong) is (text is None)


@pytest.mark.parametrize("setting", ["tls_cert", "tls_key"])
def test_a_damaged_file_is_told(setting: str, tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    path = pair.cert if setting == "tls_cert" else pair.key
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "AAAA", *lines[2:]]))
    assert refusal_of(pair).setting == setting


def test_the_files_in_each_others_place_are_told(tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    assert refusal_of(Pair(pair.key, pair.cert)).setting == "tls_cert"
