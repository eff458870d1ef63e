"""Metrics: the page about them, the alerts and the server agree."""

import json
import pathlib
import re
import shutil
import subprocess

import pytest

from netlab.network import REPOSITORY
from netlab.viewer import Viewer
from tests.integration.segment_requests import HlsPlayer

RULES = REPOSITORY / "packaging/prometheus"
DASHBOARD = REPOSITORY / "packaging/grafana/symcast.json"
DOCUMENT = REPOSITORY / "docs/METRICS.md"
NAME = re.compile(r"\b(?:symcast|process)_\w+")
PARTS = re.compile(r"_(bucket|sum|count)$")  # of a histogram
needs_promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed")


def named(text):
    """The metrics that a text names, without the rules' own."""
    return {PARTS.sub("", name) for name in NAME.findall(re.sub(r"symcast:\w+(:\w+)*", "", text))}


def documented():
    return set(re.findall(r"^\| `(\w+)`", DOCUMENT.read_text(), re.M))


@pytest.fixture(scope="module")
def served(shared, tmp_path_factory):
    """The metrics of a server with viewers of both kinds."""
    with Viewer(shared.url(), directory=tmp_path_factory.mktemp("viewer")) as viewer:
        viewer.receive(30)
        with HlsPlayer(shared) as player:
            player.playlist("auto")
            metrics = shared.wait_for(lambda m: m.sum("symcast_viewers") == 2, 60, "both watch")
    return set(re.findall(r"^# TYPE (\w+)", metrics.text, re.M))


def test_every_metric_is_documented(served):
    assert served - documented() == set()


def test_what_is_documented_exists():
    """In the program: a policer, for instance, has a metric only while there is one."""
    source = "".join(path.read_text() for path in pathlib.Path(REPOSITORY, "src/app").rglob("*.cc"))
    assert {name for name in documented() if f'"{name}"' not in source} == set()


@pytest.mark.parametrize("path", [DOCUMENT, DASHBOARD, RULES / "symcast.rules.yml",
                                  RULES / "symcast.test.yml"], ids=lambda path: path.name)
def test_queries_and_alerts_name_metrics_that_exist(served, path):
    groups = {"symcast_records", "symcast_alerts"}
    assert named(path.read_text()) - documented() - served - groups == set()


@needs_promtool
def test_each_alert_fires_and_is_quiet():
    tested = subprocess.run(["promtool", "test", "rules", RULES / "symcast.test.yml"], capture_output=True,
                            text=True, check=False)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    alerts = set(re.findall(r"- alert: (\w+)", (RULES / "symcast.rules.yml").read_text()))
    cases = (RULES / "symcast.test.yml").read_text()
    for alert in alerts:
        assert f"name: {alert} fires" in cases and f"name: {alert} is quiet" in cases


def expressions():
    """The dashboard's queries, with values for its variables."""
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", []):
            yield re.sub(r"\$(instance|stream)", ".*", target["expr"].replace("$__rate_interval", "1m"))


@needs_promtool
def test_prometheus_accepts_the_queries_of_the_dashboard(tmp_path):
    rules = [{"record": f"panel:{number}", "expr": expr} for number, expr in enumerate(expressions())]
    assert len(rules) > 30
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    checked = subprocess.run(["promtool", "check", "rules", tmp_path / "rules.yml"], capture_output=True,
                             text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_panels_of_the_dashboard_do_not_overlap():
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24, panel["title"]
        taken |= cells


def test_the_process_is_measured(shared):
    metrics = shared.metrics()
    [cpu] = metrics.all("process_cpu_seconds_total")
    [resident] = metrics.all("process_resident_memory_bytes")
    [start] = metrics.all("process_start_time_seconds")
    [descriptors] = metrics.all("process_open_fds")
    assert 0 < cpu <= shared.cpu_seconds() + 0.1
    assert 0.5 < resident / shared.resident_bytes() < 2
    proc = pathlib.Path(f"/proc/{shared.process.pid}")
    assert abs(start - proc.stat().st_ctime) < 60
    assert 0 < descriptors <= metrics.sum("process_max_fds")
    assert len(metrics.all("symcast_build_info")) == 1
