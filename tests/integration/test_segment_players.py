"""Stock players read HLS and DASH without a complaint, gap or repeat: a steady stream, and one that
changes its encoder with every segment."""

import contextlib
import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.viewer import Viewer
from tests.integration.players import SECONDS, needs, run, vlc_command, vlc_complaints
from tests.integration.segment_requests import HlsPlayer
from tests.integration.switching.proxy import SwitchingProxy

# A late frame would be a gap, so encoding has to be cheap.
CHEAP = """
[encoder]
preset = "ultrafast"
"""
# Rates at which 640x360 at 25/s has four sizes.
SWITCHING = CHEAP + """
keyframe_interval = "1s"
[rate]
min = "70k"
max = "560k"
[groups]
max = 4
[segments]
window = "8s"
"""
FILES = {"hls": "index.m3u8", "dash": "manifest.mpd"}
START_SECONDS = 10  # in which a player loads three segments, or waits for them
AUDIO_FRAMES = 48000 / 1024  # per second

# libavformat's HLS demuxer loads the initialization section again after each playlist reload, even
# an unchanged one, and then warns about the duplicate.
FFMPEG_OWN_DOING = re.compile(r"\[mov,mp4,m4a,3gp,3g2,mj2 @ 0x[0-9a-f]+\] "
                              r"Found duplicated MOOV Atom\. Skipped it")
# GStreamer warns about printing the context of its own HTTP client.
GST_OWN_DOING = "of type 'GstSoupSession'"


@dataclasses.dataclass
class Source:
    url: str
    rate: int  # frames per second

    def check_steps(self, times, unit):
        """Fails if a frame is repeated or missing. `unit`: ticks per second of `times`."""
        steps = [after - before for before, after in zip(times, times[1:])]
        assert min(steps) > 0, "a frame is repeated"
        assert max(abs(step - unit / self.rate) for step in steps) <= unit / 1000, steps
        assert len(times) >= SECONDS * self.rate - 1


@pytest.fixture(scope="module")
def steady(tmp_path_factory):
    """A stream with a viewer all the time; test_segments covers the first viewer of a stream."""
    directory = tmp_path_factory.mktemp("steady")
    with Daemon("--source", "live=test:?size=640x360&fps=30", directory=directory,
                config=CHEAP) as server:
        with Viewer(server.url(), directory=directory):
            wait_for_window(server)
            yield server


def wait_for_window(server):
    """libavformat's DASH demuxer computes with unsigned numbers: while a stream is younger than its
    window, it considers each segment too old, and starts over."""
    with HlsPlayer(server) as player:
        first = player.playlist("auto").first
        wait_until(lambda: player.playlist("auto").first > first + 1, 30, "the window slides", 0.5)


def switch(directory, config):
    with Daemon("--source", "live=test:?size=640x360&fps=25", config=config,
                directory=directory) as server:
        with SwitchingProxy(server) as proxy:
            wait_for_window(server)
            yield proxy


@pytest.fixture(scope="module")
def switching(tmp_path_factory):
    yield from switch(tmp_path_factory.mktemp("switching"), SWITCHING)


@pytest.fixture
def changing_rate(tmp_path):
    """Changes the rate with every segment, but not the frame size."""
    yield from switch(tmp_path, SWITCHING + "[scaling]\nmin_bits_per_pixel = 0\n")


@pytest.fixture(params=["steady-hls", "steady-dash", "switching-hls", "switching-dash"])
def source(request):
    kind, container = request.param.split("-")
    file = FILES[container]
    if kind == "steady":
        server = request.getfixturevalue("steady")
        with none_late(server):
            yield Source(f"http://{server.ip}:{server.port}/live/{file}", 30)
        return
    proxy = request.getfixturevalue("switching")
    with switches(proxy):
        yield Source(proxy.url + file, 25)


@contextlib.contextmanager
def none_late(server):
    """Fails if encoders were late, because the result would mean nothing."""
    def late():
        metrics = server.metrics()
        return [metrics.sum("symcast_group_frames_late_total"),
                metrics.sum("symcast_groups_shed_total")]

    before = late()
    yield
    assert late() == before, "the encoders were overloaded"


@contextlib.contextmanager
def switches(proxy, sizes=4):
    """Fails unless the player changed its group with every segment."""
    proxy.served.clear()
    with none_late(proxy.daemon):
        yield
    assert proxy.changes() >= SECONDS - 1, f"{proxy.changes()} changes of group"
    assert len(proxy.sizes()) == sizes


def ffmpeg_complaints(text):
    return [line for line in text.splitlines() if not FFMPEG_OWN_DOING.fullmatch(line)]


def times_of(framecrc, track):
    return [int(line.split(",")[2]) for line in framecrc.splitlines()
            if line.startswith(f"{track},")]


