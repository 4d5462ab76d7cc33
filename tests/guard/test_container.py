"""The image: its Dockerfile is linted, and what it promises stands in it."""

import json
import re
import shutil
import subprocess
import sysconfig
import tomllib

import pytest

from tests.support.source import ROOT, read

SCRIPTS = sysconfig.get_path("scripts")
HADOLINT = shutil.which("hadolint", path=SCRIPTS) or shutil.which("hadolint")


def instructions() -> list[tuple[str, str]]:
    """(instruction, arguments) of the Dockerfile, continuation lines joined."""
    lines = [line for line in read("Dockerfile").splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [
        (word, rest)
        for line in joined.splitlines()
        if line
        for word, _, rest in [line.partition(" ")]
    ]


def arguments_of(instruction: str) -> list[str]:
    return [rest for word, rest in instructions() if word == instruction]


@pytest.mark.skipif(HADOLINT is None, reason="hadolint has no wheel for this machine")
def test_dockerfile_is_linted() -> None:
    finished = subprocess.run(
        [HADOLINT or "", "--failure-threshold", "style", "Dockerfile"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout


def test_it_runs_as_a_numeric_user_that_is_not_root() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", arguments_of("USER")[-1])


def test_it_stops_cleanly_and_keeps_its_data() -> None:
    assert arguments_of("STOPSIGNAL") == ["SIGTERM"]
    assert json.loads(arguments_of("ENTRYPOINT")[0]) == ["tesserae"]
    assert arguments_of("VOLUME") == ["/data"]
    assert "/healthz" in arguments_of("HEALTHCHECK")[0]


def test_it_installs_only_what_the_lock_names() -> None:
    installs = [rest for rest in arguments_of("RUN") if " install " in rest and "pip" in rest]
    assert installs
    assert all("--require-hashes" in rest or "--no-deps" in rest for rest in installs)


def test_the_build_context_holds_every_package() -> None:
    wheel = tomllib.loads(read("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    kept = {line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")}
    assert set(wheel["packages"]) <= kept


def test_only_the_image_listens_everywhere() -> None:
    """The default host is loopback; a container must say otherwise, and nothing else may."""
    assert "TESSERAE_HOST=0.0.0.0" in arguments_of("ENV")[-1]
