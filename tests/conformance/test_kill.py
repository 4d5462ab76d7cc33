"""C12, C25, C69 on real processes: kill -9, the same port again, and whoever comes second."""

import asyncio
import re
from pathlib import Path

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.support.foreign import BINARY, GAME, JSON, Cell, dialled
from tests.support.homes import Home
from tests.support.processes import ServerProcess, process

SIZE = ("--size", "64x40")
COOLDOWN_MS = 300_000


async def test_c12_a_second_process_ends_with_3_and_names_the_holder(home: Home) -> None:
    async with process(home.data, *SIZE, *home.flags) as first:
        second = ServerProcess(home.data, *SIZE, *home.flags, *home.refusing)
        await second.launch()
        code, said = await second.ended()
        assert code == 3
        assert re.search(rf"\b(in use|held) by process {first.pid}\b", said), said
        assert home.remedy in said, "the remedy"
        async with dialled(first.url) as client:
            await client.play()
            assert (await client.put((1, 1, 1)))[0].status == 0


async def test_c25_after_a_kill_nobody_ever_sees_an_empty_board(tmp_path: Path) -> None:
    """Knock again and again from before the port is open until the board is served again."""
    cells = [(x, y, (x + y) % 15) for y in range(10) for x in range(64)]
    flags = (*SIZE, "--cooldown-ms", "0", "--snapshot-pixels", "200")
    async with process(tmp_path / "data", *flags) as server:
        async with dialled(server.url) as painter:
            await painter.play()
            seq = 0
            for start in range(0, len(cells), 64):
                acks = await painter.put(*cells[start : start + 64])
                seq = max(ack.seq for ack in acks)
            assert painter.follower.board is not None
            before = painter.follower.board.to_bytes()
            await server.kill()
        await server.launch()
        answers = await knock(server, before, seq)
        await server.ready()
    assert answers[-1] == "board"
    assert set(answers) <= {"closed port", "starting", "board"}


async def knock(server: ServerProcess, before: bytes, seq: int) -> list[str]:
    """Connect again and again; what each attempt met, up to the first board."""
    answers: list[str] = []
    async with asyncio.timeout(30):
        while "board" not in answers:
            answers.append(await one_knock(server, before, seq))
    return answers


async def one_knock(server: ServerProcess, before: bytes, seq: int) -> str:
    try:
        async with dialled(server.url) as client:
            await client.play()
    except (OSError, InvalidHandshake):
        return "closed port"
    except ConnectionClosed as closed:
        code = None if closed.rcvd is None else closed.rcvd.code
        return "starting" if code == 4101 else f"closed with {code}"
    assert client.follower.board is not None
    assert client.follower.board.to_bytes() == before
    assert client.follower.seq == seq
    return "board"


async def test_c69_sent_again_after_a_kill_it_is_one_pixel_with_the_same_answer(
    home: Home,
) -> None:
    flags = (*SIZE, "--cooldown-ms", str(COOLDOWN_MS), "--cooldown-stack", "3", *home.flags)
    cells: list[Cell] = [(3, 4, 5), (6, 7, 8)]
    async with process(home.data, *flags) as server:
        async with dialled(server.url) as client:
            await client.play()
            first = await client.put(*cells, request=4711)
            again = await client.put(*cells, request=4711)
            seqs = [ack.seq for ack in first]
            assert [ack.seq for ack in again] == seqs
            token = client.token
            await server.kill()
        await server.start()
        for codec in (BINARY, JSON):
            async with dialled(server.url, codec) as client:
                reply = await client.play(token=token)
                assert reply["you"]["lastAccepted"]["request"] == 4711
                assert reply["you"]["lastAccepted"]["seq"] == seqs[-1]
                if codec == BINARY:
                    acks = await client.put(*cells, request=4711)
                    assert [(ack.status, ack.seq, ack.record) for ack in acks] == [
                        (0, ack.seq, ack.record) for ack in first
                    ]
                else:
                    replied = await client.place(3, 4, 5, request=4711)
                    assert (replied["ok"], replied["seq"]) == (True, seqs[0])
                cooldown = (await client.ask("limits", game=GAME))["cooldown"]
                assert cooldown["stack"] == 1, "two of three were used, once"
                assert (await client.ask("checksum", game=GAME))["seq"] == seqs[-1]


async def test_c69_a_placement_that_was_never_answered_is_settled_after_a_kill(
    home: Home,
) -> None:
    """Killed right after the frame left: either it was committed, or it is placed now; once."""
    flags = (*SIZE, "--cooldown-ms", str(COOLDOWN_MS), *home.flags)
    async with process(home.data, *flags) as server:
        async with dialled(server.url) as client:
            await client.play()
            start = client.follower.seq
            token = client.token
            await client.say("place", game=GAME, x=3, y=4, color=5, request=99)
            await server.kill()
        await server.start()
        async with dialled(server.url) as client:
            await client.play(token=token)
            assert (await client.place(3, 4, 5, request=99))["seq"] == start + 1
            error = (await client.place(3, 4, 6, request=100))["error"]
            assert (error["code"], error["color"], error["seq"]) == ("cooldown", 5, start + 1)
