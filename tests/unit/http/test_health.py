"""Health, readiness, and who may read the metrics."""

from functools import partial
from ipaddress import ip_network

import pytest
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from canvas.refusals import Refused
from server.access.addresses import client_address
from server.http.health import MetricsGuard
from server.http.problems import Problem
from server.phase import Phase
from server.telemetry.metrics import Metrics
from tests.support.http import Site

TOKEN = "a-long-metrics-token"


async def test_alive_and_ready(site: Site) -> None:
    assert (await site.get("healthz")).json() == {"status": "alive", "stage": "ready"}
    assert (await site.get("readyz")).status == 200


async def test_alive_but_not_ready(site: Site) -> None:
    phase = site.world.phase
    vars(phase).update(vars(Phase()))
    assert (await site.get("healthz")).status == 200
    answer = await site.get("readyz")
    assert (answer.status, answer.json()["detail"]) == (503, phase.reason)
    phase.ready()
    phase.impaired("the disk is read-only; make it writable")
    assert (await site.get("readyz")).json()["detail"] == phase.reason
    told = (await site.get("readyz", X_Forwarded_For="203.0.113.5")).json()["detail"]
    assert "disk" not in told
    assert "log" in told
    phase.ready()
    phase.draining(7000)
    assert (await site.get("readyz")).headers["Retry-After"] == "7"


async def test_metrics_count_what_happened(site: Site) -> None:
    player = await site.place((0, 0, 1))
    await player.ask("place", game="place#main", x=99, y=0, color=1)
    text = (await site.get("metrics")).body.decode()
    assert "tesserae_placements_accepted_total 1.0" in text
    assert 'tesserae_placements_refused_total{code="out-of-bounds"} 1.0' in text
    assert all(f'code="{why.code}"' in text for why in Refused)
    assert 'tesserae_connections{codec="binary"} 1.0' in text
    assert 'tesserae_readers{pace="live"} 1.0' in text
    assert "tesserae_uncommitted_placements 0.0" in text
    assert "tesserae_ready 1.0" in text


async def test_metrics_count_responses_by_status(site: Site) -> None:
    await site.get("api/games")
    await site.get("api/games/place%23nowhere")
    text = (await site.get("metrics")).body.decode()
    assert 'tesserae_http_responses_total{status="200"} 1.0' in text
    assert 'tesserae_http_responses_total{status="404"} 1.0' in text


def test_calls_of_the_store_are_told_apart() -> None:
    metrics = Metrics()
    metrics.store_called("journal.commit", 0.003, 25)
    metrics.store_called("tables.get", 0.001, 0)
    metrics.flushed(0.002)
    metrics.snapshot_stored(0.5)
    text = metrics.text().decode()
    assert 'tesserae_store_seconds_count{operation="journal.commit"} 1.0' in text
    assert "tesserae_commit_items_sum 25.0" in text
    assert "tesserae_flush_seconds_count 1.0" in text
    assert "tesserae_snapshot_seconds_count 1.0" in text


def may_read(
    token: str | None = None, trusted: str | None = None, peer: str = "203.0.113.5", **headers: str
) -> bool:
    lines = [
        (name.replace("_", "-"), line)
        for name, value in headers.items()
        for line in value.split("\n")
    ]
    request = make_mocked_request("GET", "/metrics", headers=CIMultiDict(lines)).clone(remote=peer)
    networks = [ip_network(trusted)] if trusted else []
    guard = MetricsGuard(token, partial(client_address, trusted=networks))
    try:
        guard.check(request)
    except Problem:
        return False
    return True


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_this_machine_may_read_unless_it_speaks_for_another(peer: str) -> None:
    assert may_read(peer=peer)
    assert not may_read(peer=peer, X_Forwarded_For="203.0.113.5")
    assert not may_read(peer=peer, Forwarded="for=203.0.113.5")
    assert not may_read(peer=peer, X_Real_IP="203.0.113.5")
    assert not may_read(peer=peer, Via="1.1 proxy")


def test_behind_a_trusted_proxy_the_client_counts() -> None:
    behind = partial(may_read, trusted="127.0.0.0/8", peer="127.0.0.1")
    assert not behind(X_Forwarded_For="203.0.113.5")
    assert behind(X_Forwarded_For="::1")


def test_a_header_of_the_client_before_that_of_the_proxy_opens_nothing() -> None:
    proxy = partial(may_read, trusted="10.0.0.0/8", peer="10.0.0.5")
    assert not proxy(X_Forwarded_For="127.0.0.1\n203.0.113.5")
    assert not proxy(X_Forwarded_For="127.0.0.1, 203.0.113.5")
    assert proxy(X_Forwarded_For="203.0.113.5\n127.0.0.1")


def test_others_need_the_token() -> None:
    assert not may_read()
    assert not may_read(Authorization=f"Bearer {TOKEN}")
    assert may_read(token=TOKEN, Authorization=f"Bearer {TOKEN}")
    assert not may_read(token=TOKEN, Authorization="Bearer wrong")
    assert not may_read(token=TOKEN, Authorization=f"Basic {TOKEN}")
    assert not may_read(peer="a.sock")
