"""Stock players read the stream without one complaint."""

import os
import re
import shutil
import subprocess

import pytest

from viewer import assert_clean

SECONDS = 6
# Its modules on the stream's way; not those for desktops. The first AAC frame of any stream only
# primes the decoder, which VLC remarks.
VLC_COMPLAINT = re.compile(r"\] (ts demux|\S+ packetizer|\S+ decoder|main (input|.* output)) "
                           r"(error|warning): (?!decoded zero sample)")


# From 200 kbit/s the rate climbs by half a megabit a second, and with it the picture's size.
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


@pytest.fixture(scope="module", params=["", CLIMBING], ids=["default", "climbing"])
def daemon(request, tmp_path_factory):
    """What `symcast serve` offers without any flag but the port, the full-size test source; and
    operating points that change while it is watched."""
    from daemon import Daemon
    with Daemon(directory=tmp_path_factory.mktemp("daemon"), config=request.param) as running:
        yield running


def run(command, **options):
    """Standard output and error of a command that ends by itself."""
    done = subprocess.run(command, text=True, capture_output=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout, done.stderr


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


@needs("ffprobe")
def test_ffprobe_finds_both_tracks(daemon):
    code, out, err = run(["ffprobe", "-v", "warning", "-show_entries", "stream=codec_name",
                          "-of", "csv=p=0", daemon.url()])
    assert (code, err) == (0, "")
    assert sorted(set(out.split())) == ["aac", "h264"]


@needs("ffmpeg")
def test_ffmpeg_decodes_every_frame(daemon):
    code, _, err = run(["ffmpeg", "-v", "warning", "-xerror", "-t", str(SECONDS), "-i",
                        daemon.url(), "-f", "null", "-"])
    assert (code, err) == (0, "")


@needs("ffprobe")
@needs("ffmpeg")
def test_mpeg2_is_found_and_decodes(serve, view):
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
def test_mpv_plays(daemon):
    code, out, err = run(["mpv", "--no-config", "--vo=null", "--ao=null", f"--length={SECONDS}",
                          "--msg-level=all=warn", "--no-terminal", daemon.url()])
    assert (code, out + err) == (0, "")


@needs("cvlc")
def test_vlc_plays(daemon, tmp_path):
    command = ["cvlc", "-vv", "--vout=vdummy", "--aout=adummy", f"--run-time={SECONDS}",
               "--no-color", daemon.url(), "vlc://quit"]
    if os.geteuid() == 0:  # VLC refuses to run as root
        command = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]
    tmp_path.chmod(0o777)
    code, out, err = run(command, env={**os.environ, "HOME": str(tmp_path)})
    lines = (out + err).splitlines()
    assert code == 0
    assert any("using video decoder module" in line for line in lines), "\n".join(lines)
    assert any("using audio decoder module" in line for line in lines), "\n".join(lines)
    assert [line for line in lines if VLC_COMPLAINT.search(line)] == []
