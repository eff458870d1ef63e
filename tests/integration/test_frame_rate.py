"""A source of many pictures a second costs little, and plays."""

import subprocess

from netlab.daemon import wait_until
from netlab.lying_server import Endless
from tests.integration.conftest import QUICK

PATIENCE = 60  # seconds


def picture(path, *options):
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", *options, str(path)], check=True)


def test_key_pictures_above_the_limit_are_dropped(serve, tmp_path):
    clip = tmp_path / "clip.mkv"
    picture(clip, "testsrc2=s=64x64:r=500", "-t", "10", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p")
    daemon = serve("--source", f"live=file:{clip}", config=QUICK)
    wait_until(lambda: "source_trouble stream=live trouble=too_fast" in daemon.log(), PATIENCE, "the warning")
    before = daemon.metrics().sum("symcast_source_frames_total")
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total") > before + 100, PATIENCE, "it plays on")
    assert daemon.log().count("trouble=too_fast") == 1
    assert "source_lost" not in daemon.log()


def test_a_sender_of_all_that_it_can_is_held_up(serve, tmp_path):
    """Motion JPEG without times, over HTTP."""
    jpeg = tmp_path / "small.jpg"
    picture(jpeg, "testsrc2=s=64x64", "-frames:v", "1")
    data = jpeg.read_bytes()
    part = b"--x\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(data), data)
    fast = Endless(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=x\r\n\r\n", part * 50)
    daemon = serve("--source", f"live=http://127.0.0.1:{fast.port}/x", config=QUICK)
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total") > 100, PATIENCE, "it plays")
    assert "source_lost" not in daemon.log()
