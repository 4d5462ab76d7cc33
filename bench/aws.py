"""The AWS store: what it costs against a server that answers at once, how fast peers take it.

Our side is measured against bench/null_aws.py, in a process of its own, so that what a peer costs
is not counted; waits are those of ministack and SeaweedFS (`make peers`), which are not AWS.
"""

import asyncio
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple
from unittest.mock import patch
from uuid import uuid4

from bench.gaps import gaps
from bench.recovery import FIRST_MS, pixel
from bench.results import Result, Row
from canvas.cooldown import CooldownRule
from canvas.geometry import Geometry
from canvas.growth import Lineage
from canvas.palette import DEFAULT
from canvas.settings import Settings
from persistence.aws.clients import AwsSettings, Clients, open_clients
from persistence.dynamodb.admin import create
from persistence.dynamodb.journal import COMMIT_INTERVAL, DynamoJournal
from persistence.dynamodb.names import TableNames
from persistence.dynamodb.query import Bulk
from persistence.dynamodb.tables import DynamoTables
from persistence.dynamodb.writer import Writer
from persistence.ports import Item, Journal, Step, Store
from persistence.s3.blobs import S3Blobs
from server.collector import building_what_stays
from server.config import Settings as Configuration
from server.game.committer import Committer, CommitterEvents, Decided
from server.game.config import GameConfig
from server.game.names import DEFAULT_GAME
from server.game.partitions import Partitions
from server.hub.pacer import Pacer
from server.loop import choose_loop, run_on
from server.recovery.reader import RecoveryEvents, RecoveryReader, blank_board
from tests.support.memory_store import MemoryLease
from tests.support.ministack import running_ministack
from tests.support.peers import CREDENTIALS
from tests.support.seaweedfs import running_seaweedfs

RATE = 1000
"""Placements a second."""
SECONDS = 10.0
TURN = 0.005
ITEMS = 200_000
CANVAS_BYTES = 8000 * 8000 // 2
PUTS = 5
NAMES = TableNames("bench", "aws")
BUCKET = "bench"
TICKS = Configuration()
"""The server's own: a commit gathers what the next flush could show."""
REGION = "eu-central-1"


class _Committed(NamedTuple):
    """What a steady stream of placements cost."""

    cpu_percent: float
    gaps_ms: list[float]
    waits_ms: list[float]


class _Places(NamedTuple):
    """Where is asked."""

    null: AwsSettings
    peers: AwsSettings


def run() -> Result:
    """Measure writing, recovering and snapshots."""
    rows: list[Row] = []

    async def measured(places: _Places) -> int:
        with building_what_stays():  # as the server does
            rows.extend(await _recovery(places.null))
        rows.extend(await _commits(places))
        rows.extend(await _snapshots(places))
        return 0

    with _places() as places:
        run_on(choose_loop(), measured(places))
    note = (
        f"{SECONDS:.0f} s of commits by the committer, nobody watching; waits are those of"
        " ministack and SeaweedFS on the same cores, all else against a server that answers at once"
    )
    return Result("aws", rows, note)


# --- writing -----------------------------------------------------------------


async def _commits(places: _Places) -> list[Row]:
    nothing = await _steady(_NoJournal())
    async with _store(places.null) as store:
        await _steady(store.journal, seconds=1)
        ours = await _steady(store.journal)
    async with _store(places.peers) as store:
        waits = (await _steady(store.journal)).waits_ms
    what = f"{RATE:,} px/s"
    return [
        Row(f"{what}: CPU of the adapter", ours.cpu_percent - nothing.cpu_percent, "%", 10),
        Row(f"{what}: the loop's longest stall", max(ours.gaps_ms), "ms", 20),
        Row(f"{what}: the longest without a store", max(nothing.gaps_ms), "ms"),
        Row(f"{what}: a stall, p99", _p99(ours.gaps_ms), "ms"),
        Row(f"{what}: to the commit at once, p50", _p50(ours.waits_ms), "ms"),
        Row(f"{what}: to the commit by ministack, p50", _p50(waits), "ms"),
        Row(f"{what}: to the commit by ministack, p99", _p99(waits), "ms"),
    ]


async def _steady(journal: Journal, seconds: float = SECONDS) -> _Committed:
    """Let placements come, one after the other, and wait until all are committed."""
    came: dict[int, float] = {}
    waits: list[float] = []
    pacer = Pacer(TICKS.tick_min_ms / 1000, TICKS.tick_max_ms / 1000)

    def spare(took: float) -> float:
        return pacer.delay(time.perf_counter()) - took

    def committed(batch: Sequence[Decided]) -> None:
        now = time.perf_counter()
        pacer.flushed(now, now, 0.0)
        waits.extend(1e3 * (now - came.pop(decided.event.seq)) for decided in batch)

    listener = CommitterEvents(committed, spare, _fail, lambda: None, _fail)
    partitions = Partitions.of(DEFAULT_GAME, 1)
    committer = Committer(journal, partitions, 1, listener, interval=COMMIT_INTERVAL)
    chance, seq = random.Random(7), 0
    began, cpu = time.perf_counter(), time.process_time()
    async with asyncio.TaskGroup() as group, gaps() as seen:
        group.create_task(committer.run())
        while (elapsed := time.perf_counter() - began) < seconds:
            while seq < RATE * elapsed:
                seq += 1
                came[seq] = time.perf_counter()
                committer.add(Decided(pixel(seq, chance)))
            await asyncio.sleep(TURN)
        committer.stop()
    cpu = time.process_time() - cpu
    return _Committed(100 * cpu / (time.perf_counter() - began), seen, waits)


