"""Changelog fragments: named right, written as sentences, accepted by towncrier."""

import re
import subprocess
import sys
import tomllib

from tests.support.source import ROOT, project_files, read

FOLDER = "changelog.d/"
TOWNCRIER = tomllib.loads(read("pyproject.toml"))["tool"]["towncrier"]
TYPES = {kind["directory"] for kind in TOWNCRIER["type"]}
SENTENCES = re.compile(r"[A-Z`].*\.", re.DOTALL)


def fragments() -> list[str]:
    return [
        path for path in project_files() if path.startswith(FOLDER) and path != f"{FOLDER}README.md"
    ]


def test_fragments_are_named_by_their_type() -> None:
    name = re.compile(rf"{FOLDER}\+[a-z0-9-]+\.({'|'.join(sorted(TYPES))})\.md")
    assert [path for path in fragments() if not name.fullmatch(path)] == []


def test_fragments_are_sentences() -> None:
    assert [path for path in fragments() if not SENTENCES.fullmatch(read(path).strip())] == []


def test_a_release_can_be_drafted() -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "0.0.0"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    for path in fragments():
        assert " ".join(read(path).split())[:40] in " ".join(finished.stdout.split())
