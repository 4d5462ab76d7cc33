"""`tesserae serve` as an operator meets it: what stops it, what it says, and how it ends."""

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from tests.support.crowd import FLAGS as CROWD_FLAGS
from tests.support.foreign import dialled
from tests.support.ledger import read_ledger
from tests.support.probe import ask, ask_until
from tests.support.processes import ServerProcess, process
from tests.support.witness import Witness

pytestmark = pytest.mark.integration

SIZE = ("--size", "16x16")
PLAYERS = 200


@pytest.fixture
def taken_port() -> Iterator[int]:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        yield other.getsockname()[1]


async def refused(data: Path, *flags: str, port: int = 0) -> tuple[int, str]:
    """Start what cannot start: its exit code and what it said."""
    server = ServerProcess(data, *SIZE, *flags)
    server.port = port
    await server.launch()
    code, said = await server.ended()
    assert "Traceback" not in said
    return code, said


async def test_a_port_in_use_is_named_with_the_remedy(tmp_path: Path, taken_port: int) -> None:
    code, said = await refused(tmp_path / "data", port=taken_port)
    assert code == 1
    assert str(taken_port) in said
    assert "choose another --port" in said


@pytest.mark.parametrize("name", ["file", "file/below"])
async def test_a_data_directory_that_cannot_be_is_named_with_the_remedy(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    code, said = await refused(tmp_path / name)
    assert code == 2, "it is the configuration that names it"
    assert str(tmp_path / "file") in said
    assert "--data" in said
    assert "Give a" in said, "the remedy"
    assert (tmp_path / "file").read_text() == "in the way"


async def test_all_bad_settings_are_told_at_once(tmp_path: Path) -> None:
    flags = ("--max-backlog", "none", "--ping-ms", "5", "--origins", "not an origin")
    code, said = await refused(tmp_path / "data", *flags)
    assert code == 2
    for name in flags[::2]:
        assert name in said
    assert not (tmp_path / "data").exists()


async def test_it_is_alive_at_once_and_ready_once_it_takes_placements(tmp_path: Path) -> None:
    async with process(tmp_path / "data", *SIZE) as server:
        await server.kill()
        await server.launch()
        alive = await ask_until(server.port, "healthz", 200)
        assert "alive" in alive.text
        await ask_until(server.port, "readyz", 200)
        assert (await ask(server.port, "healthz")).text == '{"status":"alive","stage":"ready"}'
        assert "tesserae_ready 1.0" in (await ask(server.port, "metrics")).text
        assert (await ask(server.port, "metrics", X_Forwarded_For="192.0.2.1")).status == 401
        assert (await ask(server.port, "metrics", Authorization="Bearer guess")).status == 200
        await server.ready()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_it_cleanly(number: signal.Signals, tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", *SIZE)
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        server.tell(number)
        closing_event, code = await player.end()
    assert code == 1012
    assert closing_event is not None
    ended, said = await server.ended()
    assert ended == 0
    assert "Traceback" not in said


async def test_a_crowd_that_plays_through_a_restart_loses_nothing(tmp_path: Path) -> None:
    """SIGTERM under load: `going`, every answer durable, 1012, and all come back by themselves."""
    data, over = tmp_path / "data", asyncio.Event()
    async with process(data, *CROWD_FLAGS) as server, AsyncExitStack() as clients:
        crowd = [Witness(server.url, number, plays=True) for number in range(PLAYERS)]
        for witness in crowd:
            await clients.enter_async_context(witness.client)
        lives = [asyncio.create_task(witness.live(over)) for witness in crowd]
        await asyncio.gather(*(witness.client.ready() for witness in crowd))
        server.tell(signal.SIGTERM)
        code, said = await server.ended()
        assert (code, "Traceback" in said) == (0, False)
        stored = await read_ledger(data)
        assert [wrong for witness in crowd for wrong in stored.against(witness)] == []
        assert [w.name for w in crowd if "going" not in w.told] == []
        assert {witness.losses[0].code for witness in crowd} == {1012}
        delays = [witness.losses[0].retry_in_s for witness in crowd]
        assert min(delays) >= 1
        assert max(delays) - min(delays) > 2, "they would all come back at once"

        await server.start()
        over.set()
        await asyncio.gather(*lives)
        assert all(await asyncio.gather(*(witness.agrees() for witness in crowd)))
    ledger = await read_ledger(data)
    assert [wrong for witness in crowd for wrong in ledger.against(witness)] == []
    assert ledger.holes() + ledger.twice() + ledger.stored_though_refused(crowd) == []
    assert [complaint for witness in crowd for complaint in witness.complaints] == []