def _fail(fault: Exception) -> None:
    raise fault


class _NoJournal(DynamoJournal):
    """Takes commits and does nothing."""

    def __init__(self) -> None: ...

    async def commit(self, items: Sequence[Item], writes: Sequence[Step] = ()) -> None: ...


# --- reading -----------------------------------------------------------------


async def _recovery(place: AwsSettings) -> list[Row]:
    settings = Settings(DEFAULT, CooldownRule(0))
    lineage = Lineage([Geometry(960, 540)])
    config = GameConfig(DEFAULT_GAME, "e", 1, lineage, settings, ("HISTORY",))
    async with _store(place) as store:
        reader = RecoveryReader(store, RecoveryEvents(lambda *_: None, _fail), ring_events=100_000)
        await store.journal.count(config.partitions)  # a client's first call takes 50 ms more
        began, cpu = time.perf_counter(), time.process_time()
        async with gaps() as seen:
            outcome = await reader.replay(config, blank_board(config))
        assert outcome.replica.seq == ITEMS
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    return [
        Row("recovery: items", ITEMS / seconds, "/s"),
        Row("recovery: CPU each item", 1e6 * cpu / ITEMS, "µs"),
        Row("recovery: the loop's longest stall", max(seen), "ms", 20),
        Row("recovery: a stall, p99", _p99(seen), "ms"),
    ]


# --- snapshots ---------------------------------------------------------------


async def _snapshots(places: _Places) -> list[Row]:
    board = random.Random(7).randbytes(CANVAS_BYTES)
    async with _store(places.null) as store, gaps() as seen:
        for _ in range(PUTS):
            await store.blobs.put("canvas/canvas.bin", board, {"seq": "1"})
    async with _store(places.peers) as store:
        began = time.perf_counter()
        await store.blobs.put("canvas/canvas.bin", board, {"seq": "1"})
        put, began = time.perf_counter() - began, time.perf_counter()
        async with gaps() as seen_reading:
            blob = await store.blobs.get("canvas/canvas.bin")
        assert blob is not None
        assert blob.data == board
        got = time.perf_counter() - began
    return [
        Row("snapshot of 8000 x 8000: the loop's longest stall", max(seen), "ms", 20),
        Row("snapshot of 8000 x 8000: put to SeaweedFS", put, "s"),
        Row("snapshot of 8000 x 8000: got back", got, "s"),
        Row("snapshot of 8000 x 8000: longest stall when got", max(seen_reading), "ms", 20),
    ]


# --- places ------------------------------------------------------------------


@asynccontextmanager
async def _store(place: AwsSettings) -> AsyncIterator[Store]:
    async with open_clients(place) as clients:
        yield _ports(clients)


def _ports(clients: Clients) -> Store:
    bulk = Bulk(clients.bulk, clients.bulk_dynamodb)
    writer = Writer(clients.dynamodb, NAMES, wall_ms=_wall_ms, new_token=lambda: str(uuid4()))
    return Store(
        DynamoTables(clients.dynamodb, bulk, NAMES, writer, _wall_ms),
        DynamoJournal(clients.dynamodb, bulk, NAMES, writer),
        S3Blobs(clients.bulk, clients.bulk_s3, BUCKET),
        MemoryLease([0, 0, ""]),
        ordered=False,
    )


def _wall_ms() -> int:
    return FIRST_MS


@contextmanager
def _places() -> Iterator[_Places]:
    with ExitStack() as stack:
        stack.enter_context(patch.dict("os.environ", CREDENTIALS))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tesserae-bench-")))
        ours, theirs = folder / "ministack", folder / "seaweedfs"
        ours.mkdir()
        theirs.mkdir()
        null = stack.enter_context(_null_aws())
        dynamodb = stack.enter_context(running_ministack(ours))
        peers = AwsSettings(REGION, dynamodb, stack.enter_context(running_seaweedfs(theirs)))
        asyncio.run(_made(peers))
        yield _Places(AwsSettings(REGION, null, null), peers)


async def _made(peers: AwsSettings) -> None:
    """Make the tables and the bucket."""
    async with open_clients(peers) as clients:
        await create(clients.dynamodb, NAMES)
        where = {"LocationConstraint": REGION}
        await clients.bulk.run(
            clients.bulk_s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=where)
        )


@contextmanager
def _null_aws() -> Iterator[str]:
    command = [sys.executable, "-m", "bench.null_aws", str(ITEMS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def _p50(values: list[float]) -> float:
    return quantiles(values, n=100)[49]


def _p99(values: list[float]) -> float:
    return quantiles(values, n=100)[98]
