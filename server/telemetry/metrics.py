"""Metrics of one server, in Prometheus' terms.

Owns every name and label that `/metrics` shows but for those of readings, which other rooms add;
with readings.py the only importer of prometheus_client. Each instance has a registry of its own.
Counted by sessions, hub and journal; it decides nothing.
"""

from collections import Counter

from prometheus_client import (
    GC_COLLECTOR,
    PLATFORM_COLLECTOR,
    CollectorRegistry,
    Histogram,
    Info,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from canvas.refusals import Refused
from server.telemetry.readings import Numbers, Readings
from server.telemetry.traffic import Traffic

CONTENT_TYPE = CONTENT_TYPE_LATEST
COMMIT = "journal.commit"
_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_ITEMS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


class Metrics:
    """What is counted and timed, and readings that are taken when they are asked for.

    Plain numbers for whoever counts: a counter of the library locks, which costs as much as a
    whole placement.
    """

    def __init__(self) -> None:
        self.accepted = 0
        self.refused = dict.fromkeys(Refused, 0)
        self.failed: Counter[str] = Counter()
        """Commands over WebSocket that were not carried out, by code."""
        self.responses: Counter[int] = Counter({200: 0, 500: 0})
        """Over HTTP, by status; the first fault shall be an increase, too."""
        self.outages = 0
        self.faults = 0
        self.snapshot_failures = 0
        self.traffic = Traffic()
        self._registry = CollectorRegistry()
        self.readings = Readings(self._registry)
        self._show_process()
        self._count_requests(self.readings)
        self._count_traffic(self.readings, self.traffic)
        self._count_troubles(self.readings)
        self._time()

    def _show_process(self) -> None:
        ProcessCollector(registry=self._registry)
        for collector in (PLATFORM_COLLECTOR, GC_COLLECTOR):
            self._registry.register(collector)

    def _count_requests(self, readings: Readings) -> None:
        readings.count(
            "placements_accepted",
            "Placements that were committed, published and acknowledged.",
            lambda: self.accepted,
        )
        readings.count_each(
            "placements_refused",
            "Placements that were refused, by code.",
            "code",
            lambda: {why.code: count for why, count in self.refused.items()},
        )
        readings.count_each(
            "commands_failed",
            "Commands over WebSocket that were not carried out, by code; placements apart.",
            "code",
            lambda: self.failed,
        )
        readings.count_each(
            "http_responses",
            "Responses over HTTP, by status.",
            "status",
            lambda: {str(status): count for status, count in self.responses.items()},
        )

    def _count_traffic(self, readings: Readings, traffic: Traffic) -> None:
        def deliveries() -> Numbers:
            return {kind: flow.deliveries for kind, flow in traffic.flows().items()}

        def sent_bytes() -> Numbers:
            return {kind: flow.size_bytes for kind, flow in traffic.flows().items()}

        readings.count_each(
            "deliveries", "Times that something was handed to a connection.", "kind", deliveries
        )
        readings.count_each(
            "sent_bytes", "Bytes that were handed to connections.", "kind", sent_bytes
        )
        readings.count(
            "catch_ups_encoded",
            "Catch-ups that were made; all further ones of that kind were shared.",
            lambda: traffic.catch_ups_encoded,
        )
        readings.count(
            "snapshots_encoded",
            "Boards that were encoded for joiners; one serves any number of them.",
            lambda: traffic.snapshots_encoded,
        )
        readings.count(
            "snapshots_delivered",
            "Boards that were handed to a joiner, to the last band.",
            lambda: traffic.snapshots_delivered,
        )

    def _count_troubles(self, readings: Readings) -> None:
        readings.count(
            "store_outages",
            "Spells during which the store took no commit, each counted once.",
            lambda: self.outages,
        )
        readings.count(
            "snapshot_failures",
            "Snapshots that could not be stored.",
            lambda: self.snapshot_failures,
        )
        readings.count(
            "faults",
            "Exceptions that nobody expected; the log has each.",
            lambda: self.faults,
        )

    def _time(self) -> None:
        self._store_seconds = Histogram(
            "tesserae_store_seconds",
            "Time that a call of the store took, failed ones included, by port and method.",
            ("operation",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._commit_items = self._histogram("commit_items", "Events in a commit.", _ITEMS)
        self._flush_seconds = self._histogram(
            "flush_seconds", "Time that a flush to all watchers held the loop."
        )
        self._publication_seconds = self._histogram(
            "publication_seconds",
            "Time from the decision on the oldest event of a flush until it was published.",
        )
        self._fanout_lag_seconds = self._histogram(
            "fanout_lag_seconds",
            "Time from the first commit of a flush until the last reader in step was told.",
        )
        self._snapshot_seconds = self._histogram(
            "snapshot_seconds", "Time that a stored snapshot took."
        )
        self._loop_lag_seconds = self._histogram(
            "loop_lag_seconds", "How late the loop woke somebody who looks twenty times a second."
        )

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...] = _SECONDS) -> Histogram:
        return Histogram(f"tesserae_{name}", text, buckets=buckets, registry=self._registry)

    def tell_build(self, **what: str) -> None:
        """Show what runs here, as labels; once."""
        build = Info("tesserae_build", "What runs here.", registry=self._registry)
        build.info(what)

    def store_called(self, operation: str, seconds: float, items: int) -> None:
        """Note a call of the store (`port.method`), and how many items it wrote."""
        self._store_seconds.labels(operation).observe(seconds)
        if operation == COMMIT:
            self._commit_items.observe(items)

    def flushed(self, seconds: float) -> None:
        """Note what a flush cost the loop."""
        self._flush_seconds.observe(seconds)

    def published(self, seconds: float, lag: float) -> None:
        """Note a publication: what it took since its decision, and since its commit to all."""
        self._publication_seconds.observe(seconds)
        self._fanout_lag_seconds.observe(lag)

    def snapshot_stored(self, seconds: float) -> None:
        """Note a stored snapshot."""
        self._snapshot_seconds.observe(seconds)

    def loop_late(self, seconds: float) -> None:
        """Note how late the loop was."""
        self._loop_lag_seconds.observe(seconds)

    def text(self) -> bytes:
        """Render everything in Prometheus' text format (`CONTENT_TYPE`)."""
        return generate_latest(self._registry)
