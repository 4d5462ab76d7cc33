"""Programs as a page of the docs prints them, and what they say when they run."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.support.source import read

LONGEST_S = 60


def printed(page: str, language: str) -> list[str]:
    """The programs of a page, in its order."""
    return re.findall(rf"^```{language}\n(.*?)^```", read(page), re.MULTILINE | re.DOTALL)


def said(command: Sequence[str], folder: Path) -> str:
    """What a program says that ends well, by itself, and complains of nothing."""
    finished = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=LONGEST_S, check=False
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout
