"""Flags from the table of settings: every setting is one, in the group it belongs to.

The flags carry texts only: `server.config.load` checks them together with the other sources, so
that all errors are told at once. Used by the commands that need the configuration.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from server.config import Loaded, load
from server.config.table import BY_NAME, CONFIG_VARIABLE, ROWS, Row

OTHER_GROUP = "Options"
CONFIG_PARAMETER = "config_file"
ALL_NAMES = tuple(row.name for row in ROWS)
PLACE_NAMES = (
    *("data", "store", "stage", "table_prefix", "bucket"),
    *("endpoint_url_dynamodb", "endpoint_url_s3"),
)
"""What names a store, for commands whose --region is a part of a board; AWS_REGION names AWS's."""
STORE_NAMES = (*PLACE_NAMES, "region")

Function = TypeVar("Function", bound=Callable[..., Any])


class SettingOption(click.Option):
    """A flag that stands for a setting."""

    def __init__(self, row: Row) -> None:
        super().__init__(
            [row.flag or "", row.name],
            type=str,
            metavar=row.about.metavar,
            help=f"{row.about.help} [{row.default_text}]" if row.default_text else row.about.help,
        )
        self.group = row.about.group


class SettingsCommand(click.Command):
    """A command whose help lists the settings by group."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for each group, and the command's own options last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in sorted(self.get_params(ctx), key=_is_own):
            record = parameter.get_help_record(ctx)
            if record is not None:
                group = getattr(parameter, "group", OTHER_GROUP)
                sections.setdefault(group, []).append(record)
        for group, records in sections.items():
            with formatter.section(group):
                formatter.write_dl(records)


def settings_options(*names: str) -> Callable[[Function], Function]:
    """Give a command the flags of these settings (all, when none is named) and `--config`."""
    rows = [BY_NAME[name] for name in names or ALL_NAMES]

    def decorated(function: Function) -> Function:
        for row in reversed(rows):
            if row.flag:
                _add(function, SettingOption(row))
        _add(
            function,
            click.Option(
                ["--config", CONFIG_PARAMETER],
                type=click.Path(path_type=Path),
                metavar="FILE",
                help=f"TOML file with settings; {CONFIG_VARIABLE} names one too.",
            ),
        )
        return function

    return decorated


def loaded(flags: Mapping[str, Any], *, look_at_files: bool = True) -> Loaded:
    """Load the configuration from a command's parameters, the environment and the file.

    Raises ConfigurationError.
    """
    texts = {name: text for name, text in flags.items() if name != CONFIG_PARAMETER}
    file = flags.get(CONFIG_PARAMETER)
    return load(texts, os.environ, file, look_at_files=look_at_files)


def _add(function: Callable[..., Any], option: click.Option) -> None:
    # What click.option does, for an option that is made already.
    vars(function).setdefault("__click_params__", []).append(option)


def _is_own(parameter: click.Parameter) -> bool:
    return not isinstance(parameter, SettingOption)
