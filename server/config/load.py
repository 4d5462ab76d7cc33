"""Merges the sources of the configuration: flag, then environment, then TOML file, then default.

Owns the precedence, the names that nobody knows, and telling all errors at once. Reads the TOML
file and looks whether named files are there; everything else is an argument. Called by the command
line, before anything of the server runs.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

from pydantic import ValidationError

from server.config.groups.aws import AwsStoring
from server.config.palette import read_palette
from server.config.settings import Settings
from server.config.table import BY_NAME, CONFIG_VARIABLE, PREFIX, ROWS, Row
from server.problems import ConfigurationError, Problem

MAX_FILE_BYTES = 1_000_000
MAX_SHOWN_CHARS = 200
MASK = "********"
USER_IN_URL = re.compile(r"//[^/?#]*@")
OTHERS_MAY_READ = 0o077
NEEDED_OF_ISSUER = ("jwks_url", "jwks_issuer", "jwks_audience")
ISSUER_SETTINGS = (*NEEDED_OF_ISSUER, "jwks_roles_claim")
AWS_SETTINGS = tuple(AwsStoring.model_fields)


class Given(NamedTuple):
    """One value as somebody wrote it, and where."""

    value: Any
    where: str


Layer = Mapping[str, Given]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The configuration and where each value of it comes from."""

    settings: Settings
    sources: Mapping[str, str]
    """By attribute: `--port`, `TESSERAE_PORT` or `port in FILE`; absent for a default."""


@dataclass(slots=True)
class _Findings:
    problems: list[Problem] = field(default_factory=list)

    def add(self, where: str, wrong: str, remedy: str) -> None:
        self.problems.append(Problem(where, wrong, remedy))


def load(
    flags: Mapping[str, str | None],
    environ: Mapping[str, str],
    config_file: Path | None = None,
    *,
    look_at_files: bool = True,
) -> Loaded:
    """Merge and check everything that was given. Raises ConfigurationError with all problems.

    `flags` are texts by attribute name; None was not given. `look_at_files` checks the files that
    are named, which only those need who use them.
    """
    found = _Findings()
    if config_file is None and environ.get(CONFIG_VARIABLE):
        config_file = Path(environ[CONFIG_VARIABLE])
    file = _file_layer(config_file, found) if config_file else {}
    layers = (file, _environment_layer(environ, found), _flag_layer(flags))
    given = {name: value for layer in layers for name, value in layer.items()}
    settings = _validated(given, found)
    if look_at_files:
        _check_files(settings, given, found)
    if found.problems:
        raise ConfigurationError(found.problems)
    return Loaded(settings, {name: value.where for name, value in given.items()})


def _flag_layer(flags: Mapping[str, str | None]) -> Layer:
    return {
        name: Given(text, BY_NAME[name].flag or name)
        for name, text in flags.items()
        if text is not None
    }


def _environment_layer(environ: Mapping[str, str], found: _Findings) -> Layer:
    by_variable = {row.variable: row for row in ROWS}
    layer = {}
    for variable, text in sorted(environ.items()):
        if not variable.startswith(PREFIX) or variable == CONFIG_VARIABLE:
            continue
        if variable in by_variable:
            layer[by_variable[variable].name] = Given(text, variable)
        else:
            found.add(variable, "is no setting", _variable_remedy(variable, by_variable))
    return layer


def _variable_remedy(variable: str, known: Iterable[str]) -> str:
    if "_SERVICE_" in variable or variable.startswith(f"{PREFIX}PORT_"):
        return (
            "Kubernetes sets it for a service named tesserae: "
            "set enableServiceLinks: false in the pod, or name the service otherwise."
        )
    return _did_you_mean(variable, known, PREFIX, "Unset it")


def _did_you_mean(name: str, known: Iterable[str], prefix: str, otherwise: str) -> str:
    # Compared without the prefix, which would make all variables look alike.
    rests = [one.removeprefix(prefix) for one in known]
    close = get_close_matches(name.removeprefix(prefix).lower(), [r.lower() for r in rests], n=1)
    if not close:
        return f"{otherwise}; `tesserae config reference` lists all settings."
    match = next(rest for rest in rests if rest.lower() == close[0])
    return f"Did you mean {prefix}{match}?"


def _file_layer(path: Path, found: _Findings) -> Layer:
    by_key = {row.key: row for row in ROWS}
    layer = {}
    for key, value in _read_toml(path, found).items():
        where = f"{key} in {path}"
        if key not in by_key:
            found.add(where, "is no setting", _did_you_mean(key, by_key, "", "Remove it"))
            continue
        layer[by_key[key].name] = Given(value, where)
        if by_key[key].secret:
            _check_private(path, where, found)
    return layer


def _read_toml(path: Path, found: _Findings) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES + 1)
        if len(text) > MAX_FILE_BYTES:
            found.add(str(path), "is too large", f"Keep it under {MAX_FILE_BYTES} bytes.")
            return {}
        return tomllib.loads(text.decode("utf-8"))
    except OSError as error:
        found.add(str(path), f"cannot be read ({error.strerror})", "Give a file that can.")
    except UnicodeDecodeError:
        found.add(str(path), "is not UTF-8 text", "Save it as UTF-8.")
    except (ValueError, RecursionError) as error:
        # TOMLDecodeError, and what the parser raises for long numbers and for depth.
        found.add(str(path), f"is not TOML ({error})", "Write lines such as port = 8080.")
    return {}


def _check_private(path: Path, where: str, found: _Findings) -> None:
    if os.name == "posix" and path.stat().st_mode & OTHERS_MAY_READ:
        found.add(where, "is a secret that others can read", f"Run: chmod 600 {path}")


