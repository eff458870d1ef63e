"""Stock players read the stream without one complaint."""

import os
import subprocess
import urllib.request

import pytest

from netlab.daemon import Daemon, free_port, wait_until
from netlab.viewer import assert_clean
from tests.integration.players import SECONDS, needs, run, vlc_command, vlc_complaints

# From 200 kbit/s the rate climbs by half a megabit per second, and the frame size grows with it.
CLIMBING = """
[control]
policy = "itcp"
[itcp]
hold = "200ms"
restore_interval = "200ms"
restore_step = 0.05
[rate]
min = "100k"
start = "200k"
max = "2M"
"""


MPEG2 = """
[encoder]
codec = "mpeg2"
[video]
max_width = 176
[rate]
max = "2M"
"""


SCALES = ["0.5", "0.66", "1", "1"]
SWITCH_SECONDS = 0.5

CONTAINERS = ["ts", "flv", "mp4"]


class SwitchingServer:
    """A real server whose viewers change between four encode groups, twice a second."""

    def __init__(self, container):
        self._port = free_port()
        self.source = f"http://127.0.0.1:{self._port}/live.{container}"

    def __enter__(self):
        self._process = subprocess.Popen(
            [os.environ["SWITCHING_SERVER"], f"127.0.0.1:{self._port}", str(SWITCH_SECONDS),
             *SCALES],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(self._plays, 20, "switching_server serves")
        return self

    def _plays(self):
        try:
            return len(request_bytes(self.source, 5000)) == 5000
        except OSError:
            return False

    def __exit__(self, kind, *_):
        out, err = self._process.communicate(timeout=20)
        assert kind or self._process.returncode == 0, err
        changes = int(out.split()[0])
        assert kind or changes > 0.6 * SECONDS / SWITCH_SECONDS, f"{changes} changes of group"


def request_bytes(url, count):
    with urllib.request.urlopen(url, timeout=5) as response:
        return response.read(count)


@pytest.fixture(params=["climbing-ts", *(f"{kind}-{container}" for kind in ["steady", "switching"]
                                         for container in CONTAINERS)])
def url(request, tmp_path):
    """A stream in each container: the default full-size test source of `symcast serve`; a stream
    whose operating point changes while it plays; and one with changes of group, and so of frame
    size."""
    kind, container = request.param.split("-")
    if kind == "switching":
        with SwitchingServer(container) as server:
            yield server.source
    else:
        config = CLIMBING if kind == "climbing" else ""
        with Daemon(directory=tmp_path, config=config) as server:
            yield server.url(container=container)


@needs("ffprobe")
def test_ffprobe_reads_both_tracks(url):
    code, out, err = run(["ffprobe", "-v", "warning", "-read_intervals", f"%+{SECONDS}",
                          "-show_entries", "stream=codec_name:packet=codec_type", "-of", "csv=p=0",
                          url])
    assert (code, err) == (0, "")
    words = [word for line in out.split() for word in line.split(",") if word]
    assert {"aac", "h264"} <= set(words) <= {"aac", "h264", "audio", "video"}
    assert words.count("video") > SECONDS * 10
    assert words.count("audio") > SECONDS * 40


@needs("ffmpeg")
def test_ffmpeg_decodes_every_frame(url):
    code, out, err = run(["ffmpeg", "-v", "warning", "-xerror", "-i", url, "-t", str(SECONDS),
                          "-map", "0:v", "-map", "0:a", "-fps_mode", "passthrough",
                          "-enc_time_base", "1/1000", "-f", "framecrc", "-"])
    assert (code, err) == (0, "")
    pictures = [int(line.split(",")[2]) for line in out.splitlines() if line.startswith("0,")]
    steps = [after - before for before, after in zip(pictures, pictures[1:])]
    assert len(pictures) > SECONDS * 10
    assert min(steps) > 0, "a frame is repeated"
    if "switching" in os.environ["PYTEST_CURRENT_TEST"]:
        assert 39 <= min(steps) and max(steps) <= 41, "25 frames per second, without a gap"


@needs("ffprobe")
@needs("ffmpeg")
def test_mpeg2_is_detected_and_decodes(serve, view):
    daemon = serve("--source", "live=test:?size=352x240&fps=30", config=MPEG2)
    viewer = view(daemon.url())
    code, out, err = run(["ffprobe", "-v", "warning", "-show_entries",
                          "stream=codec_name,width,height", "-select_streams", "v",
                          "-of", "default=noprint_wrappers=1", daemon.url()])
    assert (code, err) == (0, "")
    assert set(out.split()) == {"codec_name=mpeg2video", "width=176", "height=120"}
    code, _, err = run(["ffmpeg", "-v", "warning", "-xerror", "-t", "3", "-i", daemon.url(),
                        "-f", "null", "-"])
    assert (code, err) == (0, "")
    summary = viewer.finish()
    assert_clean(summary)
    keyframes = [picture["keyframe"] for picture in viewer.pictures()]
    assert keyframes[0] and 0 < sum(keyframes) < len(keyframes) / 10


@needs("mpv")
def test_mpv_plays(url):
    code, out, err = run(["mpv", "--no-config", "--vo=null", "--ao=null", f"--length={SECONDS}",
                          "--msg-level=all=warn", "--no-terminal", url])
    assert (code, out + err) == (0, "")


@needs("gst-launch-1.0")
def test_gstreamer_plays(url, tmp_path):
    pictures = tmp_path / "pictures"  # 16 x 16 grey pixels each
    code, _, err = run(
        ["timeout", "--preserve-status", "-s", "INT", str(SECONDS), "gst-launch-1.0", "--quiet",
         "souphttpsrc", f"location={url}", "is-live=true", "!", "decodebin", "name=all",
         "all.", "!", "queue", "!", "videoconvert", "!", "videoscale", "!",
         "video/x-raw,format=GRAY8,width=16,height=16", "!",
         "filesink", "buffer-mode=unbuffered", f"location={pictures}",
         "all.", "!", "queue", "!", "audioconvert", "!", "fakesink"],
        env={**os.environ, "GST_DEBUG": "2"})
    # The one line is gst-launch's own, about how it prints a pipeline.
    complaints = [line for line in err.splitlines() if line and "'GstSoupSession'" not in line]
    assert code in (0, 130), "it ends by itself, or by the interrupt"
    assert complaints == []
    assert pictures.stat().st_size / 256 > (SECONDS - 2) * 20


@needs("cvlc")
def test_vlc_plays(url, tmp_path):
    command, environment = vlc_command(tmp_path, f"--run-time={SECONDS}", url, "vlc://quit")
    code, out, err = run(command, env=environment)
    log = out + err
    assert code == 0
    assert "using video decoder module" in log and "using audio decoder module" in log, log
    assert vlc_complaints(log) == []
