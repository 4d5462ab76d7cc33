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
    assert command_of(arguments_of("HEALTHCHECK")[0]) == ["tesserae", "health"]


def command_of(health_check: str) -> list[str]:
    return list(json.loads(health_check.partition(" CMD ")[2]))


def test_nothing_of_the_last_stage_needs_a_shell_and_pip_is_gone() -> None:
    stages = [number for number, (word, _) in enumerate(instructions()) if word == "FROM"]
    last = instructions()[stages[-1] :]
    runs = [json.loads(rest) for word, rest in last if word in {"RUN", "CMD", "ENTRYPOINT"}]
    assert ["pip" in run for run in runs].count(True) == 1
    assert any({"uninstall", "pip"} <= set(run) for run in runs)


def test_each_wheel_is_built_once() -> None:
    builds = [rest for rest in arguments_of("RUN") if " wheel " in rest]
    assert len(builds) == 1
    assert " . ./clients/python " in builds[0]


def test_it_installs_only_what_the_lock_names() -> None:
    installs = [rest for rest in arguments_of("RUN") if " install " in rest and "pip" in rest]
    assert not any("install" in json.loads(rest)[2:] for rest in arguments_of("RUN") if "[" in rest)
    assert installs
    assert all("--require-hashes" in rest or "--no-deps" in rest for rest in installs)


def test_the_build_context_holds_every_package() -> None:
    wheel = tomllib.loads(read("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    kept = {line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")}
    assert set(wheel["packages"]) <= kept


def test_only_the_image_listens_everywhere() -> None:
    """The default host is loopback; a container must say otherwise, and nothing else may."""
    assert "TESSERAE_HOST=0.0.0.0" in arguments_of("ENV")[-1]
