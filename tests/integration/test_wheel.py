"""The two wheels, each in an environment that holds only what its metadata asks for."""

import re
import signal
import subprocess
import threading
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from packaging.metadata import Metadata

from tests.support.environments import PATIENCE_S, Environment, build_wheel
from tests.support.source import ROOT, project_files, read

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("wheel")]

SHIPPED = ("canvas/", "pictures/", "presence/", "persistence/", "server/", "bots/")
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")
PLAY = """
import asyncio, importlib.util, sys
from tesserae_client import Client, Placed
async def main(url):
    async with Client(url) as client:
        await client.ready()
        outcome = await client.place(3, 4, 5)
        assert isinstance(outcome, Placed), outcome
        assert client.board[3, 4] == 5 and await client.verify()
assert importlib.util.find_spec("server") is None, "it is not alone"
asyncio.run(main(sys.argv[1]))
print("played")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def client_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT / "clients/python", tmp_path_factory.mktemp("client-wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The server, and nothing of the client library."""
    environment = Environment(tmp_path_factory.mktemp("server") / "venv")
    environment.install(wheel, "tesserae")
    return environment


@contextmanager
def serving(environment: Environment, data: Path, **variables: str) -> Iterator[int]:
    """A server out of an environment, and its port; it must end cleanly."""
    command = environment.start(str(environment.command), "serve", "--port", "0")
    with subprocess.Popen(
        [*command, "--data", str(data), "--size", "16x16"],
        cwd=environment.folder,
        env={"PYTHONUNBUFFERED": "1", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        watchdog = threading.Timer(PATIENCE_S, process.kill)
        watchdog.start()
        try:
            yield port_of(process)
            process.send_signal(signal.SIGTERM)
            process.communicate()
        finally:
            watchdog.cancel()
            process.kill()
    assert process.returncode == 0


def port_of(process: subprocess.Popen[str]) -> int:
    """The port of the address that the server prints; reads until it comes or the output ends."""
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if found := ADDRESS.search(line):
            return int(found[1])
    pytest.fail("the server ended without an address:\n" + "".join(said))


def page(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S) as answer:
        return str(answer.read().decode())


# --- what they are ------------------------------------------------------------


def test_the_server_holds_every_file_of_its_packages_and_nothing_else(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    assert {path for path in project_files() if path.startswith(SHIPPED)} - inside == set()
    strays = [name for name in inside if not name.startswith(SHIPPED) and ".dist-info/" not in name]
    assert strays == []


def test_the_client_holds_every_file_of_its_package_and_nothing_else(client_wheel: Path) -> None:
    inside = {n for n in zipfile.ZipFile(client_wheel).namelist() if ".dist-info/" not in n}
    home = "clients/python/"
    shipped = {p.removeprefix(home) for p in project_files() if p.startswith(f"{home}tesserae")}
    assert inside == shipped


@pytest.mark.parametrize("which", ["wheel", "client_wheel"])
def test_metadata_is_complete(which: str, request: pytest.FixtureRequest) -> None:
    archive = zipfile.ZipFile(request.getfixturevalue(which))
    names = {name.partition(".dist-info/")[2]: name for name in archive.namelist()}
    told = Metadata.from_email(archive.read(names["METADATA"]), validate=True)
    assert told.summary
    assert told.description
    assert told.description_content_type == "text/markdown"
    assert told.license_expression == "Apache-2.0"
    assert told.license_files == ["LICENSE"]
    assert archive.read(names["licenses/LICENSE"]).decode() == read("LICENSE")
    assert "Typing :: Typed" in (told.classifiers or [])
    assert str(told.requires_python) == ">=3.11"
    assert any(name.endswith("/py.typed") for name in archive.namelist())


# --- what they do -------------------------------------------------------------


def test_the_server_alone_serves_and_says_what_the_bots_need(
    installed: Environment, tmp_path: Path
) -> None:
    installed.check()
    assert "tesserae" in installed.tesserae("version")
    installed.tesserae("config", "check")
    assert "pip install 'tesserae[bots]'" in installed.tesserae("bots", "walk", "1", code=2)
    with serving(installed, tmp_path / "data") as port:
        assert "<!doctype html>" in page(port).lower()
        assert "alive" in installed.tesserae("health", "--port", str(port))
    assert "no answer" in installed.tesserae("health", "--port", str(port), code=1)


def test_the_server_needs_no_uvloop(installed: Environment, tmp_path: Path) -> None:
    (tmp_path / "uvloop.py").write_text("raise ImportError('this environment has no uvloop')")
    with serving(installed, tmp_path / "data", PYTHONPATH=str(tmp_path)) as port:
        assert "<!doctype html>" in page(port).lower()


def test_the_client_alone_plays(installed: Environment, client_wheel: Path, tmp_path: Path) -> None:
    client = Environment(tmp_path / "venv")
    client.install(client_wheel, "tesserae-client")
    client.check()
    with serving(installed, tmp_path / "data") as port:
        assert "played" in client.run("-c", PLAY, f"ws://127.0.0.1:{port}/ws")


def test_the_server_with_its_bots_plays(wheel: Path, client_wheel: Path, tmp_path: Path) -> None:
    both = Environment(tmp_path / "venv")
    both.install(wheel, "tesserae[bots]")
    both.install(client_wheel, "tesserae-client")
    both.check()
    with serving(both, tmp_path / "data") as port:
        url = f"ws://127.0.0.1:{port}/ws"
        both.tesserae("bots", "walk", "1", "--url", url, "--seconds", "0.5")
