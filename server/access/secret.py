"""The signing secret: read, or made on first start, and the keys derived from it.

Owns `<data>/secret` (mode 0600) and nothing else of the data directory; takes no lock, so `token`
works beside a running server. The text of the file is the secret, so that it may be copied into
TESSERAE_SECRET. Never logs or shows it. Called by the composition root and by `tesserae token`.
"""

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from server.config import ConfigurationError, Settings

FILE_NAME = "secret"
OWN_MODE = 0o600
OWN_DIRECTORY_MODE = 0o700
MADE_BYTES = 32
MIN_BYTES = 32
MAX_BYTES = 4096
"""And ASCII alone, so that the text is the same as a file, a variable and in every editor."""
MIN_DISTINCT_BYTES = 8
SHARED_BITS = stat.S_IRWXG | stat.S_IRWXO
SHARED_WRITE_BITS = stat.S_IWGRP | stat.S_IWOTH

RandomBytes = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Secret:
    """The secret of a deployment; shown nowhere, used only through keys derived from it."""

    text: bytes = field(repr=False)

    def key(self, purpose: str) -> bytes:
        """Derive 32 bytes that serve one purpose and tell nothing of the others."""
        return hmac.digest(self.text, f"tesserae {purpose}".encode(), hashlib.sha256)


def open_secret(settings: Settings, random_bytes: RandomBytes = secrets.token_bytes) -> Secret:
    """Take the secret that the settings give, else the data directory's, made if there is none.

    Raises ConfigurationError with the remedy.
    """
    if settings.secret is not None:
        # Stripped as a file's text is: what was stored with the file's last newline is the same.
        text = settings.secret.get_secret_value().strip()
        return _checked(text.encode(), "TESSERAE_SECRET")
    if settings.secret_file is not None:
        return _read(settings.secret_file, SHARED_WRITE_BITS, "go-w")
    if (path := missing(settings)) is not None:
        if settings.store == "aws":
            raise ConfigurationError.of(
                str(path),
                "is not there, and --store aws makes none: the next machine would not have it",
                "Set TESSERAE_SECRET, or give --secret-file; `openssl rand -hex 32` makes one.",
            )
        _make(path, secrets_text(random_bytes))
    return _read(settings.data / FILE_NAME, SHARED_BITS, "600")


def missing(settings: Settings) -> Path | None:
    """Return the file that `open_secret` would make; None where there is a secret already.

    Raises ConfigurationError where nobody can know.
    """
    path = settings.data / FILE_NAME
    given = settings.secret is not None or settings.secret_file is not None
    try:
        return None if given or path.exists() else path
    except OSError as error:
        remedy = "Let the user that runs the server own the --data directory."
        wrong = f"cannot be looked for ({error.strerror})"
        raise ConfigurationError.of(str(path), wrong, remedy) from error


def secrets_text(random_bytes: RandomBytes) -> bytes:
    """Draw a new secret, as the line that its file holds."""
    return random_bytes(MADE_BYTES).hex().encode() + b"\n"


def _read(path: Path, forbidden_bits: int, mode: str) -> Secret:
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno()).st_mode
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigurationError.of(
            str(path), f"cannot be read ({error.strerror})", "Let the server's user read it."
        ) from error
    if os.name == "posix" and found & forbidden_bits:
        raise ConfigurationError.of(
            str(path),
            f"has mode {stat.S_IMODE(found):04o}, so that others reach the secret",
            f"Run: chmod {mode} {path}",
        )
    return _checked(text.strip(), str(path))


def _checked(text: bytes, where: str) -> Secret:
    if len(text) > MAX_BYTES or not text.isascii():
        raise ConfigurationError.of(where, "is no secret in plain characters", _remedy())
    if len(text) < MIN_BYTES or len(set(text)) < MIN_DISTINCT_BYTES:
        raise ConfigurationError.of(where, "is too weak a secret", _remedy())
    return Secret(text)


def _remedy() -> str:
    return f"Give {MIN_BYTES} random characters or more, such as `openssl rand -hex 32` makes."


def _make(path: Path, text: bytes) -> None:
    """Write the file whole or not at all: another process may be making it in this moment."""
    try:
        path.parent.mkdir(mode=OWN_DIRECTORY_MODE, parents=True, exist_ok=True)
        _link_into_place(path, text)
    except OSError as error:
        raise ConfigurationError.of(
            str(path),
            f"cannot be made ({error.strerror})",
            "Give a --data directory that can be written, or the secret by TESSERAE_SECRET.",
        ) from error


def _link_into_place(path: Path, text: bytes) -> None:
    # A link fails when the name is taken, and never shows half a file; O_EXCL alone would.
    draft = path.with_name(f".{FILE_NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWN_MODE)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            return
    finally:
        draft.unlink()
    _sync_directory(path.parent)


def _sync_directory(directory: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
