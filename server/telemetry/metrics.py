"""Metrics of one server, in Prometheus' terms.

Owns every name and label that `/metrics` shows; the only importer of prometheus_client. Each
instance has a registry of its own. Counted by sessions, hub and journal; it decides nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from canvas.refusals import Refused
from server.telemetry.traffic import Traffic

CONTENT_TYPE = CONTENT_TYPE_LATEST
COMMIT = "journal.commit"
_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_ITEMS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


class Metrics:
    """Counters, and gauges that are read when they are asked for.

    `accepted`, `refused` and `responses` are plain numbers for whoever counts: a counter of the
    library locks, which costs as much as a whole placement.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.accepted = 0
        self.refused = dict.fromkeys(Refused, 0)
        self.responses: Counter[int] = Counter()
        """Over HTTP, by status."""
        self.traffic = Traffic()
        self._registry.register(_Counts(self))
        self._store_seconds = Histogram(
            "tesserae_store_seconds",
            "Time that a call of the store took, failed ones included, by port and method.",
            ("operation",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._commit_items = self._histogram("commit_items", "Events in a commit.", _ITEMS)
        self._flush_seconds = self._histogram(
            "flush_seconds", "Time that a flush to all watchers took.", _SECONDS
        )
        self._publication_seconds = self._histogram(
            "publication_seconds",
            "Time from the decision on the oldest event of a flush until it was published.",
            _SECONDS,
        )
        self._fanout_lag_seconds = self._histogram(
            "fanout_lag_seconds",
            "Time from the first commit of a flush until the last reader in step was told.",
            _SECONDS,
        )
        self._snapshot_seconds = self._histogram(
            "snapshot_seconds", "Time that a stored snapshot took.", _SECONDS
        )

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(f"tesserae_{name}", text, buckets=buckets, registry=self._registry)

    def watch(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Add a gauge that calls `read` whenever metrics are asked for."""
        Gauge(f"tesserae_{name}", text, registry=self._registry).set_function(read)

    def watch_each(
        self, name: str, text: str, label: str, read: Callable[[], Mapping[str, float]]
    ) -> None:
        """Add a gauge with a value for each value of one label, which are few."""
        self._registry.register(_Each(f"tesserae_{name}", text, label, read))

    def store_called(self, operation: str, seconds: float, items: int) -> None:
        """Note a call of the store (`port.method`), and how many items it wrote."""
        self._store_seconds.labels(operation).observe(seconds)
        if operation == COMMIT:
            self._commit_items.observe(items)

    def flushed(self, seconds: float) -> None:
        """Note a flush."""
        self._flush_seconds.observe(seconds)

    def published(self, seconds: float, lag: float) -> None:
        """Note a publication: what it took since its decision, and since its commit to all."""
        self._publication_seconds.observe(seconds)
        self._fanout_lag_seconds.observe(lag)

    def snapshot_stored(self, seconds: float) -> None:
        """Note a stored snapshot."""
        self._snapshot_seconds.observe(seconds)

    def text(self) -> bytes:
        """Render everything in Prometheus' text format (`CONTENT_TYPE`)."""
        return generate_latest(self._registry)


class _Each(Collector):
    """Shows one number for each value of a label."""

    def __init__(
        self, name: str, text: str, label: str, read: Callable[[], Mapping[str, float]]
    ) -> None:
        self._name = name
        self._text = text
        self._label = label
        self._read = read

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Read them now."""
        family = GaugeMetricFamily(self._name, self._text, labels=[self._label])
        for value, number in self._read().items():
            family.add_metric([value], number)
        yield family


class _Counts(Collector):
    """Shows the plain counts."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Give what was counted so far."""
        yield CounterMetricFamily(
            "tesserae_placements_accepted",
            "Placements that were committed, published and acknowledged.",
            value=self._metrics.accepted,
        )
        refused = CounterMetricFamily(
            "tesserae_placements_refused", "Placements that were refused, by code.", labels=["code"]
        )
        for why, count in self._metrics.refused.items():
            refused.add_metric([why.code], count)
        yield refused
        responses = CounterMetricFamily(
            "tesserae_http_responses", "Responses over HTTP, by status.", labels=["status"]
        )
        for status, count in self._metrics.responses.items():
            responses.add_metric([str(status)], count)
        yield responses
        yield from _traffic(self._metrics.traffic)


def _traffic(traffic: Traffic) -> Iterator[CounterMetricFamily]:
    deliveries = CounterMetricFamily(
        "tesserae_deliveries", "Times that something was handed to a connection.", labels=["kind"]
    )
    sent_bytes = CounterMetricFamily(
        "tesserae_sent_bytes", "Bytes that were handed to connections.", labels=["kind"]
    )
    for kind, flow in traffic.flows().items():
        deliveries.add_metric([kind], flow.deliveries)
        sent_bytes.add_metric([kind], flow.size_bytes)
    yield deliveries
    yield sent_bytes
    yield CounterMetricFamily(
        "tesserae_catch_ups_encoded",
        "Catch-ups that were made; all further ones of that kind were shared.",
        value=traffic.catch_ups_encoded,
    )
    yield CounterMetricFamily(
        "tesserae_snapshots_encoded",
        "Boards that were encoded for joiners; one serves any number of them.",
        value=traffic.snapshots_encoded,
    )
