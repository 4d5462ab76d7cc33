"""The programs of the tutorial run as they are printed, against a server at its address."""

import sys
from asyncio import to_thread
from pathlib import Path

import pytest

from tests.support.serving import serving
from tests.support.tutorials import printed, said

pytestmark = pytest.mark.integration

PAGE = "docs/tutorial/first-bot.md"
PROGRAMS = printed(PAGE, "python")
URL = "http://127.0.0.1:8080/"


def run(program: str, url: str, folder: Path) -> str:
    """What a program says; it ends well and writes no warning."""
    assert URL in program
    return said([sys.executable, "-W", "error", "-c", program.replace(URL, url)], folder)


def test_the_first_one_has_ten_lines() -> None:
    assert len([line for line in PROGRAMS[0].splitlines() if line]) == 10


async def test_the_programs_do_what_the_page_says(tmp_path: Path) -> None:
    async with serving(size=(40, 30), cooldown_ms=20, origin_required=False) as server:

        async def run_number(number: int) -> str:
            page = f"http://127.0.0.1:{server.port}/"
            return await to_thread(run, PROGRAMS[number], page, tmp_path)

        ten_lines = (await run_number(0)).splitlines()
        assert [line.partition("(")[0] for line in ten_lines] == ["Placed"] * 20
        assert "40 x 30 cells, a pixel every 20 ms" in await run_number(1)
        before = server.head.seq
        await run_number(1)
        assert server.head.seq == before, "the second time it has nothing to do"
        assert await run_number(2) == await run_number(2), "the same guest"
        assert "(7999, 0): out-of-bounds" in await run_number(3)
        assert await run_number(4) == "my board is the server's: True\n"
        async with server.client(guest=False) as client:
            await client.ready()
            rows = client.board.colors[5:8, 10:30]
        assert rows.tolist() == [[0] * 20, [0] * 20, [4] * 20]
    assert len(PROGRAMS) == 5, "each program of the page is run"
