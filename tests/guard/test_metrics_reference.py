"""The reference of the metrics names each one that a server shows, with its type and its words."""

from collections.abc import Iterator
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from server.telemetry.metrics import Metrics
from tests.support.certificates import make_pair
from tests.support.serving import composed
from tests.support.source import read
from tests.support.world import COMMIT

PAGE = read("docs/reference/metrics.md")
OF_BUCKETS = {"le"}
OF_THE_SYSTEM = ("| `process_", "| `python_")
"""Shown where the library can read them: not on every system."""


async def composed_metrics(folder: Path) -> Metrics:
    """Give the metrics of a server that shows all that there is, before it runs."""
    pair = make_pair(folder)
    lifecycle, _ = composed(tls_cert=pair.cert, tls_key=pair.key)
    metrics = lifecycle._parts.services.metrics
    metrics.store_called(COMMIT, 0.1, 1)
    metrics.responses[200] += 1
    metrics.failed["rate"] += 1
    return metrics


def rows(metrics: Metrics) -> Iterator[str]:
    """A row of the page's tables for each; the library's own `_created` are told below them."""
    for family in text_string_to_metric_families(metrics.text().decode()):
        if family.name.endswith("_created"):
            continue
        name = family.name + "_total" * (family.type == "counter")
        labels = {label for sample in family.samples for label in sample.labels} - OF_BUCKETS
        told = "".join(f" `{label}`" for label in sorted(labels))
        yield f"| `{name}` | {family.type} |{told} | {family.documentation} |"


async def test_every_metric_has_its_row_and_no_other_has(tmp_path: Path) -> None:
    shown = set(rows(await composed_metrics(tmp_path)))
    told = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(told) == len(set(told))
    assert shown <= set(told)
    assert [row for row in told if row not in shown and not row.startswith(OF_THE_SYSTEM)] == []
