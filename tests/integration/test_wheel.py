"""The built wheel, and nothing else of the checkout, serves the page; also without uvloop."""

import re
import signal
import subprocess
import sys
import sysconfig
import threading
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.source import ROOT, project_files

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("wheel")]

SHIPPED = ("canvas/", "presence/", "persistence/", "server/", "bots/")
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")
PATIENCE_S = 60.0
START = "import sys; from server.cli.main import main; sys.exit(main())"
NO_UVLOOP = "raise ImportError('this environment has no uvloop')"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout, as it is now."""
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


def built(project: Path, folder: Path) -> Path:
    """Build one wheel."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run(
        [*build, str(folder)], cwd=project, check=True, capture_output=True, timeout=PATIENCE_S
    )
    return next(folder.glob("*.whl"))


class Installed:
    """A virtual environment with the wheel, and what the lock installs here, but no checkout."""

    def __init__(self, folder: Path) -> None:
        self._python = folder / "bin/python"
        self._command = folder / "bin/tesserae"
        venv.create(folder, with_pip=False)
        # A path in a .pth file brings packages, but not the editable installs named there.
        packages = next(folder.glob("lib/python*/site-packages"))
        (packages / "locked.pth").write_text(sysconfig.get_path("purelib"))

    def install(self, wheel: Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(self._python), "install", "--no-index"]
        done = [*pip, "--no-deps", "--force-reinstall", "--quiet", str(wheel)]
        subprocess.run(done, check=True, capture_output=True, timeout=PATIENCE_S)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command away from the checkout."""
        return subprocess.run(
            [str(self._command), *words],
            cwd=self._command.parent,
            env={},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what the wheel installs."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def without_uvloop(tmp_path: Path) -> Path:
    """A folder that hides uvloop when it comes first on the path."""
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden/uvloop.py").write_text(NO_UVLOOP)
    return tmp_path / "hidden"


@pytest.fixture(params=["uvloop", "no-uvloop"])
def server(
    request: pytest.FixtureRequest, unpacked: Path, without_uvloop: Path, tmp_path: Path
) -> Iterator[subprocess.Popen[str]]:
    """A running server made of the wheel and of third-party packages alone."""
    first = [without_uvloop] if request.param == "no-uvloop" else []
    # -S leaves .pth files alone, so the editable install of the checkout is not on the path.
    path = ":".join(str(part) for part in [*first, unpacked, sysconfig.get_path("purelib")])
    with subprocess.Popen(
        [sys.executable, "-S", "-c", START, "serve", "--port", "0", "--data", tmp_path / "data"],
        cwd=tmp_path,
        env={"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        watchdog = threading.Timer(PATIENCE_S, process.kill)
        watchdog.start()
        yield process
        watchdog.cancel()
        process.kill()


def port_of(process: subprocess.Popen[str]) -> str:
    """The port of the address that the server prints; reads until it comes or the output ends."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if found := ADDRESS.search(line):
            return found[1]
    pytest.fail("the server ended without an address:\n" + "".join(said))


def test_it_serves_the_page_and_stops_cleanly(server: subprocess.Popen[str]) -> None:
    with urllib.request.urlopen(
        f"http://127.0.0.1:{port_of(server)}/", timeout=PATIENCE_S
    ) as answer:
        assert answer.status == 200
        assert "<!doctype html>" in answer.read().decode().lower()
    server.send_signal(signal.SIGTERM)
    server.communicate()
    assert server.returncode == 0


def test_it_holds_every_file_of_the_packages(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert {path for path in project_files() if path.startswith(SHIPPED)} - inside == set()


def test_it_holds_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    strays = [name for name in names if not name.startswith(SHIPPED) and ".dist-info/" not in name]
    assert strays == []


def test_installed_it_says_what_the_bots_need_and_has_them_once_it_is_there(
    wheel: Path, tmp_path: Path
) -> None:
    installed = Installed(tmp_path / "venv")
    installed.install(wheel)
    assert installed.run("version").returncode == 0
    assert installed.run("config", "check").returncode == 0
    without = installed.run("bots", "walk", "1")
    assert without.returncode == 2
    assert "pip install 'tesserae[bots]'" in without.stderr
    installed.install(built(ROOT / "clients/python", tmp_path / "client"))
    assert "walk" in installed.run("bots", "--help").stdout
