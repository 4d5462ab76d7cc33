"""Reads the certificate and the key that the configuration names, and proves that they serve.

Owns what makes them fit: readable, of each other, in force. Called by the loader, so that files of
no use are told with all other errors, and by whoever serves TLS, at the start and at each renewal.
"""

import ssl
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MAX_FILE_BYTES = 1_000_000
ALPN: Final = ["http/1.1"]
MAX_ROUNDS = 10
EXPIRED, NOT_YET = 10, 9
"""OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED and X509_V_ERR_CERT_NOT_YET_VALID."""
NOT_ITS_KEY: Final = frozenset(
    {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED"}
)
"""What OpenSSL says of another key of the same kind, and of one of another kind."""


class Unfit(Exception):  # noqa: N818 - it names the file, as Malformed names a message
    """A file cannot be used: `setting` names it, `remedy` tells what helps."""

    def __init__(self, setting: str, wrong: str, remedy: str) -> None:
        super().__init__(f"{wrong}. {remedy}")
        self.setting = setting
        self.wrong = wrong
        self.remedy = remedy
        self.hint = ""  # the message has it already


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a server needs to speak TLS."""

    context: ssl.SSLContext
    expires_s: int
    """Unix time."""


def read_certificate(cert: Path, key: Path) -> Certificate:
    """Read both files (PEM; the certificate first, then its chain). Raises Unfit."""
    _check_form("tls_cert", cert, b"BEGIN CERTIFICATE-----", "certificate")
    text = _check_form("tls_key", key, b"PRIVATE KEY-----", "private key")
    if b"ENCRYPTED" in text:
        remedy = f"Write one without: openssl pkey -in {key} -out plain.key"
        raise Unfit("tls_key", "is locked by a password", remedy)
    client = _client(cert)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(ALPN)
    _load(context, cert, key)
    return Certificate(context, _rehearse(context, client))


class KeptCertificate:
    """The newest certificate that serves, from files that are renewed while the server runs."""

    def __init__(self, cert: Path, key: Path) -> None:
        """Read both. Raises Unfit."""
        self._files = cert, key
        self._current = read_certificate(cert, key)

    @property
    def context(self) -> ssl.SSLContext:
        """What those are served with who connect now."""
        return self._current.context

    @property
    def expires_s(self) -> int:
        """When it expires, as Unix time."""
        return self._current.expires_s

    def renew(self) -> None:
        """Read both files again. Raises Unfit, and keeps what it has then."""
        self._current = read_certificate(*self._files)


def complaint_about(cert: Path, key: Path) -> Unfit | None:
    """Try both files; None when they serve."""
    try:
        read_certificate(cert, key)
    except Unfit as unfit:
        return unfit
    return None


def _check_form(setting: str, path: Path, mark: bytes, what: str) -> bytes:
    remedy = "Give a file that the server's user can read."
    try:
        if stat.S_ISFIFO(path.stat().st_mode):
            # It would be waited for, and could not be read again at a renewal.
            raise Unfit(setting, "is a pipe", remedy)
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise Unfit(setting, f"cannot be read ({error.strerror})", remedy) from error
    if mark not in text or len(text) > MAX_FILE_BYTES:
        raise Unfit(setting, f"has no {what} in PEM form", f"Give a PEM file with the {what}.")
    return text


def _client(cert: Path) -> ssl.SSLContext:
    """Make a client that believes this certificate alone."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        client.load_verify_locations(cafile=cert)
    except ssl.SSLError as error:
        remedy = "Give the PEM file as it was issued: the certificate, then its chain."
        why = f" ({error.reason})" if error.reason else ""
        raise Unfit("tls_cert", f"is damaged{why}", remedy) from error
    return client


def _load(context: ssl.SSLContext, cert: Path, key: Path) -> None:
    try:
        context.load_cert_chain(cert, key)
    except ssl.SSLError as error:
        if error.reason in NOT_ITS_KEY:
            remedy = "Give the key with which the certificate was requested."
            raise Unfit("tls_key", f"is not the key of {cert}", remedy) from error
        remedy = f"Check it: openssl pkey -in {key} -noout; openssl x509 -in {cert} -noout"
        raise Unfit("tls_key", f"cannot be used ({error.reason or error})", remedy) from error


def _rehearse(server: ssl.SSLContext, client: ssl.SSLContext) -> int:
    """Shake hands in memory; returns when the certificate expires, as Unix time."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    near = client.wrap_bio(to_client, to_server)
    far = server.wrap_bio(to_server, to_client, server_side=True)
    try:
        for _ in range(MAX_ROUNDS):
            if _step(near) & _step(far):
                break
    except ssl.SSLCertVerificationError as error:
        raise _unfit(error) from error
    except ssl.SSLError as error:
        remedy = "Give a key that browsers take: RSA of 2,048 bits, or EC on P-256."
        raise Unfit("tls_key", f"serves no client ({error.reason})", remedy) from error
    peer = near.getpeercert() or {}
    return int(ssl.cert_time_to_seconds(str(peer["notAfter"])))


def _step(side: ssl.SSLObject) -> bool:
    try:
        side.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True


def _unfit(error: ssl.SSLCertVerificationError) -> Unfit:
    remedies = {
        EXPIRED: "Renew it, then start again.",
        NOT_YET: "Check the clock of this machine, or wait.",
    }
    remedy = remedies.get(error.verify_code, "Give a certificate that was issued for a server.")
    return Unfit("tls_cert", f"cannot be used: {error.verify_message}", remedy)
