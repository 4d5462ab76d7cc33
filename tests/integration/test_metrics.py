"""What /metrics says of a server that real clients use, read as Prometheus reads it."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from server.wire.codes import CloseCode
from tests.support.serving import Serving, serving
from tests.support.sockets import until
from tests.support.wire import Pixels

pytestmark = pytest.mark.integration


async def samples(server: Serving) -> dict[str, float]:
    """Every number, by its name and the values of its labels."""
    text = (await server.get("metrics")).body.decode()
    return {
        " ".join((sample.name.removeprefix("tesserae_"), *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_a_placement_is_seen_in_every_number_that_it_touches() -> None:
    async with serving() as server, server.dial() as player, server.dial() as watcher:
        await player.play()
        await watcher.play()
        before = await samples(server)
        await player.put((1, 1, 1))
        await watcher.hear_until(lambda message: isinstance(message, Pixels))
        after = await samples(server)
    grown = {name for name, value in after.items() if value > before.get(name, 0)}
    assert grown >= {
        "placements_accepted_total",
        "messages_total placements",
        "received_bytes_total",
        "deliveries_total pixels",
        "sent_bytes_total ack",
        "fanout_lag_seconds_count",
        "publication_seconds_count",
        "store_seconds_count journal.commit",
        "snapshot_behind_events",
        "http_responses_total 200",
    }
    assert after["connections binary"] == 2
    assert after["uncommitted_placements"] == 0
    assert (after["ready"], after["lease_valid"]) == (1, 1)


async def test_who_leaves_and_who_is_sent_away_are_told_apart() -> None:
    async with serving(max_connections_per_address=1) as server:
        async with server.dial() as player:
            await player.play()
            async with server.dial() as other:
                assert (await other.end())[1] == CloseCode.TOO_MANY_CONNECTIONS
        await until(lambda: server.online == 0)
        told = await samples(server)
    assert (told["closed_total 4103"], told["closed_total client"]) == (1, 1)
    assert told["connections binary"] == 0
