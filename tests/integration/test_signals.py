"""Signals to the server, and viewers that leave or stop reading."""

import os
import signal
import time

from netlab.daemon import END_SECONDS, wait_until
from netlab.viewer import assert_clean, assert_unbroken
from tests.integration.conftest import SMALL

STALL = 'stall_timeout = "2s"'


def test_sigterm_ends_within_two_seconds_with_viewers(small, view):
    viewers = [view(small.url()) for _ in range(5)]
    wait_until(lambda: all(viewer.pictures() for viewer in viewers), 5, "all viewers have a frame")
    assert small.end() <= END_SECONDS
    assert small.process.returncode == 0
    for viewer in viewers:
        summary = viewer.wait()
        assert summary["complete"], "the response ends as HTTP requires"
        assert_clean(summary)


def test_sigint_ends_the_server(small):
    small.process.send_signal(signal.SIGINT)
    assert small.process.wait(END_SECONDS) == 0


def test_sigterm_ends_the_server_while_the_source_is_away(serve):
    daemon = serve("--source", "live=http://127.0.0.1:9/nobody.ts", sources_play=False)
    assert daemon.end() <= END_SECONDS


def test_sighup_keeps_viewers(serve, view):
    daemon = serve(config='[[stream]]\nname = "live"\nsource = { uri = "test:?size=320x180" }\n')
    viewer = view(daemon.url())
    viewer.watch(1)
    daemon.process.send_signal(signal.SIGHUP)
    viewer.watch(2)
    assert "configuration_reloaded" in daemon.log()
    summary = viewer.finish()
    assert_unbroken(summary, daemon)


def test_sighup_with_a_broken_file_changes_nothing(serve, view):
    daemon = serve("--source", SMALL, config="")
    viewer = view(daemon.url())
    viewer.watch(1)
    daemon.config_path.write_text("[server]\nlissten = 3\n")
    daemon.process.send_signal(signal.SIGHUP)
    viewer.watch(1)
    assert "configuration_kept" in daemon.log()
    assert_clean(viewer.finish())


def stream(name, source="test:?size=320x180"):
    return f'[[stream]]\nname = "{name}"\nsource = "{source}"\n'


def reload(daemon, config):
    """Writes the configuration, sends SIGHUP and waits until the server has handled it."""
    before = daemon.log().count("configuration_")
    daemon.config_path.write_text(config)
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: daemon.log().count("configuration_") > before, 5, "a reload")


def test_sighup_renames_a_stream_and_keeps_a_viewer_of_another(serve, view):
    daemon = serve(config=stream("kept") + stream("old"))
    kept = view(daemon.url("kept"), name="kept")
    old = view(daemon.url("old"), name="old")
    kept.watch(1)
    reload(daemon, stream("kept") + stream("new"))
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="new") > 0, 5,
                    "the new stream plays")
    assert_clean(view(daemon.url("new"), "--seconds", 1).wait())
    kept.watch(1)
    assert_clean(old.wait())
    assert daemon.get("/old.ts")[0] == 404
    assert 'stream="old"' not in daemon.metrics().text
    summary = kept.finish()
    assert_unbroken(summary, daemon)


def test_sighup_changes_the_start_rate_of_the_next_viewer(serve, view):
    def config(start):
        return f'[control]\npolicy = "off"\n[rate]\nstart = "{start}"\n' + stream("live")

    def targets(metrics):
        return metrics.all("symcast_viewer_rate_target_bits_per_second")

    daemon = serve(config=config("1M"))
    view(daemon.url(), name="before")
    daemon.wait_for(lambda m: targets(m) == [1e6], 5, "the first viewer's rate")
    reload(daemon, config("500k"))
    view(daemon.url(), name="after")
    daemon.wait_for(lambda m: targets(m) == [1e6, 5e5], 5, "the second viewer's rate")


def test_sighup_with_a_source_that_cannot_work_changes_nothing(serve, view):
    daemon = serve(config=stream("first") + stream("second"))
    viewers = [view(daemon.url(name), name=name) for name in ("first", "second")]
    reload(daemon, stream("first") + stream("third", "file:"))
    assert "configuration_kept" in daemon.log()
    for viewer in viewers:
        viewer.watch(1)
        summary = viewer.finish()
        assert_unbroken(summary, daemon)


def test_a_killed_viewer_is_forgotten(small, view):
    viewer = view(small.url())
    small.wait_for(lambda m: m.sum("symcast_viewers") == 1, 5, "the viewer is counted")
    os.kill(viewer.process.pid, signal.SIGKILL)
    small.wait_for(lambda m: m.sum("symcast_viewers") == 0, 5, "the viewer is forgotten")


def test_a_viewer_that_stops_reading_is_closed_and_costs_little(serve, view):
    # The kernel's receive window holds seconds of a small stream; a stream of noise fills it soon.
    daemon = serve("--source", "live=test:?size=640x360&content=noise",
                   config=f'[server]\n{STALL}\n[rate]\nstart = "5M"\n')
    witness = view(daemon.url())
    witness.watch(2)
    before = daemon.resident_bytes()
    sleeper = view(daemon.url(), "--stop-reading-after", 0.5, "--rcvbuf", 65536)
    most = 0
    deadline = time.monotonic() + 20
    while sleeper.watching() and time.monotonic() < deadline:
        most = max(most, daemon.resident_bytes())
        time.sleep(0.1)
    assert not sleeper.watching(), "a viewer that reads nothing is closed"
    assert sleeper.wait()["closed_s"] > 2
    assert daemon.metrics().sum("symcast_viewers_left_total", reason="stalled") == 1
    # The viewer's queue holds at most a second of 5 Mbit/s; most memory is that of its group.
    assert most - before < 100e6
    assert_clean(witness.finish())
