"""Sessions of segment players count as viewers until they are idle."""

import concurrent.futures
import re
import threading
import time
import urllib.parse

import pytest

from netlab import mp4_boxes
from netlab.daemon import wait_until
from tests.integration.conftest import SMALL
from tests.integration.quick_segments import CLOCK, QUICK_SEGMENTS, SEGMENT, SILENT, TINY
from tests.integration.segment_requests import MPD, PATIENCE, DashPlayer, HlsPlayer, Player

STREAMS = {
    **{name: (TINY, SILENT) for name in ("live", "described", "reloaded", "active", "ended")},
    "other": ("test:?size=256x144&fps=10", SILENT),
    "paused": (TINY, SILENT | {"groups.linger": "0s"}),
}
IDLE = 10  # seconds that a session lasts without a request


def events(daemon, what, name):
    """The lines of the log about sessions of the stream `name`."""
    return [line for line in daemon.log().splitlines() if f" {what} " in line
            and f" stream={name} " in line]


def viewers(daemon, name):
    return daemon.metrics().sum("symcast_viewers", stream=name)


class Active:
    """An HLS session that requests playlists, one after the other, and a DASH session that requests the
    time, until they are stopped."""

    def __init__(self, daemon, name):
        self._player = HlsPlayer(daemon, stream=name)
        self._clock = DashPlayer(daemon, stream=name)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(SEGMENT):
            self._player.playlist("auto")
            self._clock.media(self._clock.path("time"))

    def stop(self):
        self._stop.set()
        self._thread.join()


@pytest.fixture(scope="module", autouse=True)
def sessions(quick):
    """Begins active sessions and some that send no request any more, so that those have ended when
    the last tests run. Returns the number of viewers of `active`, and a path with the token of each
    session of `ended`."""
    active = Active(quick, "active")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        idle, ended = pool.map(lambda name: DashPlayer(quick, stream=name), ("active", "ended"))
    joined = viewers(quick, "active")
    paths = [ended.path("auto/init.mp4")]
    ended.__exit__()
    with HlsPlayer(quick, stream="ended") as player:
        paths.append(player.path("auto", "init.mp4"))
    yield joined, paths
    active.stop()
    idle.__exit__()  # its connection has stayed open


def test_a_session_belongs_to_its_stream(hls):
    path = hls.paths()["auto"].replace("/live/", "/other/")
    assert hls.media(path)
    init = hls.media(urllib.parse.urljoin(path, "init.mp4"))
    assert mp4_boxes.picture_size(init) == (256, 144)


def test_head_begins_no_session(quick):
    with Player(quick) as player:
        for path, kind in {"/described/index.m3u8": "application/vnd.apple.mpegurl",
                           "/described/manifest.mpd": "application/dash+xml"}.items():
            reply = player.get(path, "HEAD")
            assert (reply.status, reply.body, reply.headers["Content-Type"]) == (200, b"", kind)
    assert viewers(quick, "described") == 0 and not events(quick, "session_began", "described")


def test_reloading_the_manifest_keeps_the_session(quick):
    """Players reload it every minimumUpdatePeriod, from its Location."""
    with DashPlayer(quick, stream="reloaded") as player:
        player.media(player.init("auto"))
        location = player.mpd.find(f"{MPD}Location")
        if "minimumUpdatePeriod" in player.mpd.keys():
            path = "/reloaded/manifest.mpd" if location is None else location.text
            player.media(urllib.parse.urljoin("/reloaded/manifest.mpd", path))
        assert len(events(quick, "session_began", "reloaded")) == 1


def test_after_a_pause_players_see_no_old_segments(quick, view):
    def closed(m):
        return not m.all("symcast_group_frames_total", stream="paused")

    viewer = view(quick.url("paused"))
    quick.wait_for(lambda m: m.sum("symcast_group_frames_total", stream="paused") > 2 * 10 * SEGMENT,
                   PATIENCE, "a segment is complete")
    viewer.finish()
    metrics = quick.wait_for(closed, PATIENCE, "the encoder has ended")
    ended, frames = time.time(), metrics.sum("symcast_source_frames_total", stream="paused")
    # The source may be behind by up to a second.
    quick.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="paused") > frames + 12,
                   PATIENCE, "time passes without an encoder")
    with HlsPlayer(quick, stream="paused") as player:
        assert player.playlist("auto").all()[0].date.timestamp() > ended - CLOCK


def test_a_session_beyond_max_viewers_is_503(serve, view):
    daemon = serve("--source", SMALL, config=QUICK_SEGMENTS + "[server]\nmax_viewers = 2\n")
    with HlsPlayer(daemon) as player:
        newest = player.playlist("auto").segments[-1].uri
        assert player.media(player.path("auto", newest)), "earns the place"
        viewer = view(daemon.url())
        daemon.wait_for(lambda m: m.sum("symcast_viewers") == 2, PATIENCE, "both are admitted")
        viewer.receive(1)
        for path in ("/live/index.m3u8", "/live/manifest.mpd", "/live.mp4"):
            status, _, body = daemon.get(path)
            assert status == 503
            assert body.strip(), "the body states the reason"
        assert player.playlist("auto") and viewer.watching()


def test_a_session_counts_as_a_viewer_until_it_is_idle(quick, sessions):
    assert sessions[0] == 3
    wait_until(lambda: viewers(quick, "active") < 3, PATIENCE, "the idle session's end", 0.5)
    [end] = events(quick, "session_ended", "active")
    assert "format=dash" in end, "the idle one is gone"
    assert float(re.search(r" seconds=([\d.]+)", end)[1]) >= IDLE
    assert viewers(quick, "active") == 2, "the active sessions stay"


def test_a_player_continues_after_its_session_ended(quick, sessions):
    """Its URLs still work after its session has ended, or after the server was restarted."""
    wait_until(lambda: len(events(quick, "session_ended", "ended")) == 2, PATIENCE, "the end", 0.5)
    assert viewers(quick, "ended") == 0
    with Player(quick) as player:
        for path in sessions[1]:
            assert player.media(path)
    wait_until(lambda: len(events(quick, "session_began", "ended")) == 4, PATIENCE,
               "two sessions more in the log")
    began = events(quick, "session_began", "ended")
    assert [re.search(r"format=(\w+)", line)[1] for line in began] == 2 * ["dash", "hls"]
    assert viewers(quick, "ended") == 2
