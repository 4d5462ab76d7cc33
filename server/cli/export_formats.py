"""The formats of `tesserae history export`: CSV, JSON lines, Parquet.

Owns columns and types; reads nothing. What a user may have chosen is written so that no program of
spreadsheets takes it for a formula.
"""

import csv
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from io import StringIO
from typing import Any, BinaryIO, Protocol

import click
import orjson

Entry = dict[str, Any]
COLUMNS = ("seq", "at", "x", "y", "originalX", "originalY", "color", "previous", "by")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
ROWS_IN_A_GROUP = 65_536
"""Of Parquet: 4 MB of memory, and large enough to compress well."""


class Format(Protocol):
    """Writes entries to one file."""

    def write(self, entries: Sequence[Entry]) -> None:
        """Add entries."""
        ...

    def close(self) -> None:
        """Write what is left; the file stays open."""
        ...


def format_named(name: str) -> Callable[[BinaryIO], Format]:
    """Return what makes a writer. Raises ClickException when its library is missing."""
    if name == "parquet":
        _check_pyarrow()
    makers: dict[str, Callable[[BinaryIO], Format]]
    makers = {"csv": Csv, "jsonl": JsonLines, "parquet": Parquet}
    return makers[name]


def _row(entry: Entry) -> list[Any]:
    x, y = entry["original"]
    head = [entry["seq"], entry["at"], entry["x"], entry["y"], x, y]
    return [*head, entry["color"], entry["previous"], entry["by"]]


class Csv:
    """RFC 4180 in UTF-8, with a header; times in ISO 8601."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._write([COLUMNS])

    def write(self, entries: Sequence[Entry]) -> None:
        """Add entries."""
        self._write([_csv_row(entry) for entry in entries])

    def _write(self, rows: Sequence[Sequence[Any]]) -> None:
        text = StringIO(newline="")
        csv.writer(text).writerows(rows)
        self._file.write(text.getvalue().encode())

    def close(self) -> None:
        """Leave the file as it is: each row is whole."""


def _csv_row(entry: Entry) -> list[Any]:
    seq, at_ms, *cell, by = _row(entry)
    return [seq, _iso(at_ms), *cell, _harmless(by)]


def _iso(at_ms: int) -> str:
    second, ms = divmod(at_ms, 1000)
    return f"{_second(second)}.{ms:03d}Z"


@lru_cache(maxsize=16)
def _second(at: int) -> str:
    """Format a second; remembered, since placements of one follow each other."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}"


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


class JsonLines:
    """One JSON object a line, with the names of the command `history`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, entries: Sequence[Entry]) -> None:
        """Add entries."""
        self._file.writelines(orjson.dumps(e, option=orjson.OPT_APPEND_NEWLINE) for e in entries)

    def close(self) -> None:
        """Leave the file as it is: each line is whole."""


def _check_pyarrow() -> None:
    try:
        import pyarrow.parquet  # type: ignore[import-untyped]  # noqa: F401, PLC0415  # optional
    except ImportError as error:
        raise click.ClickException(
            "Parquet needs pyarrow, which is not installed; run: "
            f"{sys.executable} -m pip install 'tesserae[parquet]',"
            " or choose --format csv or jsonl"
        ) from error


class Parquet:
    """Apache Parquet with typed columns; times in ms, UTC."""

    def __init__(self, file: BinaryIO) -> None:
        import pyarrow as pa  # noqa: PLC0415  # optional
        from pyarrow import parquet  # noqa: PLC0415

        types = (
            pa.int64(),
            pa.timestamp("ms", "UTC"),
            *[pa.int32()] * 4,
            *[pa.uint8()] * 2,
            pa.string(),
        )
        self._schema = pa.schema(list(zip(COLUMNS, types, strict=True)))
        self._table: Callable[..., Any] = pa.table
        self._writer = parquet.ParquetWriter(file, self._schema)
        self._rows: list[list[Any]] = []

    def write(self, entries: Sequence[Entry]) -> None:
        """Add entries."""
        self._rows += map(_row, entries)
        if len(self._rows) >= ROWS_IN_A_GROUP:
            self._write_group()

    def _write_group(self) -> None:
        columns = [list(column) for column in zip(*self._rows, strict=True)]
        named = dict(zip(COLUMNS, columns or [[] for _ in COLUMNS], strict=True))
        self._writer.write_table(self._table(named, schema=self._schema))
        self._rows = []

    def close(self) -> None:
        """Write what is left; the file stays open."""
        self._write_group()
        self._writer.close()
