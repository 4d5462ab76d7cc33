"""Empty environments: a Python with a wheel, what the wheel says it needs, and nothing else.

What is needed is linked from where the checks run, so nothing is fetched; the editable installs of
the checkout are not among it.
"""

import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

PATIENCE_S = 60.0
OURS = {"tesserae", "tesserae-client"}


def build_wheel(project: Path, folder: Path) -> Path:
    """Build the wheel of a project as it is now."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run(
        [*build, str(folder)], cwd=project, check=True, capture_output=True, timeout=PATIENCE_S
    )
    return next(folder.glob("*.whl"))


class Environment:
    """A virtual environment that knows nothing of the checkout."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "bin/python"
        self.command = folder / "bin/tesserae"
        self.folder = folder
        venv.create(folder, with_pip=False)
        self._packages = next(folder.glob("lib/python*/site-packages"))

    def install(self, wheel: Path, *requirements: str) -> None:
        """Install a wheel, and link what these requirements need."""
        self._pip("install", "--no-index", "--no-deps", "--quiet", str(wheel))
        for name in _closure(requirements):
            self._link(name)

    def check(self) -> None:
        """Let pip see whether every requirement of every wheel is there."""
        self._pip("check")

    def start(self, *words: str) -> list[str]:
        """The command line that starts Python here, away from all that the caller's has."""
        return [str(self.python), "-P", *words]

    def run(self, *words: str, code: int = 0) -> str:
        """Run Python with these words; what it said, and it must end with this code."""
        done = subprocess.run(
            self.start(*words),
            cwd=self.folder,
            env={},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def tesserae(self, *words: str, code: int = 0) -> str:
        """Run the command."""
        return self.run(str(self.command), *words, code=code)

    def _pip(self, *words: str) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), *words]
        done = subprocess.run(pip, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def _link(self, name: str) -> None:
        files = distribution(name).files or []
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            link = self._packages / top
            if not link.exists():
                link.symlink_to(Path(sysconfig.get_path("purelib")) / top)


def _closure(requirements: Iterable[str]) -> Iterator[str]:
    """All distributions that these requirements need here, ours left out."""
    waiting, seen = [Requirement(text) for text in requirements], set[tuple[str, str]]()
    while waiting:
        requirement = waiting.pop()
        for extra in ("", *requirement.extras):
            if (requirement.name, extra) in seen:
                continue
            seen.add((requirement.name, extra))
            needed = map(Requirement, distribution(requirement.name).requires or [])
            waiting += [
                one for one in needed if one.marker is None or one.marker.evaluate({"extra": extra})
            ]
    yield from {name for name, _ in seen} - OURS
