"""What is counted shows up in the metrics, under names and labels that stay the same."""

import asyncio
from typing import Any

import pytest

from canvas.refusals import Refused
from persistence.errors import TransientFault
from server.operator_log import OperatorLog
from server.phase import Phase
from server.telemetry import probe
from server.telemetry.metrics import Metrics
from tests.support.serving import RecordingLog
from tests.support.world import GAME, running


def told(metrics: Metrics, sample: str) -> float:
    """Give the number of a sample, named with its labels as the text has them."""
    lines = dict(line.rsplit(" ", 1) for line in metrics.text().decode().splitlines())
    return float(lines[sample])


def test_each_server_counts_by_itself() -> None:
    one, other = Metrics(), Metrics()
    one.accepted += 2
    one.refused[Refused.BUSY] += 1
    assert told(one, "tesserae_placements_accepted_total") == 2
    assert told(one, 'tesserae_placements_refused_total{code="busy"}') == 1
    assert told(other, "tesserae_placements_accepted_total") == 0


def test_what_goes_out_is_told_by_kind_from_the_start() -> None:
    metrics = Metrics()
    metrics.traffic.pixels.add(200, 5_000)
    assert told(metrics, 'tesserae_deliveries_total{kind="pixels"}') == 5_000
    assert told(metrics, 'tesserae_sent_bytes_total{kind="pixels"}') == 1_000_000
    assert told(metrics, 'tesserae_deliveries_total{kind="snapshot"}') == 0


def test_a_reading_is_taken_when_it_is_asked_for() -> None:
    metrics, queue = Metrics(), [1]
    metrics.readings.watch("queue_items", "Items.", lambda: len(queue))
    metrics.readings.watch_each("shelf_items", "Items.", "shelf", lambda: {"top": len(queue)})
    queue.append(2)
    assert told(metrics, "tesserae_queue_items") == 2
    assert told(metrics, 'tesserae_shelf_items{shelf="top"}') == 2


def test_no_two_readings_have_one_name() -> None:
    metrics = Metrics()
    metrics.readings.watch("queue_items", "Items.", lambda: 0)
    with pytest.raises(ValueError, match="Duplicated"):
        metrics.readings.count("queue_items", "Items.", lambda: 0)


async def test_the_probe_notes_how_late_it_is_woken() -> None:
    now = 10.0
    late: list[float] = []

    def clock() -> float:
        return now

    probing = asyncio.create_task(probe.run(clock, late.append, every=0.0))
    await asyncio.sleep(0)
    now += 0.3
    for _ in range(3):
        await asyncio.sleep(0)
    probing.cancel()
    assert late[0] == pytest.approx(0.3)


def operators() -> OperatorLog:
    log: Any = RecordingLog()
    return OperatorLog(log, Phase(), Metrics())


def test_a_fault_is_counted_and_an_absent_store_is_none() -> None:
    log = operators()
    log.fault("testing", RuntimeError("unexpected"))
    log.fault("testing", TransientFault("away", "wait"))
    assert told(log.metrics, "tesserae_faults_total") == 1


async def test_an_outage_counts_once_however_long_it_is() -> None:
    log = operators()
    async with running() as world:
        log.hub_events().delayed(world.game, TransientFault("away", "wait"))
        log.hub_events().recovered(world.game)
    assert told(log.metrics, "tesserae_store_outages_total") == 1


async def test_who_is_here_is_counted_by_codec_and_who_is_told_by_kind() -> None:
    async with running() as world:
        client = world.join()
        await client.play()
        await client.ask("place", game=GAME, x=1, y=1, color=1)
        await client.ask("place", game=GAME, x=99, y=1, color=1)
        await client.ask("nonsense")
        await world.services.presence.flush()
        metrics = world.metrics
        flows = {kind: flow.deliveries for kind, flow in metrics.traffic.flows().items()}
        assert flows["ack"] == 2
        assert flows["reply"] == 2
        assert min(flows["pixels"], flows["snapshot"], flows["presence"], flows["event"]) >= 1
        assert told(metrics, 'tesserae_commands_failed_total{code="unknown-command"}') == 1


async def test_bytes_that_are_told_are_the_bytes_that_were_written() -> None:
    async with running() as world:
        client = world.join()
        await client.play()
        await client.ask("place", game=GAME, x=1, y=1, color=1)
        await client.ask("limits")
        sent_bytes = sum(flow.size_bytes for flow in world.metrics.traffic.flows().values())
        assert sent_bytes == client.connection.written_bytes


def test_a_snapshot_that_fails_is_counted() -> None:
    metrics = Metrics()
    metrics.snapshot_failures += 1
    metrics.loop_late(0.2)
    metrics.published(0.01, 0.02)
    assert told(metrics, "tesserae_snapshot_failures_total") == 1
    assert told(metrics, "tesserae_loop_lag_seconds_sum") == 0.2
    assert told(metrics, "tesserae_publication_seconds_sum") == 0.01
    assert told(metrics, "tesserae_fanout_lag_seconds_sum") == 0.02
