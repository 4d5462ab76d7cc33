"""The kill test as figures: a crowd plays while SIGKILL ends its server twenty times."""

import asyncio
import shutil
import tempfile
from pathlib import Path

from bench.results import Result, Row
from tests.support.crowd import Account
from tests.support.ordeal import embedded_scene, ordeal

KILLS = 20
BOTS = 200
SPECTATORS = 20
SHOWN = 10


def run() -> Result:
    """Play, kill, audit; what is lost is told, and counted against a goal of nothing."""
    folder = Path(tempfile.mkdtemp(prefix="tesserae-bench-"))
    try:
        account = asyncio.run(
            ordeal(
                embedded_scene(folder / "data"),
                kills=KILLS,
                bots=BOTS,
                spectators=SPECTATORS,
                seed=2,
            )
        )
    finally:
        shutil.rmtree(folder)
    for complaint in account.complaints[:SHOWN]:
        print(f"  {complaint}")
    return Result("kill", _rows(account), f"{account.bots} bots, {account.spectators} spectators")


def _rows(account: Account) -> list[Row]:
    resumed = account.resumes.total()
    by_snapshot = 100 * account.resumes["snapshot"] / max(1, resumed)
    clients = account.bots + account.spectators
    return [
        Row("kills with SIGKILL under load", account.kills, ""),
        Row("of them while the server was starting", account.kills_while_starting, ""),
        Row("placements acknowledged over them", account.placed, ""),
        Row("pixels seen by clients over them", account.seen, ""),
        Row("placements unknown at a kill, each settled to one outcome", account.unknown, ""),
        Row("acknowledged or seen pixels lost, or other faults", len(account.complaints), "", 0),
        Row("resumes over a kill", resumed, ""),
        Row("of them by a snapshot", by_snapshot, "%", 5),
        Row("boards equal to the server's at the end", account.agreeing, "", clients, "higher"),
    ]
