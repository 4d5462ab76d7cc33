"""Readings: metrics whose numbers are kept elsewhere, and read when somebody asks for them.

Owns how they are shown, never what they are: each room adds its own, under the one prefix. The
values of a label are few and known to whoever adds it.
"""

from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

PREFIX = "tesserae_"
Numbers = Mapping[str, float]
"""By the value of the label."""
Family = CounterMetricFamily | GaugeMetricFamily


class Readings:
    """What one server shows of numbers that others keep; no two of one name (ValueError)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def count(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Add a counter; `read` gives what was counted so far."""
        family = CounterMetricFamily(PREFIX + name, text)
        self._add(family, lambda: CounterMetricFamily(PREFIX + name, text, value=read()))

    def count_each(self, name: str, text: str, label: str, read: Callable[[], Numbers]) -> None:
        """Add a counter for each value of a label."""

        def family() -> Family:
            return CounterMetricFamily(PREFIX + name, text, labels=[label])

        self._add(family(), lambda: _filled(family(), read()))

    def watch(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Add a gauge; `read` gives what it is now."""
        family = GaugeMetricFamily(PREFIX + name, text)
        self._add(family, lambda: GaugeMetricFamily(PREFIX + name, text, value=read()))

    def watch_each(self, name: str, text: str, label: str, read: Callable[[], Numbers]) -> None:
        """Add a gauge for each value of a label."""

        def family() -> Family:
            return GaugeMetricFamily(PREFIX + name, text, labels=[label])

        self._add(family(), lambda: _filled(family(), read()))

    def _add(self, empty: Family, read: Callable[[], Family]) -> None:
        self._registry.register(_Reading(empty, read))


class _Reading(Collector):
    def __init__(self, empty: Family, read: Callable[[], Family]) -> None:
        self._empty = empty
        self._read = read

    def describe(self) -> Iterator[Family]:
        """Name it, for the registry to hold against the names that it has."""
        yield self._empty

    def collect(self) -> Iterator[Family]:
        """Read it now."""
        yield self._read()


def _filled(family: Family, numbers: Numbers) -> Family:
    for value, number in numbers.items():
        family.add_metric([value], number)
    return family
