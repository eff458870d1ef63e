"""Signals to the server, and viewers that leave or stop reading."""

import os
import signal
import socket
import subprocess
import time

from netlab.daemon import END_SECONDS, binary, wait_until
from netlab.viewer import assert_clean, assert_unbroken, receive_more
from tests.integration.conftest import KEEP_GROUPS, QUICK, SMALL
from tests.integration.segment_requests import HlsPlayer

CONFIG = KEEP_GROUPS + QUICK


def test_sigterm_ends_the_responses_and_the_server(small, view):
    viewers = [view(small.url()) for _ in range(5)]
    receive_more(viewers, 1)
    small.end()
    assert small.process.returncode == 0
    for viewer in viewers:
        summary = viewer.wait()
        assert summary["complete"], "the response ends as HTTP requires"
        assert_clean(summary)


def test_sigint_ends_the_server(small):
    small.process.send_signal(signal.SIGINT)
    assert small.process.wait(END_SECONDS) == 0


def test_sigterm_ends_the_server_while_the_source_is_away(serve):
    """The next attempt is due in ten minutes."""
    daemon = serve("--source", "live=http://127.0.0.1:9/nobody.ts", sources_play=False,
                   config='[source]\nbackoff_min = "10m"\nbackoff_max = "10m"\n')
    wait_until(lambda: "source_lost" in daemon.log(), 30, "the first attempt has failed")
    daemon.end()
    assert daemon.process.returncode == 0


def stream(name, source="test:?size=320x180"):
    return f'[[stream]]\nname = "{name}"\nsource = "{source}"\n'


def test_systemd_receives_readiness_and_a_line_of_status(serve, view, tmp_path, monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(30)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        daemon = serve("--source", SMALL, config=CONFIG)
        viewer = view(daemon.url())
        viewer.receive(10)
        messages = [systemd.recv(4096)]
        while messages[-1] != b"STATUS=1 viewer; 1 of 1 streams playing":
            messages.append(systemd.recv(4096))
        assert messages.count(b"READY=1") == 1
        assert b"WATCHDOG=1" in messages


def test_sighup_keeps_viewers(serve, view):
    config = CONFIG + stream("live")
    daemon = serve(config=config)
    viewer = view(daemon.url())
    viewer.receive(10)
    daemon.reload(config)
    viewer.receive_more(20)
    assert "configuration_reloaded" in daemon.log()
    summary = viewer.finish()
    assert_unbroken(summary, daemon.metrics())


def test_sighup_with_a_broken_file_changes_nothing(serve, view):
    daemon = serve("--source", SMALL, config=CONFIG)
    viewer = view(daemon.url())
    viewer.receive(10)
    daemon.reload("[server]\nlissten = 3\n")
    viewer.receive_more(10)
    assert "configuration_kept" in daemon.log()
    assert_clean(viewer.finish())


def test_sighup_renames_a_stream_and_keeps_a_viewer_of_another(serve, view):
    daemon = serve(config=CONFIG + stream("kept") + stream("old"))
    kept = view(daemon.url("kept"), name="kept")
    old = view(daemon.url("old"), name="old")
    receive_more([kept, old], 10)
    daemon.reload(CONFIG + stream("kept") + stream("new"))
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="new") > 0, 30,
                    "the new stream plays")
    new = view(daemon.url("new"), name="new")
    receive_more([kept, new], 10)
    assert_clean(new.finish())
    assert_clean(old.wait())
    assert daemon.get("/old.ts")[0] == 404
    summary = kept.finish()
    metrics = daemon.wait_for(lambda m: 'stream="old"' not in m.text, 30, "the old stream is gone")
    assert_unbroken(summary, metrics)


def test_sighup_changes_the_start_rate_of_the_next_viewer(serve, view):
    def config(start):
        return (f'[control]\npolicy = "off"\n[rate]\nstart = "{start}"\n' + CONFIG + stream("live"))

    def targets(metrics):
        return metrics.all("symcast_viewer_rate_target_bits_per_second")

    daemon = serve(config=config("1M"))
    view(daemon.url(), name="before")
    daemon.wait_for(lambda m: targets(m) == [1e6], 30, "the first viewer's rate")
    daemon.reload(config("500k"))
    view(daemon.url(), name="after")
    daemon.wait_for(lambda m: targets(m) == [1e6, 5e5], 30, "the second viewer's rate")


