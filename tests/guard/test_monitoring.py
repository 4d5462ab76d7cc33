"""Alerts and dashboard ask for metrics that exist; each alert has its section in the runbook."""

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.guard.test_docs import HEADING, anchor
from tests.guard.test_metrics_reference import composed_metrics
from tests.support.source import ROOT, read

RULES = read("deploy/prometheus/alerts.yaml")
RUNBOOK = read("docs/how-to/runbook.md")
DASHBOARD = json.loads(read("deploy/grafana/tesserae.json"))
RULE = re.compile(
    r"^      - alert: (\w+)\n(.*?)(?=^      - alert: |^  - name: |\Z)", re.MULTILINE | re.DOTALL
)
EXPR = re.compile(r"^        expr: (?:>-\n((?:          .*\n)+)|(.+)\n)", re.MULTILINE)
SELECTOR = re.compile(r"\b((?:tesserae|process|python)_[a-z_]+|up\b)(?:{([^}]*)})?")
MATCHER = re.compile(r'(\w+)=~?"([^"]*)"')
OF_PROMETHEUS = {"instance", "job"}
OPEN = {"status", "operation", "version", "store"}
"""Labels whose values a server shows only once they have occurred."""
promtool = shutil.which("promtool")
with_promtool = pytest.mark.skipif(
    promtool is None, reason="promtool of the Debian package `prometheus` is not on the PATH"
)


class Alert(NamedTuple):
    """A rule of the file."""

    name: str
    expr: str
    rest: str


def alerts() -> list[Alert]:
    """All rules, in their order."""
    found = []
    for name, body in RULE.findall(RULES):
        expr = EXPR.search(body)
        assert expr is not None, name
        found.append(Alert(name, " ".join((expr[1] or expr[2]).split()), body))
    return found


def panels() -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def queries() -> list[tuple[str, str, str]]:
    """(panel, expression, legend) of all that the dashboard draws."""
    return [
        (panel["title"], target["expr"], target["legendFormat"])
        for panel in panels()
        for target in panel["targets"]
    ]


Labels = dict[str, set[str]]


@pytest.fixture
async def shown(tmp_path: Path) -> dict[str, Labels]:
    """Values of each label of each sample that a server shows, by its name."""
    samples: dict[str, Labels] = {"up": {}}
    text = (await composed_metrics(tmp_path)).text().decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = samples.setdefault(sample.name, {})
            for label, value in sample.labels.items():
                labels.setdefault(label, set()).add(value)
    return samples


def strays(expr: str, shown: dict[str, Labels]) -> Iterator[str]:
    """What an expression asks for and no server has."""
    for name, matchers in SELECTOR.findall(expr):
        if name not in shown:
            yield name
            continue
        for label, value in MATCHER.findall(matchers):
            if label in OF_PROMETHEUS:
                continue
            known = shown[name].get(label, set())
            if not known or (label not in OPEN and not set(value.split("|")) <= known):
                yield f"{name}{{{label}={value}}}"


def test_the_file_of_rules_is_read_whole() -> None:
    assert len(alerts()) == RULES.count("- alert:") > 20
    assert max(Counter(alert.name for alert in alerts()).values()) == 1


def test_every_alert_asks_for_what_exists(shown: dict[str, Labels]) -> None:
    assert {alert.name: list(strays(alert.expr, shown)) for alert in alerts()} == {
        alert.name: [] for alert in alerts()
    }
    assert all(SELECTOR.search(alert.expr) for alert in alerts())


def test_a_metric_a_label_or_a_value_that_nobody_has_would_be_found(
    shown: dict[str, Labels],
) -> None:
    assert list(strays("rate(tesserae_nothing_total[5m])", shown)) == ["tesserae_nothing_total"]
    assert list(strays('tesserae_readers{speed="live"}', shown)) == ["tesserae_readers{speed=live}"]
    assert list(strays('tesserae_readers{pace="quick"}', shown)) == ["tesserae_readers{pace=quick}"]


def test_every_alert_has_its_section_and_each_section_an_alert() -> None:
    names = [alert.name for alert in alerts()]
    sections = [text for text in HEADING.findall(RUNBOOK) if text.startswith("Tesserae")]
    assert sections == names
    for alert in alerts():
        assert f"runbook_url: docs/how-to/runbook.md#{anchor(alert.name)}\n" in alert.rest


