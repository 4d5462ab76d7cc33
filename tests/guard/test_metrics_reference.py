"""The reference of the metrics names each one that a server shows, with its type and its words."""

from collections.abc import Iterator
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from server.config import Settings
from server.entrances import entrances
from server.transport.settings import TransportSettings
from tests.support.certificates import make_pair
from tests.support.source import read
from tests.support.world import COMMIT, running

PAGE = read("docs/reference/metrics.md")
OF_BUCKETS = {"le"}


def rows(text: str) -> Iterator[str]:
    """A row of the page's table for each metric; the library's own `_created` are told below it."""
    for family in text_string_to_metric_families(text):
        if family.name.endswith("_created"):
            continue
        name = family.name + "_total" * (family.type == "counter")
        labels = {label for sample in family.samples for label in sample.labels} - OF_BUCKETS
        told = "".join(f" `{label}`" for label in sorted(labels))
        yield f"| `{name}` | {family.type} |{told} | {family.documentation} |"


async def test_every_metric_has_its_row_and_no_other_has(tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    settings = Settings(tls_cert=pair.cert, tls_key=pair.key)
    async with running() as world:
        entrances(settings, TransportSettings(), world.services)
        metrics = world.services.metrics
        metrics.store_called(COMMIT, 0.1, 1)
        metrics.responses[200] += 1
        shown = sorted(rows(metrics.text().decode()))
    assert sorted(line for line in PAGE.splitlines() if line.startswith("| `")) == shown
