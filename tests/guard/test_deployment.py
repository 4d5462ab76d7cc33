"""compose.yaml and the systemd unit say what image and server say, and shut what is not needed."""

import json
import re
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.cli.exits import STORE, USAGE
from server.config import Settings
from server.config.table import ROWS
from tests.guard.test_container import arguments_of, command_of
from tests.support.source import read

ANALYZE = shutil.which("systemd-analyze")
UNIT = "deploy/tesserae.service"
HIGHEST_EXPOSURE = 20
"""Tenths of what systemd-analyze calls exposure: 1.3 when it was written."""


def seconds(text: str) -> int:
    return int(text.removesuffix("s"))


# --- compose -----------------------------------------------------------------


@pytest.fixture
def service() -> dict[str, Any]:
    compose = yaml.safe_load(read("compose.yaml"))
    assert list(compose["services"]) == ["tesserae"], "one process owns a store"
    assert set(compose["volumes"]) == {"data"}
    return dict(compose["services"]["tesserae"])


def test_compose_runs_what_the_image_says(service: dict[str, Any]) -> None:
    assert service["build"] == "."
    assert service["volumes"] == ["data:" + arguments_of("VOLUME")[0]]
    (port,) = arguments_of("EXPOSE")
    assert service["ports"] == [f"127.0.0.1:{port}:{port}"], "to this machine alone, until told"
    image = arguments_of("HEALTHCHECK")[0]
    health = service["healthcheck"]
    assert health["test"] == ["CMD", *command_of(image)]
    for key in ("interval", "timeout", "start_period"):
        assert f"--{key.replace('_', '-')}={health[key]}" in image


def test_compose_waits_for_the_drain(service: dict[str, Any]) -> None:
    assert seconds(service["stop_grace_period"]) > Settings().stop_deadline


def test_compose_gives_no_more_than_is_needed(service: dict[str, Any]) -> None:
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert service["ulimits"]["nofile"] > Settings().max_connections
    assert set(service["environment"]) <= {row.variable for row in ROWS}


# --- systemd -----------------------------------------------------------------


@pytest.fixture
def unit() -> dict[str, list[str]]:
    """The values of each key of the section Service, in order."""
    values: dict[str, list[str]] = {}
    for line in read(UNIT).partition("[Service]\n")[2].partition("[Install]\n")[0].splitlines():
        if line and not line.startswith("#"):
            key, _, value = line.partition("=")
            values.setdefault(key, []).append(value)
    return values


def test_the_unit_is_a_unit() -> None:
    parser = RawConfigParser(strict=False)
    parser.read_string(read(UNIT))
    assert parser.sections() == ["Unit", "Service", "Install"]


def test_the_unit_restarts_what_a_restart_can_mend(unit: dict[str, list[str]]) -> None:
    assert unit["Restart"] == ["on-failure"]
    assert unit["RestartPreventExitStatus"] == [f"{USAGE} {STORE}"]
    assert int(unit["TimeoutStopSec"][0]) > Settings().stop_deadline
    assert int(unit["LimitNOFILE"][0]) > Settings().max_connections


def test_the_unit_keeps_its_data_where_the_settings_say(unit: dict[str, list[str]]) -> None:
    (variables,) = unit["Environment"]
    assert f"TESSERAE_DATA=/var/lib/{unit['StateDirectory'][0]}" in variables.split()
    named = set(re.findall(r"\bTESSERAE_[A-Z_]+\b", read(UNIT)))
    assert named <= {row.variable for row in ROWS}


def test_the_unit_shuts_what_is_not_needed(unit: dict[str, list[str]]) -> None:
    assert unit["ProtectSystem"] == ["strict"]
    for key in ("DynamicUser", "NoNewPrivileges", "MemoryDenyWriteExecute", "PrivateTmp"):
        assert unit[key] == ["yes"]
    assert unit["CapabilityBoundingSet"] == [""]


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    """With a program that is there: the unit names where the how-to installs it."""
    unit = tmp_path / "tesserae.service"
    unit.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", read(UNIT)))
    assert analyze("verify", str(unit)).stderr == ""
    exposure = analyze(
        "security", "--offline=true", f"--threshold={HIGHEST_EXPOSURE}", "--json=short", str(unit)
    )
    assert json.loads(exposure.stdout)


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [ANALYZE or "", *words], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done