@needs("ffprobe")
def test_ffprobe_reads_both_tracks(source):
    code, out, err = run(["ffprobe", "-v", "repeat+warning", "-read_intervals", f"%+{SECONDS}",
                          "-show_entries", "stream=codec_name:packet=codec_type", "-of", "csv=p=0",
                          source.url])
    assert (code, ffmpeg_complaints(err)) == (0, [])
    words = [word for line in out.split() for word in line.split(",") if word]
    assert {"aac", "h264"} <= set(words) <= {"aac", "h264", "audio", "video"}
    assert words.count("video") >= SECONDS * source.rate - 1
    assert words.count("audio") >= SECONDS * AUDIO_FRAMES - 2


@needs("ffmpeg")
def test_ffmpeg_decodes_every_frame(source):
    code, out, err = run(["ffmpeg", "-v", "repeat+warning", "-xerror", "-i", source.url,
                          "-t", str(SECONDS), "-map", "0:v", "-map", "0:a",
                          "-fps_mode", "passthrough", "-enc_time_base", "1/1000",
                          "-f", "framecrc", "-"])
    assert (code, ffmpeg_complaints(err)) == (0, [])
    source.check_steps(times_of(out, 0), 1000)
    audio = times_of(out, 1)
    # ffmpeg ends with the video, and leaves out a second of audio, also for a single MP4 file.
    assert len(audio) >= (SECONDS - 1) * AUDIO_FRAMES - 2
    assert {after - before for before, after in zip(audio, audio[1:])} == {21, 22}


@needs("mpv")
def test_mpv_plays(source):
    code, out, err = run(["mpv", "--no-config", "--vo=null", "--ao=null", f"--length={SECONDS}",
                          "--msg-level=all=warn", "--no-terminal", source.url])
    assert (code, out + err) == (0, "")


@pytest.mark.skipif(not importlib.util.find_spec("gi"), reason="python3-gi is not installed")
def test_gstreamer_plays(source):
    player = pathlib.Path(__file__).with_name("gst_player.py")
    seconds = SECONDS + START_SECONDS / 2
    code, out, err = run([sys.executable, str(player), source.url, str(seconds)],
                         env={**os.environ, "GST_DEBUG": "2", "GST_DEBUG_NO_COLOR": "1"})
    assert (code, [line for line in err.splitlines() if GST_OWN_DOING not in line]) == (0, [])
    played = json.loads(out)
    source.check_steps(played["video"], 10**9)
    audio = played["audio"][1:]  # the first may be cut where the video begins
    assert len(audio) >= SECONDS * AUDIO_FRAMES - 2
    assert {round((after - before) / 10**9 * 48000) for before, after
            in zip(audio, audio[1:])} == {1024}


class Vlc:
    """VLC; its remote control interface reports the frames that it has shown."""

    FIGURE = re.compile(r"\| (video decoded|frames (?:displayed|lost)|buffers (?:played|lost)) +: "
                        r"+(\d+)")

    def __init__(self, url, directory):
        command, environment = vlc_command(directory, "-I", "rc", "--rc-fake-tty", url)
        self._log = directory / "vlc.log"
        with open(self._log, "w") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log,
                                             stderr=subprocess.STDOUT, env=environment, text=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self._process.communicate("quit\n", timeout=20)
        assert kind or self._process.returncode == 0

    def log(self):
        return self._log.read_text(errors="replace")

    def ask(self):
        """Requests figures; VLC writes them to the log, a moment later."""
        self._process.stdin.write("stats\n")
        self._process.stdin.flush()
        return self

    def figures(self):
        """The figures of VLC's last answer."""
        return {name: int(value) for name, value in self.FIGURE.findall(self.log())}

    def decoded(self):
        """Decoded frames: VLC counts each as it enters the decoder and as it leaves."""
        return self.figures().get("video decoded", 0) / 2


@needs("cvlc")
def test_vlc_plays(source, tmp_path):
    with Vlc(source.url, tmp_path) as vlc:
        wait_until(lambda: vlc.ask().decoded() >= SECONDS * source.rate, SECONDS + START_SECONDS,
                   "VLC has played enough frames", interval=0.5)
    check_vlc(vlc)


@needs("cvlc")
def test_vlc_shows_every_frame_of_one_size(changing_rate, tmp_path):
    """Only without changes of size: VLC loses most frames that are decoded but not yet shown together
    with the window of the old size, in MPEG-TS as well."""
    for file in FILES.values():
        with switches(changing_rate, sizes=1), Vlc(changing_rate.url + file, tmp_path) as vlc:
            wait_until(lambda: vlc.ask().figures().get("frames displayed", 0) >= SECONDS * 25,
                       SECONDS + START_SECONDS, "VLC has played enough frames", interval=0.5)
        check_vlc(vlc)


def check_vlc(vlc):
    figures = vlc.figures()
    assert figures["frames lost"] == figures["buffers lost"] == 0
    assert figures["buffers played"] > (SECONDS - 1) * AUDIO_FRAMES
    assert vlc_complaints(vlc.log()) == []
