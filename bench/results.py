"""What a benchmark found: rows beside their goals, as JSON and as the table that the docs show."""

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent / "results"
TABLE = Path(__file__).parent.parent / "docs" / "reference" / "measured.md"
BEGIN = "<!-- measured: begin (written by `make bench`) -->"
END = "<!-- measured: end -->"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; `goal` is None for figures that are only reported."""

    what: str
    value: float
    unit: str
    goal: float | None = None
    better: Literal["higher", "lower"] = "lower"

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.better == "higher" else self.value <= self.goal


@dataclass(frozen=True, slots=True)
class Result:
    """What one benchmark found."""

    name: str
    rows: list[Row]
    notes: str = ""
    at: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%d"))
    machine: str = field(
        default_factory=lambda: (
            f"{os.cpu_count()} cores, Python {platform.python_version()}, "
            f"websockets {version('websockets')}, uvloop {version('uvloop')}"
        )
    )

    def save(self) -> None:
        """Write `bench/results/<name>.json`."""
        FOLDER.mkdir(exist_ok=True)
        text = json.dumps(asdict(self), indent=2) + "\n"
        (FOLDER / f"{self.name}.json").write_text(text, encoding="utf-8")


def load_all() -> list[Result]:
    """Read every saved result, by name."""
    results = []
    for path in sorted(FOLDER.glob("*.json")):
        saved = json.loads(path.read_text(encoding="utf-8"))
        saved["rows"] = [Row(**row) for row in saved["rows"]]
        results.append(Result(**saved))
    return results


def table(results: list[Result]) -> str:
    """Render results as a Markdown table, and a line on each benchmark."""
    lines = ["| benchmark | what | measured | goal | reached |", "|---|---|---|---|---|"]
    for result in results:
        for row in result.rows:
            goal = (
                "-" if row.goal is None else f"{_sign(row)} {_number(row.goal)} {row.unit}".strip()
            )
            met = {None: "-", True: "yes", False: "**no**"}[row.met]
            measured = f"{_number(row.value)} {row.unit}".strip()
            lines.append(f"| {result.name} | {row.what} | {measured} | {goal} | {met} |")
    notes = [
        f"- *{result.name}*: {result.notes} ({result.at}; {result.machine})" for result in results
    ]
    return "\n".join([*lines, "", *notes])


def write_table() -> None:
    """Put the table of all saved results into the docs page."""
    before, rest = TABLE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    text = f"{before}{BEGIN}\n{table(load_all())}\n{END}{after}"
    TABLE.write_text(text, encoding="utf-8")


def _sign(row: Row) -> str:
    return "≥" if row.better == "higher" else "≤"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"
