"""One writer, whatever becomes of it: races at the start, takeovers, and what comes too late.

A writer that was frozen, or cut off, past its lease acknowledges nothing more and ends; what it
had sent and arrives after another took over is nothing to any reader.
"""

import asyncio
import signal
from pathlib import Path

import orjson
import pytest

from server.game.history import partition_of
from server.game.names import DEFAULT_GAME
from tests.support.aws import REGION, AwsStage
from tests.support.aws_proxy import Held, proxying
from tests.support.crowd import FLAGS, Crowd, gathered
from tests.support.foreign import GAME, Foreign, dialled, place_frame
from tests.support.ledger import ledger_of
from tests.support.probe import ask
from tests.support.processes import ServerProcess, tesserae
from tests.support.relay import Relay, relaying
from tests.support.wire import Ack

pytestmark = [pytest.mark.chaos, pytest.mark.xdist_group("takeover")]

SIZE = ("--size", "16x16", "--cooldown-ms", "0")
BOTS, SPECTATORS = 30, 6
STORE_EXIT = 3
RESTART = 1012


async def test_of_those_that_start_at_once_one_serves_and_the_others_name_it(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    flags = (*SIZE, *aws_stage.flags(lease="fail"))
    servers = [ServerProcess(tmp_path, *flags) for _ in range(3)]
    await asyncio.gather(*(server.launch() for server in servers))
    ready = [server.ready() for server in servers]
    told = await asyncio.gather(*ready, return_exceptions=True)
    (winner,) = [server for server, fault in zip(servers, told, strict=True) if fault is None]
    refusals = [str(fault) for fault in told if fault is not None]
    for said in refusals:
        assert f"ended with {STORE_EXIT}" in said
        assert f"process {winner.pid} on " in said
        assert "--lease wait" in said
    assert await winner.stop() == 0


async def frozen(first: ServerProcess) -> None:
    first.tell(signal.SIGSTOP)


async def killed(first: ServerProcess) -> None:
    await first.kill()


GOING = {"frozen": frozen, "killed": killed}


@pytest.mark.parametrize("how", GOING)
async def test_clients_go_on_with_the_next_server_where_they_were(
    how: str, aws_stage: AwsStage, tmp_path: Path
) -> None:
    flags = (*FLAGS, *aws_stage.flags())
    first, second = ServerProcess(tmp_path, *flags), ServerProcess(tmp_path, *flags)
    await first.start()
    await second.launch()
    async with (
        relaying(first.port) as balancer,
        gathered(balancer.url, BOTS, SPECTATORS) as crowd,
    ):
        await crowd.play_during(_taken_over(how, first, second, balancer, crowd))
        await crowd.converge(second.port)
    assert await second.stop() == 0
    async with aws_stage.reading() as store:
        account = crowd.audit(await ledger_of(store))
    assert account.complaints == []
    assert account.agreeing == BOTS + SPECTATORS
    assert account.resumes.total() >= BOTS + SPECTATORS
    assert account.resumes["snapshot"] == 0, "the ring is read back, and reaches to all of them"


async def _taken_over(
    how: str, first: ServerProcess, second: ServerProcess, balancer: Relay, crowd: Crowd
) -> None:
    crowd.account.takings = 2
    await crowd.progress(BOTS)
    await GOING[how](first)
    await second.ready()
    balancer.lead_to(second.port)
    balancer.cut()
    await crowd.progress(BOTS)
    if how == "frozen":
        await _thawed(first)
        await crowd.progress(BOTS)


async def _thawed(first: ServerProcess) -> None:
    """Let it go on: it takes what had come to it before it looks at its lease, to no effect."""
    first.tell(signal.SIGCONT)
    code, said = await first.ended()
    assert code == STORE_EXIT
    assert "was taken over by process" in said
    assert "tesserae lease show" in said


async def test_a_thawed_writer_acknowledges_nothing_and_sends_its_clients_on(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    flags = (*SIZE, *aws_stage.flags())
    first, second = ServerProcess(tmp_path, *flags), ServerProcess(tmp_path, *flags)
    await first.start()
    await second.launch()
    async with dialled(first.url) as player:
        await player.play()
        await player.put((1, 1, 5))
        first.tell(signal.SIGSTOP)
        await player.socket.send(place_frame((2, 2, 6), request=99))
        await second.ready()
        await _thawed_beside(first, player)
    async with dialled(second.url) as again:
        await again.play(token=player.token)
        (ack,) = await again.put((2, 2, 6), request=99)
        assert (ack.status, ack.seq) == (0, 2)
    assert await second.stop() == 0


async def _thawed_beside(first: ServerProcess, player: Foreign) -> None:
    heard = len(player.heard)
    first.tell(signal.SIGCONT)
    _, code = await player.end()
    assert code == RESTART
    assert not [one for one in player.heard[heard:] if isinstance(one, Ack)]
    assert player.follower.seq == 1
    assert (await first.ended())[0] == STORE_EXIT


async def test_what_a_superseded_writer_sent_and_comes_late_is_nothing_to_any_reader(
    aws_stage: AwsStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_REGION", REGION)  # to an export --region is a part of a board
    second = ServerProcess(tmp_path, *SIZE, *aws_stage.flags())
    async with proxying(aws_stage.peers.dynamodb_url) as proxy:
        cut_off = aws_stage.through(dynamodb_url=proxy.url)
        first = ServerProcess(tmp_path, *SIZE, *cut_off.flags())
        await first.start()
        await second.launch()
        async with dialled(first.url) as player:
            await player.play()
            await player.put((1, 1, 5))
            batches, renewals = Held(), Held()
            proxy.acts["BatchWriteItem"] = batches
            await player.socket.send(place_frame((2, 2, 6)))
            await batches.came()
            proxy.acts["UpdateItem"] = renewals
            await second.ready()
            async with dialled(second.url) as other:
                await other.play()
                assert (await other.put((3, 3, 7)))[0].seq == 2
            await batches.let_go()
            await renewals.let_go()
            assert (await player.end())[1] == RESTART
            assert player.follower.seq == 1
        assert (await first.ended())[0] == STORE_EXIT
    await _late_row_is_stored(aws_stage)
    await _nobody_sees_it(aws_stage, second, tmp_path)
    assert await second.stop() == 0
    await second.start()
    await _nobody_sees_it(aws_stage, second, tmp_path)
    assert await second.stop() == 0


async def _late_row_is_stored(stage: AwsStage) -> None:
    async with stage.reading() as store:
        pages = store.journal.read([partition_of(DEFAULT_GAME)])
        rows = [(row["seq"], row["fence"]) async for page in pages for row in page]
    assert sorted(rows) == [(1, 1), (2, 1), (2, 2)]


async def _nobody_sees_it(stage: AwsStage, server: ServerProcess, directory: Path) -> None:
    told = await ask(server.port, "api/games/place%23main/history")
    entries = orjson.loads(told.text)["entries"]
    assert [(entry["seq"], entry["x"]) for entry in entries] == [(2, 3), (1, 1)]
    async with dialled(server.url) as late:
        await late.play(guest=False)
        assert late.follower.seq == 2
        assert await late.in_step_by_checksum()
        pixel = await late.ask("pixel", game=GAME, x=2, y=2)
        assert (pixel["color"], "by" in pixel) == (15, False)
    exported, flags = directory / "history.csv", stage.flags(lease_time=None, region=None)
    to_file = ("-o", str(exported), "--force")
    export, check = await asyncio.gather(
        tesserae("history", "export", *flags, *to_file), tesserae("store", "check", *flags)
    )
    assert (export[0], check[0]) == (0, 0), (export, check)
    rows = exported.read_text().splitlines()
    assert len(rows) == len(["the head", "the first", "the second"]), rows
