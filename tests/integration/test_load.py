"""`tesserae bots load` against a real server: processes, goals, limits, and a server that goes."""

import asyncio
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.support.processes import SCRIPT
from tests.support.serving import Serving, serving
from tests.support.sockets import until

pytestmark = pytest.mark.integration

PATIENCE_S = 60
needs_children = pytest.mark.skipif(
    not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(),
    reason="the system does not tell a process's children",
)


async def started(
    server: Serving, *arguments: str, stderr: int = asyncio.subprocess.STDOUT
) -> asyncio.subprocess.Process:
    joins = () if "--scenario" in arguments else ("--joins-per-second", "1000")
    return await asyncio.create_subprocess_exec(
        str(SCRIPT), "bots", "load", "--url", server.url, *joins, *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=stderr,
    )  # fmt: skip


async def ended(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    """The exit code and all that was said; one that does not end is killed."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return process.returncode, said.decode()


async def played(server: Serving, *arguments: str) -> tuple[int | None, str]:
    return await ended(await started(server, *arguments))


def read(path: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(path.read_text())
    return report


async def test_two_processes_prove_that_everybody_was_told_of_everything(tmp_path: Path) -> None:
    files = ("--json", str(tmp_path / "r.json"), "--html", str(tmp_path / "r.html"))
    async with serving() as server:
        code, said = await played(
            server, "--spectators", "5,10", "--placers", "4", "--rate", "10", "--step-seconds", "2",
            "--processes", "2", "--prove", "14", "--server-pid", str(os.getpid()),
            "--goal-lost", "0", "--goal-refused", "0", "--goal-holes", "0", "--goal-cut", "0",
            "--goal-p99-ms", "60000", *files,
        )  # fmt: skip
        seq = server.head.seq
    assert code == 0, said
    assert "All goals were reached." in said
    report = read(tmp_path / "r.json")
    whole = report["whole"]
    assert (report["boards_proven"], report["processes"], report["behind"]) == (14, 2, 0)
    assert whole["accepted"] == whole["sent"] == seq > 20
    assert whole["delivered"] <= seq * 14
    assert sum(step["delivered"] for step in report["steps"]) > 0
    # Each process times its own placers' pixels to its own followers: half of all, about.
    assert 0 < whole["delivery_ms"]["count"] < whole["delivered"]
    assert whole["server_cpu"] is not None
    assert "<svg" in (tmp_path / "r.html").read_text()


async def test_a_goal_that_is_missed_is_said_and_is_the_exit_code() -> None:
    async with serving() as server:
        code, said = await played(
            server, "--placers", "2", "--rate", "5", "--step-seconds", "1", "--processes", "1",
            "--goal-p99-ms", "0", "--goal-refused", "0",
        )  # fmt: skip
    assert code == 1, said
    assert said.rstrip().endswith("Not reached: missed: --goal-p99-ms.")


async def test_refusals_are_counted_by_code_with_what_lifts_them() -> None:
    async with serving(cooldown_ms=60_000) as server:
        code, said = await played(
            server, "--placers", "3", "--rate", "5", "--step-seconds", "2", "--processes", "1",
            "--goal-refused", "0",
        )  # fmt: skip
    assert code == 1, said
    assert "cooldown of 60 s lets each place 0.0167 a second, not 5" in said
    assert "(start the server with --cooldown-ms 0, or leave --rate out)" in said
    assert "3 accepted" in said


async def test_without_a_rate_nobody_is_refused() -> None:
    async with serving(cooldown_ms=700) as server:
        code, said = await played(
            server, "--placers", "3", "--step-seconds", "2", "--processes", "1",
            "--goal-refused", "0",
        )  # fmt: skip
    assert code == 0, said


async def test_limits_of_an_address_are_named() -> None:
    async with serving(guests_per_address=2) as server:
        code, said = await played(
            server, "--placers", "4", "--step-seconds", "1", "--processes", "1", "--prove", "4"
        )
    assert code == 1, said
    assert "--guests-per-address 0" in said
    assert "2 of 4 equal the server's" in said


async def test_who_is_not_there_at_the_end_fails_the_run_though_it_proves_nothing() -> None:
    async with serving(guests_per_address=2) as server:
        code, said = await played(
            server, "--placers", "4", "--step-seconds", "1", "--processes", "1", "--prove", "0"
        )
    assert code == 1, said
    assert "Failed: 2 x not there at the end: guests-per-address" in said
    assert said.rstrip().endswith("Not reached: clients that failed: 2.")


async def test_a_board_that_differs_is_the_exit_code(tmp_path: Path) -> None:
    Image.new("RGB", (4, 3)).save(tmp_path / "black.png")
    async with serving() as server:
        process = await started(
            server, "--spectators", "1", "--placers", "2", "--rate", "20", "--step-seconds", "3",
            "--processes", "1", "--pattern", "picture", "--picture", str(tmp_path / "black.png"),
        )  # fmt: skip
        await until(lambda: server.head.seq > 20)
        board = server.game.replica.board
        board.set(9, 9, 3)  # nobody is told of it
        code, said = await ended(process)
    assert code == 1, said
    assert "0 of 3 equal the server's" in said
    assert "Failed: 3 x a board differs from the server's" in said


async def test_json_goes_to_standard_output_alone() -> None:
    async with serving() as server:
        process = await started(
            server, "--placers", "2", "--rate", "5", "--step-seconds", "1", "--processes", "1",
            "--json", "-", stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        code, said = await ended(process)
    assert code == 0, said
    assert json.loads(said)["succeeded"] is True


async def test_a_cut_is_counted_and_what_was_open_is_settled(tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    async with serving() as server:
        process = await started(
            server, "--placers", "3", "--rate", "20", "--step-seconds", "4", "--processes", "1",
            "--goal-lost", "0", "--goal-cut", "2", "--json", str(out),
        )  # fmt: skip
        await until(lambda: server.head.seq > 20)
        for connection in list(server.parts.listener.live):
            connection.abort()
        code, said = await ended(process)
    assert code == 1, said
    report = read(out)
    assert report["whole"]["cuts"] == 3
    assert report["whole"]["lost"] == 0
    assert report["whole"]["accepted"] == report["whole"]["sent"]
    assert report["boards_proven"] == 3
    assert "missed: --goal-cut." in said


async def test_a_server_that_goes_for_good_is_told(tmp_path: Path) -> None:
    async with serving() as server:
        process = await started(
            server, "--placers", "2", "--rate", "10", "--step-seconds", "2", "--processes", "1"
        )
        await until(lambda: server.head.seq > 3)
        await server.stopped()
        code, said = await ended(process)
    assert code == 1, said
    assert "nobody listens at" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_in_order_with_a_report(by: signal.Signals) -> None:
    async with serving() as server:
        process = await started(
            server, "--placers", "2", "--rate", "10", "--step-seconds", "600", "--processes", "2"
        )
        await until(lambda: server.head.seq > 3)
        process.send_signal(by)
        code, said = await ended(process)
    assert code == 0, said
    assert re.search(r"([12]) of \1 equal the server's", said)
    assert re.search(r"Doubtful: the run was ended after \d+ of 601 s", said)


def children(process: asyncio.subprocess.Process) -> list[int]:
    told = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return list(map(int, told.split()))


@needs_children
async def test_a_process_that_breaks_off_fails_the_run_and_the_other_plays_on() -> None:
    async with serving() as server:
        process = await started(
            server, "--placers", "4", "--rate", "10", "--step-seconds", "3", "--processes", "2"
        )
        await until(lambda: server.head.seq > 3)
        os.kill(children(process)[0], signal.SIGKILL)
        code, said = await ended(process)
    assert code == 1, said
    assert "Failed: 1 x a process of the load test broke off: exit code -9" in said
    assert "2 of 2 equal the server's" in said


@needs_children
async def test_a_run_ends_when_all_its_processes_are_gone() -> None:
    async with serving() as server:
        process = await started(
            server, "--placers", "2", "--rate", "10", "--step-seconds", "600", "--processes", "2"
        )
        await until(lambda: server.head.seq > 3)
        for child in children(process):
            os.kill(child, signal.SIGKILL)
        code, said = await ended(process)
    assert code == 1, said
    assert "Failed: 2 x a process of the load test broke off: exit code -9" in said
    assert "Traceback" not in said


async def test_a_picture_is_placed_over_and_over(tmp_path: Path) -> None:
    Image.new("RGB", (4, 3)).save(tmp_path / "black.png")
    async with serving() as server:
        code, said = await played(
            server, "--placers", "3", "--rate", "10", "--step-seconds", "2", "--processes", "2",
            "--pattern", "picture", "--picture", str(tmp_path / "black.png"), "--at", "5,2",
        )  # fmt: skip
        colors = server.game.replica.board.colors()
    assert code == 0, said
    assert (colors[2:5, 5:9] == 12).all()
    assert (colors == 12).sum() == 12


async def test_a_scenario_is_played(tmp_path: Path) -> None:
    scene = tmp_path / "scene.toml"
    scene.write_text(
        'seconds = 3\n[[group]]\nname = "crowd"\nway = "spectate"\ncount = 4\n'
        '[[group]]\nname = "rush"\nway = "hotspot"\ncount = 2\nrate = 10\nstart = 1\nstop = 2\n'
    )
    async with serving() as server:
        code, said = await played(server, "--scenario", str(scene), "--processes", "2")
        assert server.head.seq > 0
    assert code == 0, said
    assert "the whole scenario" in said
