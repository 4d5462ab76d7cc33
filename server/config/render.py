"""Shows the configuration: the effective one as TOML, and the reference page as Markdown.

Masks every secret. Called by `tesserae config check` and `tesserae config reference`.
"""

import json
from typing import Any

from server.config.load import MASK, Loaded
from server.config.table import CONFIG_VARIABLE, GROUPS, ROWS, Row

SOURCE_COLUMN = 44

INTRODUCTION = f"""\
# Configuration

Every setting is a flag of `tesserae serve`, an environment variable and a key of an optional TOML
file, which `--config FILE` or `{CONFIG_VARIABLE}` names. A flag wins over the variable, the
variable over the file, the file over the default. A variable that begins with `TESSERAE_`, or a key
of the file, that is no setting is an error. All errors are told at once, and the exit code is 2.

Secrets have no flag, since every process of a machine can read command lines; a file that holds one
must be readable by its owner alone. Limits are off at 0. Paths are relative to the working
directory.

`tesserae config check` takes the flags of `serve` and prints what would be in force, and where each
value comes from. This page is what `tesserae config reference` prints.
"""


def to_toml(loaded: Loaded) -> str:
    """Write the effective configuration, which may be used as a TOML file again."""
    lines = ["# The effective configuration: flag, then environment, then file, then default."]
    for group in GROUPS:
        lines += ["", f"# {group}"]
        lines += [_line(row, loaded) for row in ROWS if row.about.group == group]
    return "\n".join(lines) + "\n"


def to_markdown() -> str:
    """Write the reference of all settings."""
    parts = [INTRODUCTION]
    for group in GROUPS:
        parts += [f"## {group}\n"]
        parts += [_entry(row) for row in ROWS if row.about.group == group]
    return "\n".join(parts)


def plain(value: Any) -> Any:
    """Turn a setting's value into what JSON and TOML have."""
    if isinstance(value, tuple):
        return [str(part) for part in value]
    return value if isinstance(value, bool | int | float) else str(value)


def _line(row: Row, loaded: Loaded) -> str:
    value = getattr(loaded.settings, row.name)
    source = loaded.sources.get(row.name, "default")
    if value is None:
        text = f"# {row.key} is not set"
    elif row.secret:
        text = f'# {row.key} = "{MASK}"'
    else:
        text = f"{row.key} = {_toml(value)}"
    return f"{text:<{SOURCE_COLUMN}}# {source}"


def _toml(value: Any) -> str:
    # JSON's forms of numbers, booleans, texts and arrays of texts are TOML's too.
    return json.dumps(plain(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _entry(row: Row) -> str:
    names = f"`{row.variable}`, `{row.key}`"
    if row.flag:
        names = f"`{row.flag} {row.about.metavar}`, {names}"
    default = f"`{row.default_text}`" if row.default_text else "none"
    why = f" {row.about.why}" if row.about.why else ""
    return (
        f"### {row.key}\n\n{row.about.help}{why}\n\n"
        f"{names}. Takes {row.accepts}. Default: {default}.\n"
    )
