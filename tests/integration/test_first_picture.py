"""Requests for a stream that is new wait for the first picture of its source."""

import concurrent.futures
import http.client
import subprocess
import threading
import time

import pytest

from netlab.viewer import assert_clean
from tests.integration.conftest import QUICK
from tests.integration.far_ends import clip_command
from tests.integration.media_server import MediaServer, in_real_time
from tests.integration.players import PLAYER
from tests.integration.segment_requests import DashPlayer, HlsPlayer

LONG = "10m"  # longer than any test
SHORT = 4  # seconds; longer than a server needs to start, or the test shows less
PATIENCE = 60  # seconds
ENDLESS = [f"/late.{container}" for container in ("ts", "flv", "mp4")]
LISTS = ["/late/index.m3u8", "/late/manifest.mpd"]
SESSION = "/late/a0123456789abcde"  # of a player that was there before a restart
NO_VIDEO = b"has no video yet"


class LateSource:
    """Its clip of half a minute comes when somebody calls begin()."""

    def __init__(self, folder):
        clip = folder / "clip.ts"
        subprocess.run(clip_command(clip, seconds=30), check=True)
        self._begun = threading.Event()
        self._server = MediaServer({"/late.ts": self._send(in_real_time(clip.read_bytes(), 30)),
                                    "/never.ts": self._never}, {})
        self.uri, self.never = self._server.uri("/late.ts"), self._server.uri("/never.ts")
        self._over = threading.Event()

    def _send(self, clip):
        def send(write):
            self._begun.wait()
            clip(write)
        return send

    def _never(self, _write):
        self._over.wait()

    def begin(self):
        self._begun.set()

    def end(self):
        self._begun.set()
        self._over.set()
        self._server.end()


@pytest.fixture
def source(tmp_path):
    late = LateSource(tmp_path)
    yield late
    late.end()


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(max_workers=20) as threads:
        yield threads


def stream(name, uri, wait):
    return (f'[[stream]]\nname = "{name}"\nsource = {{ uri = "{uri}", first_picture_wait = "{wait}" }}\n')


def nobody_has_an_answer(daemon, waiting):
    """Asks something else meanwhile, so that the server has had time to answer wrongly."""
    daemon.get("/healthz")
    time.sleep(1)
    assert not any(answer.done() for answer in waiting)
    metrics = daemon.metrics()
    assert metrics.all("symcast_group_frames_total") == [], "who waits opens no encoder"
    assert metrics.sum("symcast_viewers") == 0


def test_who_asks_early_gets_the_stream(serve, view, source, pool, tmp_path):
    daemon = serve(config=QUICK + stream("late", source.uri, LONG), sources_play=False)
    waiting = [pool.submit(daemon.get, path) for path in [*ENDLESS, f"{SESSION}/auto/playlist.m3u8"]]
    waiting += [pool.submit(daemon.request, "HEAD", path) for path in ["/late.ts", *LISTS]]
    players = [pool.submit(kind, daemon, stream="late") for kind in (HlsPlayer, DashPlayer)]
    viewer = view(daemon.url("late"))
    with open(tmp_path / "ffmpeg", "w") as messages:
        ffmpeg = subprocess.Popen([*PLAYER, "ffmpeg", "-v", "error", "-i",
                                   f"http://127.0.0.1:{daemon.port}/late/index.m3u8", "-map", "0:v",
                                   "-frames:v", "20", "-f", "null", "-"],
                                  stdin=subprocess.DEVNULL, stderr=messages)
    try:
        nobody_has_an_answer(daemon, waiting + players)
        assert viewer.watching() and ffmpeg.poll() is None
        source.begin()
        assert [answer.result(PATIENCE)[0] for answer in waiting] == [200] * len(waiting)
        assert all(player.result(PATIENCE) for player in players)
        viewer.receive(20)
        assert ffmpeg.wait(PATIENCE) == 0, (tmp_path / "ffmpeg").read_text()
        assert_clean(viewer.finish())
    finally:
        ffmpeg.kill()
        ffmpeg.wait()
        for player in players:
            player.result().__exit__()


def test_nobody_waits_for_what_does_not_come(serve, source):
    """Nor for a source that is not new any longer."""
    began = time.monotonic()
    daemon = serve(config=QUICK + stream("late", source.uri, LONG) + stream("never", source.never, f"{SHORT}s")
                   + stream("off", source.never, "0s")
                   + stream("mpeg2", source.never, LONG) + 'encoder.codec = "mpeg2"\n', sources_play=False)
    for path in ("/off.ts", "/off/index.m3u8", "/off/manifest.mpd"):
        status, headers, body = daemon.get(path)
        assert (status, headers["Retry-After"], NO_VIDEO in body) == (503, "5", True), path
    for path in ("/nothing.ts", "/nothing/index.m3u8", "/mpeg2.mp4", "/mpeg2/index.m3u8"):
        assert daemon.get(path)[0] == 404, path
    assert daemon.get("/late/time")[0] == 200, "a time is right only at once"
    for path in ("/never.ts", "/never/index.m3u8", "/never.ts"):
        status, headers, body = daemon.get(path)
        assert (status, headers["Retry-After"], NO_VIDEO in body) == (503, "5", True), path
        assert time.monotonic() - began > SHORT


def test_a_stream_that_a_reload_removes_is_unknown_to_those_who_wait(serve, source, pool):
    kept = stream("off", source.never, "0s")
    daemon = serve(config=QUICK + kept + stream("late", source.uri, LONG), sources_play=False)
    waiting = [pool.submit(daemon.get, path) for path in [*ENDLESS, *LISTS]]
    nobody_has_an_answer(daemon, waiting)
    daemon.reload(QUICK + kept)
    assert [answer.result(PATIENCE)[0] for answer in waiting] == [404] * len(waiting)


def test_a_stream_that_a_reload_adds_is_waited_for(serve, source, pool):
    kept = stream("off", source.never, "0s")
    daemon = serve(config=QUICK + kept, sources_play=False)
    daemon.reload(QUICK + kept + stream("late", source.uri, LONG))
    waiting = [pool.submit(daemon.get, path) for path in [*ENDLESS, *LISTS]]
    nobody_has_an_answer(daemon, waiting)
    source.begin()
    assert [answer.result(PATIENCE)[0] for answer in waiting] == [200] * len(waiting)


def test_the_server_ends_while_somebody_waits(serve, source, pool):
    daemon = serve(config=QUICK + stream("late", source.uri, LONG), sources_play=False)
    waiting = [pool.submit(daemon.get, path) for path in [*ENDLESS, *LISTS]]
    nobody_has_an_answer(daemon, waiting)
    daemon.end()
    assert daemon.process.returncode == 0
    for answer in waiting:
        with pytest.raises((http.client.HTTPException, OSError)):
            answer.result(PATIENCE)
