"""Where in a TOML text a key is, for errors that name the line; pure.

The standard parser keeps no positions. This looks for the headers and keys as people write them,
and says nothing where they are written otherwise. Called by scenario.py.
"""

import re

_HEADER = re.compile(r"\s*\[{1,2}\s*(?P<name>[\w-]+)\s*\]")
_KEY = re.compile(r"\s*\"?(?P<name>[\w-]+)\"?\s*=")
_PATH = re.compile(r"(?:(?P<table>\w+)\[(?P<number>\d+)\])?\.?(?P<rest>[\w.-]*)")


class Places:
    """The lines of the tables and keys of one text."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[str | None, int, str], int] = {}
        table: tuple[str | None, int] = None, 0
        counts: dict[str, int] = {}
        for line, written in enumerate(text.splitlines(), 1):
            if header := _HEADER.match(written):
                name = header["name"]
                table = name, counts.get(name, 0)
                counts[name] = table[1] + 1
                self._lines[(*table, "")] = line
            elif key := _KEY.match(written):
                self._lines.setdefault((*table, key["name"]), line)

    def of(self, problem: str) -> str:
        """Return `:LINE` of the key that a problem begins with, else its table's, else nothing."""
        path = _PATH.match(problem)
        if path is None:
            return ""
        table, number = path["table"], int(path["number"] or 0)
        key = path["rest"].rpartition(".")[2]
        lines = self._lines
        line = lines.get((table, number, key)) or lines.get((table or key, number, ""))
        return "" if line is None else f":{line}"
