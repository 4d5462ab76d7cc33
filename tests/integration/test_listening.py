"""The ports of a server process: TLS on the public one, and the operator's own."""

import asyncio
import signal
import socket
import ssl
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp import ClientConnectorCertificateError, ClientSession
from tesserae_client import Client, Placed

from tests.support.certificates import DAY, Pair, make_pair
from tests.support.probe import ask, ask_until
from tests.support.processes import ServerProcess, process
from tests.support.serving import serving
from tests.support.sockets import WAIT_S

pytestmark = pytest.mark.integration

SIZE = ("--size", "16x16", "--cooldown-ms", "0")


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return make_pair(tmp_path)


@pytest.fixture
def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        return int(other.getsockname()[1])


@pytest.fixture
def taken_port() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        yield other.getsockname()[1]


async def ended_at_once(data: Path, *flags: str) -> tuple[int, str]:
    """Start what cannot start: its exit code and what it said."""
    server = ServerProcess(data, *SIZE, *flags)
    await server.launch()
    code, said = await server.ended()
    assert "Traceback" not in said
    return code, said


async def page(port: int, context: ssl.SSLContext) -> str:
    url = f"https://127.0.0.1:{port}/"
    async with ClientSession() as session, session.get(url, ssl=context) as answer:
        return await answer.text()


# --- TLS ---------------------------------------------------------------------


async def test_page_and_socket_over_tls_by_two_flags(
    tmp_path: Path, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(pair.cert))
    async with process(tmp_path / "data", *SIZE, *pair.flags) as server:
        assert "<!doctype html>" in (await page(server.port, pair.trusting())).lower()
        async with Client(f"wss://127.0.0.1:{server.port}/ws") as client:
            await client.ready()
            assert isinstance(await client.place(3, 4, 5), Placed)
            assert await client.verify()
        sent_on = await ask(server.port, "healthz", follow=False)
        assert sent_on.status == 307
        metrics = f"https://127.0.0.1:{server.port}/metrics"
        async with ClientSession() as session, session.get(metrics, ssl=pair.trusting()) as answer:
            assert "tesserae_certificate_expires_seconds" in await answer.text()


async def test_sighup_brings_a_renewed_certificate_and_cuts_nobody(
    tmp_path: Path, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(pair.cert))
    old = pair.trusting()
    async with (
        process(tmp_path / "data", *SIZE, *pair.flags) as server,
        Client(f"wss://127.0.0.1:{server.port}/ws") as client,
    ):
        await client.ready()
        renewed = make_pair(tmp_path).trusting()
        assert await page(server.port, old), "not before it is told"
        server.tell(signal.SIGHUP)
        async with asyncio.timeout(WAIT_S):
            while await is_believed(server.port, old):
                pass
        assert await page(server.port, renewed)
        assert isinstance(await client.place(1, 2, 3), Placed)

        make_pair(tmp_path, begins=-2 * DAY, ends=-DAY)
        server.tell(signal.SIGHUP)
        assert isinstance(await client.place(2, 2, 3), Placed)
        assert await page(server.port, renewed), "what serves is kept"
        server.tell(signal.SIGTERM)
        code, said = await server.ended()
        assert code == 0
        assert "the certificate was not renewed" in said
        assert "Renew it" in said


async def is_believed(port: int, context: ssl.SSLContext) -> bool:
    try:
        await page(port, context)
    except ClientConnectorCertificateError:
        return False
    return True


async def test_a_certificate_of_no_use_ends_the_start_with_its_remedy(tmp_path: Path) -> None:
    expired = make_pair(tmp_path, begins=-timedelta(days=9), ends=-timedelta(days=2))
    code, said = await ended_at_once(tmp_path / "data", *expired.flags)
    assert code == 2
    assert "certificate has expired" in said
    assert "Renew it" in said
    assert not (tmp_path / "data").exists()


# --- the operator's port -----------------------------------------------------


async def test_metrics_move_to_the_operators_port(tmp_path: Path, free_port: int) -> None:
    flags = ("--admin-listen", f"127.0.0.1:{free_port}")
    async with process(tmp_path / "data", *SIZE, *flags) as server:
        for path in ("healthz", "readyz"):
            assert (await ask(server.port, path)).status == 200
            assert (await ask(free_port, path)).status == 200
        assert (await ask(server.port, "metrics")).status == 404
        assert "tesserae_ready 1.0" in (await ask(free_port, "metrics")).text
        assert (await ask(free_port, "metrics", X_Forwarded_For="192.0.2.1")).status == 401
        for path in ("", "ws", "api/games"):
            nothing = await ask(free_port, path)
            assert (nothing.status, "but /healthz" in nothing.text) == (404, True)


async def test_it_is_open_before_the_board_is_recovered() -> None:
    async with serving(ready=False, held="journal.read", admin_listen="127.0.0.1:0") as room:
        assert room.parts.ports.admin is not None
        port = int(room.parts.ports.admin.address.rpartition(":")[2])
        assert (await ask_until(port, "readyz", 503)).status == 503
        assert "tesserae_ready 0.0" in (await ask(port, "metrics")).text
        room.faults.release("journal.read")
        await ask_until(port, "readyz", 200)


async def test_a_taken_operators_port_is_named_with_the_remedy(
    tmp_path: Path, taken_port: int
) -> None:
    flags = ("--admin-listen", f"127.0.0.1:{taken_port}")
    code, said = await ended_at_once(tmp_path / "data", *flags)
    assert code == 1
    assert f"port {taken_port}" in said
    assert "choose another --admin-listen" in said
