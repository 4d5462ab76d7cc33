"""The JavaScript programs of the tutorial run in Node as they are printed, at a real server."""

from asyncio import to_thread
from pathlib import Path

import pytest

from tests.support.node import node_command
from tests.support.serving import serving
from tests.support.source import ROOT
from tests.support.tutorials import printed, said

pytestmark = pytest.mark.integration

PAGE = "docs/tutorial/first-bot-javascript.md"
PROGRAMS = printed(PAGE, "js")
ADDRESS = "http://127.0.0.1:8080/"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like the top of the checkout to a program in it."""
    (tmp_path / "server").symlink_to(ROOT / "server")
    return tmp_path


def run(program: str, port: int, folder: Path) -> str:
    """What a program says; it ends by itself and complains of nothing."""
    assert ADDRESS in program
    (folder / "bot.mjs").write_text(program.replace(ADDRESS, f"http://127.0.0.1:{port}/"))
    return said([*node_command(), "bot.mjs"], folder)


def test_the_first_one_has_ten_lines() -> None:
    assert len(PROGRAMS[0].splitlines()) == 10


async def test_the_programs_do_what_the_page_says(checkout: Path) -> None:
    async with serving(size=(40, 30), cooldown_ms=20, origin_required=False) as server:

        async def run_number(number: int) -> str:
            return await to_thread(run, PROGRAMS[number], server.port, checkout)

        assert (await run_number(0)).count("ok: true") == 20
        assert "40 x 30 cells, a pixel every 20 ms" in await run_number(1)
        before = server.head.seq
        await run_number(1)
        assert server.head.seq == before, "the second time it has nothing to do"
        assert "(7999, 0): out-of-bounds" in await run_number(2)
        first, second = await run_number(3), await run_number(3)
        assert first == second, "the same guest"
        assert "my board is the server's: true" in first
        async with server.client(guest=False) as client:
            await client.ready()
            rows = client.board.colors[5:8, 10:30]
        assert rows.tolist() == [[0] * 20, [0] * 20, [4] * 20]
    assert len(PROGRAMS) == 4, "each program of the page is run"