def test_every_section_tells_meaning_places_and_remedy() -> None:
    for section in re.split(r"^## ", RUNBOOK, flags=re.MULTILINE)[1:]:
        words = ("**It means**", "**Look at**", "**What helps:**")
        assert [section.count(word) for word in words] == [1, 1, 1], section.splitlines()[0]


def test_every_alert_says_what_and_how_urgent_it_is() -> None:
    for alert in alerts():
        assert re.search(r"severity: (page|ticket)\n", alert.rest), alert.name
        assert re.search(r'summary: ".*\$labels\.instance.*"\n', alert.rest), alert.name


def test_the_dashboard_asks_for_what_exists(shown: dict[str, Labels]) -> None:
    found = {title: list(strays(expr, shown)) for title, expr, _ in queries()}
    assert {title: wrong for title, wrong in found.items() if wrong} == {}


def test_the_dashboard_leaves_no_metric_of_ours_out(shown: dict[str, Labels]) -> None:
    drawn = {name for _, expr, _ in queries() for name, _ in SELECTOR.findall(expr)}
    suffix = re.compile(r"_(bucket|sum|count|created)$")
    families = {
        suffix.sub("", name)
        for name in shown
        if name.startswith("tesserae_") and not name.endswith("_created")
    }
    assert families - {suffix.sub("", name) for name in drawn} == set()


def test_a_legend_names_labels_that_the_result_has(shown: dict[str, Labels]) -> None:
    for title, expr, legend in queries():
        name = SELECTOR.findall(expr)[0][0]
        told = set(re.findall(r"{{(\w+)}}", legend)) - OF_PROMETHEUS
        assert told <= shown[name].keys(), title
        if "sum by" in expr:
            kept = re.search(r"sum by \(([^)]*)\)", expr)
            assert kept is not None
            assert told <= set(kept[1].split(", ")), title


def test_panels_have_a_place_of_their_own_and_tell_what_they_show() -> None:
    everything = DASHBOARD["panels"]
    assert len({panel["id"] for panel in everything}) == len(everything)
    taken: Counter[tuple[int, int]] = Counter()
    for panel in everything:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        taken.update(
            (at["x"] + column, at["y"] + line)
            for column in range(at["w"])
            for line in range(at["h"])
        )
    assert max(taken.values()) == 1
    assert all(panel["title"] and panel["description"] for panel in panels())


def test_every_query_is_of_the_chosen_source_and_servers() -> None:
    source = {"type": "prometheus", "uid": "${datasource}"}
    assert {one["name"] for one in DASHBOARD["templating"]["list"]} == {"datasource", "instance"}
    for panel in panels():
        assert all(target["datasource"] == source for target in panel["targets"])
    for title, expr, _ in queries():
        selectors = SELECTOR.findall(expr)
        assert all('instance=~"$instance"' in matchers for _, matchers in selectors), title


def ran(*arguments: str | Path, told: str | None = None) -> str:
    """What promtool says; fails when it is not content."""
    assert promtool is not None
    done = subprocess.run(
        [promtool, *arguments], input=told, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@with_promtool
def test_promtool_takes_the_configuration_and_the_rules() -> None:
    assert f"{len(alerts())} rules found" in ran(
        "check", "config", ROOT / "deploy/prometheus/prometheus.yml"
    )


@with_promtool
def test_alerts_fire_when_they_should() -> None:
    ran("test", "rules", ROOT / "tests/guard/monitoring/alerts_test.yaml")


@with_promtool
def test_promtool_reads_every_query_of_the_dashboard(tmp_path: Path) -> None:
    rules = [
        {"record": f"panel:{number}", "expr": filled(expr)}
        for number, (_, expr, _) in enumerate(queries())
    ]
    path = tmp_path / "rules.yaml"
    path.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(rules)} rules found" in ran("check", "rules", path)


def filled(expr: str) -> str:
    """An expression as Grafana sends it."""
    return expr.replace("$__rate_interval", "1m").replace("$instance", ".*")


@with_promtool
async def test_promtool_has_nothing_to_say_about_our_metrics(tmp_path: Path) -> None:
    text = (await composed_metrics(tmp_path)).text().decode()
    ours = [line for line in text.splitlines() if "tesserae_" in line and "_created" not in line]
    ran("check", "metrics", told="\n".join(ours) + "\n")