def test_sighup_changes_the_limits_of_running_viewers(serve, view):
    """Also of HLS players."""
    def config(most):
        return f'[rate]\nstart = "400k"\nmin = "200k"\nmax = "{most}"\n' + CONFIG + stream("live")

    def highest(metrics):
        return max(metrics.all("symcast_viewer_rate_target_bits_per_second"))

    def served(metrics):
        """The highest rate of a group that has viewers."""
        return max(metrics.sum("symcast_group_rate_target_bits_per_second", group=labels["group"])
                   for name, labels, viewers in metrics.samples
                   if name == "symcast_group_viewers" and viewers > 0)

    daemon = serve(config=config("2M"))
    viewer = view(daemon.url())
    with HlsPlayer(daemon) as player:
        player.playlist("auto")
        daemon.wait_for(lambda m: m.sum("symcast_viewers") == 2 and highest(m) > 6e5, 60, "both watch")
        daemon.reload(config("500k"))
        player.playlist("auto")
        daemon.wait_for(lambda m: m.sum("symcast_viewers") == 2 and highest(m) <= 5e5
                        and served(m) <= 5e5, 60, "both have the new maximum")
        daemon.reload(config("2M"))
        daemon.wait_for(lambda m: highest(m) > 6e5, 60, "the rate rises again")
    viewer.receive(10)
    assert_clean(viewer.finish())


def test_sighup_names_the_keys_that_need_a_restart(serve):
    daemon = serve(config=CONFIG + stream("live"))
    daemon.reload("[server]\nmax_viewers = 7\n" + CONFIG + stream("live", "test:?size=192x108"))
    assert "server_change_needs_restart keys=server.max_viewers " in daemon.log()
    assert "stream_change_needs_restart stream=live keys=source.uri " in daemon.log()
    daemon.reload(CONFIG + stream("live"))
    assert daemon.log().count("_needs_restart") == 2, "it is as it was"


def test_sighup_with_a_source_that_cannot_work_changes_nothing(serve, view):
    daemon = serve(config=CONFIG + stream("first") + stream("second"))
    viewers = [view(daemon.url(name), name=name) for name in ("first", "second")]
    receive_more(viewers, 1)
    daemon.reload(CONFIG + stream("first") + stream("third", "file:"))
    assert "configuration_kept" in daemon.log()
    receive_more(viewers, 10)
    for viewer in viewers:
        summary = viewer.finish()
        assert_unbroken(summary, daemon.metrics())


def test_a_killed_viewer_is_forgotten(shared, view):
    viewer = view(shared.url())
    shared.wait_for(lambda m: m.sum("symcast_viewers") == 1, 30, "the viewer is counted")
    os.kill(viewer.process.pid, signal.SIGKILL)
    shared.wait_for(lambda m: m.sum("symcast_viewers") == 0, 30, "the viewer is forgotten")


def test_a_viewer_that_stops_reading_is_closed_and_costs_little(serve, view):
    # The kernel's receive window holds seconds of a small stream; a stream of noise fills it soon.
    daemon = serve("--source", "live=test:?size=320x180&content=noise",
                   config='[server]\nstall_timeout = "2s"\n[rate]\nstart = "5M"\n' + CONFIG)
    witness = view(daemon.url())
    witness.receive(30)
    before = daemon.resident_bytes()
    sleeper = view(daemon.url(), "--stop-reading-after", 0.2, "--rcvbuf", 65536, name="sleeper")
    most = 0
    deadline = time.monotonic() + 60
    while sleeper.watching() and time.monotonic() < deadline:
        most = max(most, daemon.resident_bytes())
        time.sleep(0.1)
    assert not sleeper.watching(), "a viewer that reads nothing is closed"
    assert sleeper.wait()["closed_s"] > 2
    assert daemon.metrics().sum("symcast_viewers_left_total", reason="stalled") == 1
    # The viewer's queue holds at most a second of 5 Mbit/s; most memory is that of its group.
    assert most - before < 100e6
    assert witness.watching()
    assert_clean(witness.finish())


def test_too_few_descriptors_end_the_start_with_a_reason():
    started = subprocess.run(["prlimit", "--nofile=12:12", binary(), "serve", "--listen", "127.0.0.1:0",
                              "--source", SMALL], capture_output=True, text=True, timeout=60, check=False)
    assert started.returncode == 1
    [line] = started.stderr.splitlines()
    assert line.startswith("symcast: 12 file descriptors are too few: the server needs "), line
    assert "LimitNOFILE=" in line
