"""A picture larger than source.max_size is refused by what its header says, before there is memory for it."""

import re
import subprocess

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.lying_server import LyingServer
from tests.integration import far_ends
from tests.integration.conftest import QUICK
from tests.integration.lying_media import png, resized_jpeg, sps, video_stream

PATIENCE = 120  # seconds
# The sizes are beyond the memory too, so that a picture that is not refused has another reason.
CONFIG = '[source]\nmax_size = "640x360"\nbackoff_min = "1s"\nbackoff_max = "2s"\n' + QUICK


def picture(path, size, *options):
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s={size}", "-frames:v", "1",
                    *options, str(path)], check=True)
    return path.read_bytes()


def multipart(jpeg):
    part = b"--x\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(jpeg), jpeg)
    return ("multipart/x-mixed-replace;boundary=x", part * 20)


def pages(directory):
    """{name: ((content type, body), size in the reason)}"""
    jpeg = picture(directory / "small.jpg", "64x64")
    huge = resized_jpeg(jpeg, 65500, 65500)
    clip = directory / "clip.ts"
    subprocess.run(far_ends.clip_command(clip, seconds=5, size="642x424"), check=True)
    little = sps(320, 192)
    return {
        "png": (("image/png", png(40000, 30000)), "40000x30000"),
        "jpeg": (("image/jpeg", huge), "65500x65500"),
        "motion_jpeg": (multipart(huge), "65500x65500"),
        "h264": (("video/mp2t", video_stream([sps(16000, 16000)])), "16000x16000"),
        "h264_larger": (("video/mp2t", video_stream([sps(64000, 64000)])), "64000x64000"),
        "h264_later": (("video/mp2t", video_stream([little] * 5 + [sps(4096, 4096)])), "4096x4096"),
        "h264_cut": (("video/mp2t", video_stream([sps(16000, 16000, cut=(320, 180))])), "16000x16000"),
        "honest": (("video/mp2t", clip.read_bytes()), "642x424"),
    }


class Refused:
    """Sources with pictures that are too large have been lost."""

    def __init__(self, directory):
        server = LyingServer()
        self.sizes, words = {}, []
        for name, (page, size) in pages(directory).items():
            server.pages[f"/{name}"] = page
            self.sizes[name] = size
            words += ["--source", f"{name}={server.url(f'/{name}')}"]
        self.sizes["raw"] = "16000x16000"
        words += ["--source", "raw=gst:videotestsrc is-live=1 ! video/x-raw,width=16000,height=16000 ! identity"]
        with Daemon(*words, directory=directory, config=CONFIG, sources_play=False) as daemon:
            for name in self.sizes:
                wait_until(lambda: f"source_lost stream={name} " in daemon.log(), PATIENCE, f"the end of {name}")
            self.metrics = daemon.metrics()
            self.log = daemon.log()


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    return Refused(tmp_path_factory.mktemp("refused"))


@pytest.mark.parametrize("name", ["png", "jpeg", "motion_jpeg", "h264", "h264_larger", "h264_later", "h264_cut", "honest",
                                  "raw"])
def test_names_the_size(refused, name):
    reason = re.search(rf'source_lost stream={name} .*reason="([^"]*)"', refused.log)
    assert reason and reason[1].startswith(f"the picture is {refused.sizes[name]}; a source may have at most 640x360"), \
        refused.log
    assert refused.metrics.sum("symcast_source_ends_total", stream=name, cause="refused") > 0


def test_plays_what_is_within_the_limit(serve, tmp_path):
    """Of exactly its size, also upright, and with a block more in the decoder."""
    words = []
    for name, size in (("exact", "640x360"), ("upright", "360x640")):
        clip = tmp_path / f"{name}.ts"
        subprocess.run(far_ends.clip_command(clip, seconds=5, size=size), check=True)
        words += ["--source", f"{name}=file:{clip}"]
    picture(tmp_path / "still.png", "640x360")
    daemon = serve(*words, "--source", f"still=file:{tmp_path / 'still.png'}", config=CONFIG)
    assert "source_lost" not in daemon.log()


def test_a_limit_can_be_raised(serve, tmp_path):
    clip = tmp_path / "clip.ts"
    subprocess.run(far_ends.clip_command(clip, seconds=5, size="642x424"), check=True)
    daemon = serve("--source", f"large=file:{clip}", config=CONFIG.replace("640x360", "642x424"))
    assert "source_lost" not in daemon.log()
