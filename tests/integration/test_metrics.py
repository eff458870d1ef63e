"""Metrics: the page about them, the alerts and the server agree."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from netlab.daemon import wait_until
from netlab.network import REPOSITORY
from netlab.viewer import Viewer
from tests.integration import grafana_schema
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
            # Players of the other tests may count for as long as this one.
            metrics = shared.wait_for(lambda m: m.sum("symcast_viewers") >= 2, 60, "both watch")
    return set(re.findall(r"^# TYPE (\w+)", metrics.text, re.M))


@pytest.mark.parametrize("file, format_name", [("live.ts", "ts"), ("live.flv", "flv"), ("live.mp4", "mp4"),
                                               ("live/index.m3u8", "hls"), ("live/manifest.mpd", "dash")])
def test_delay_and_join_time_are_measured_in_every_format(shared, file, format_name):
    """With a player that loads whole segments of HLS and DASH."""
    def counts(metrics):
        return [metrics.sum(f"symcast_{name}_count", stream="live", format=format_name)
                for name in ("frame_delivery_delay_seconds", "join_seconds")]

    before = counts(shared.metrics())
    played = subprocess.run(["ffmpeg", "-v", "error", "-i", f"http://{shared.ip}:{shared.port}/{file}",
                             "-t", "3", "-f", "null", "-"],
                            capture_output=True, text=True, timeout=120, check=False)
    assert played.returncode == 0, played.stderr
    metrics = shared.wait_for(lambda m: all(after > earlier for after, earlier in zip(counts(m), before)), 60,
                              "both are counted")
    assert counts(metrics)[1] == before[1] + 1, "one player"


def test_a_player_that_asks_late_does_not_make_frames_late(shared):
    """It loads parts that are seconds old, and those are no older in the metrics than its request."""
    def delays(metrics):
        return [metrics.sum(f"symcast_frame_delivery_delay_seconds_{name}", stream="live", format="hls")
                for name in ("count", "sum")]

    with HlsPlayer(shared) as player:
        playlist = wait_until(lambda: (p := player.playlist("auto")) and len(p.segments) > 2 and p, 60,
                              "some old segments")
        count, total = delays(shared.metrics())
        asked = time.monotonic()
        player.media(player.path("auto", playlist.segments[0].uri))
        metrics = shared.wait_for(lambda m: delays(m)[0] > count, 60, "its delivery is counted")
        waited = time.monotonic() - asked
    assert delays(metrics)[0] == count + 1, "the first part of the segment alone"
    assert delays(metrics)[1] - total < waited


def test_a_player_that_comes_back_does_not_join_again(shared):
    """Its session has ended, but not for the player."""
    def count(metrics, name):
        return metrics.sum(f"symcast_{name}_seconds_count", stream="live", format="hls")

    with HlsPlayer(shared) as player:
        segment = player.playlist("auto").segments[-1].uri
        before = shared.metrics()
        session = player.path("auto", segment).split("/")[2]
        player.media(player.path("auto", segment).replace(session, "a123456789abcdef"))
        after = shared.wait_for(lambda m: count(m, "frame_delivery_delay") > count(before, "frame_delivery_delay"), 60,
                                "the part is counted")
        assert count(after, "join") == count(before, "join")
        player.media(player.path("auto", segment))
        shared.wait_for(lambda m: count(m, "join") == count(before, "join") + 1, 60, "the first session's join")


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


@pytest.mark.skipif("WEB_MODULES" not in os.environ, reason="the packages of the page are not installed")
def test_the_dashboard_conforms_to_grafanas_schema(tmp_path):
    modules = pathlib.Path(os.environ["WEB_MODULES"])
    assert grafana_schema.complaints(DASHBOARD, modules, tmp_path) == ""
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    (wrong / "dashboard.json").write_text(DASHBOARD.read_text().replace('"displayMode"', '"displayMood"'))
    assert "'\"displayMood\"' does not exist" in grafana_schema.complaints(wrong / "dashboard.json", modules, wrong)


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
