"""Certificates for tests, made on the spot: for 127.0.0.1 and localhost, signed by themselves."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

PrivateKey = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
DAY = timedelta(days=1)


class Pair(NamedTuple):
    """The files of a certificate and of its key."""

    cert: Path
    key: Path

    def trusting(self) -> ssl.SSLContext:
        """What a client needs to believe it."""
        return ssl.create_default_context(cafile=self.cert)

    @property
    def flags(self) -> tuple[str, str, str, str]:
        return ("--tls-cert", str(self.cert), "--tls-key", str(self.key))


def make_pair(
    folder: Path,
    name: str = "server",
    *,
    key: PrivateKey | None = None,
    begins: timedelta = -DAY,
    ends: timedelta = DAY,
    password: bytes | None = None,
) -> Pair:
    """Make a certificate that is good from one time to another, seen from now."""
    private = key or ec.generate_private_key(ec.SECP256R1())
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    pair.cert.write_bytes(_signed(private, begins, ends).public_bytes(serialization.Encoding.PEM))
    pair.key.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(password)
            if password
            else serialization.NoEncryption(),
        )
    )
    return pair


def _signed(private: PrivateKey, begins: timedelta, ends: timedelta) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tesserae test")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begins)
        .not_valid_after(now + ends)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(private, hashes.SHA256())
    )