def _validated(given: Mapping[str, Given], found: _Findings) -> Settings:
    """Check all that was given; what is wrong stands at its default in what is returned."""
    wrong: set[str] = set()
    try:
        settings = Settings(**{name: value for name, (value, _) in given.items()})
    except ValidationError as error:
        for name, reason in _reasons(error).items():
            wrong.add(name)
            row = BY_NAME[name]
            found.add(_shown(row, given[name]), reason, f"Give {row.accepts}.")
        settings = Settings(
            **{name: value for name, (value, _) in given.items() if name not in wrong}
        )
    _check_conflicts(settings, given, wrong, found)
    return settings


def _reasons(error: ValidationError) -> dict[str, str]:
    reasons: dict[str, str] = {}
    for detail in error.errors(include_url=False, include_input=False):
        cause = detail.get("ctx", {}).get("error")
        words = str(cause) if isinstance(cause, ValueError) else "cannot be used"
        reasons.setdefault(str(detail["loc"][0]), words)
    return reasons


def _shown(row: Row, given: Given) -> str:
    if row.secret:
        return given.where
    text = USER_IN_URL.sub(f"//{MASK}@", str(given.value))
    short = text if len(text) <= MAX_SHOWN_CHARS else text[:MAX_SHOWN_CHARS] + "…"
    return f"{given.where}: {short!r}"


def _check_conflicts(
    settings: Settings, given: Mapping[str, Given], wrong: set[str], found: _Findings
) -> None:
    if settings.secret and settings.secret_file:
        both = f"{given['secret'].where} and {given['secret_file'].where}"
        found.add(both, "both give the signing secret", "Give one of them.")
    ticks = {"tick_min_ms", "tick_max_ms"}
    if settings.tick_min_ms > settings.tick_max_ms and not ticks & wrong:
        where = " and ".join(given[name].where for name in sorted(ticks & given.keys()))
        least, most = settings.tick_min_ms, settings.tick_max_ms
        found.add(
            where,
            f"leave no tick: the shortest is {least} ms, the longest {most} ms",
            "Give a tick-max-ms that is not below tick-min-ms.",
        )
    _check_issuer(settings, given, wrong, found)
    _check_admin_port(settings, given, found)
    _check_store(settings, given, wrong, found)


def _check_issuer(
    settings: Settings, given: Mapping[str, Given], wrong: set[str], found: _Findings
) -> None:
    """Half of an issuer would be none, or one whose tokens for others are taken, too."""
    named = [name for name in ISSUER_SETTINGS if name in given]
    missing = [name for name in NEEDED_OF_ISSUER if getattr(settings, name) is None]
    if not named or not missing or wrong & set(ISSUER_SETTINGS):
        return
    keys = " and ".join(BY_NAME[name].key for name in missing)
    found.add(given[named[0]].where, "is a part of an outside issuer", f"Give {keys}, too.")


def _check_store(
    settings: Settings, given: Mapping[str, Given], wrong: set[str], found: _Findings
) -> None:
    if settings.store == "aws" and settings.bucket is None and "bucket" not in wrong:
        where = _shown(BY_NAME["store"], given["store"])
        found.add(where, "needs a bucket", "Give bucket, too.")
    meant = [name for name in AWS_SETTINGS if name in given]
    if meant and "store" not in given:
        where = _shown(BY_NAME[meant[0]], given[meant[0]])
        found.add(where, "is for another store", "Give store = aws, too, or leave it out.")


def _check_admin_port(settings: Settings, given: Mapping[str, Given], found: _Findings) -> None:
    admin = settings.admin_listen
    if admin is not None and admin.port == settings.port != 0:
        where = _shown(BY_NAME["admin_listen"], given["admin_listen"])
        found.add(where, "has the port of the players", "Give it a port of its own.")


def _check_files(settings: Settings, given: Mapping[str, Given], found: _Findings) -> None:
    if settings.secret_file and not settings.secret_file.is_file():
        where = _shown(BY_NAME["secret_file"], given["secret_file"])
        found.add(where, "is no file", "Give one that exists.")
    if settings.data.exists() and not settings.data.is_dir():
        where = given["data"].where if "data" in given else "data"
        found.add(f"{where}: '{settings.data}'", "is no directory", "Give a directory.")
    if settings.palette:
        _check_palette(settings.palette, given["palette"], found)
    _check_tls(settings, given, found)


def _check_tls(settings: Settings, given: Mapping[str, Given], found: _Findings) -> None:
    cert, key = settings.tls_cert, settings.tls_key
    if cert is not None and key is not None:
        # Loads the library for TLS, which takes as long as all the rest; most need none.
        unfit = resolve_name("server.config.certificate:complaint_about")(cert, key)
        if unfit is not None:
            where = _shown(BY_NAME[unfit.setting], given[unfit.setting])
            found.add(where, unfit.wrong, unfit.remedy)
    elif cert or key:
        alone, other = ("tls_cert", "tls_key") if cert else ("tls_key", "tls_cert")
        if other not in given:
            where, remedy = _shown(BY_NAME[alone], given[alone]), f"Give {BY_NAME[other].flag} too."
            found.add(where, "is of no use alone", remedy)


def _check_palette(path: Path, given: Given, found: _Findings) -> None:
    where = _shown(BY_NAME["palette"], given)
    try:
        read_palette(path)
    except OSError as error:
        found.add(where, f"cannot be read ({error.strerror})", "Give a file that can.")
    except ValueError as error:
        forms = "up to 16 colors: a hex color a line, GIMP's .gpl, JSON, or Pxls' palette.conf"
        found.add(where, f"is no palette: {error}", f"Give {forms}.")
