"""Animated images and motion JPEG are sources: their files play at their own speed, and again and again."""

import statistics
import subprocess

import pytest

from netlab.daemon import Daemon, wait_until
from tests.integration import flash_and_beep
from tests.integration.conftest import KEEP_GROUPS, QUICK
from tests.integration.media_server import MediaServer

PATIENCE = 120  # seconds
ROUND = 2  # seconds of the animation
SECONDS = 7  # that a viewer receives: three rounds
MOST = 0.04  # seconds: a picture
EXACT = 0.002  # seconds


def animation(path):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", flash_and_beep.FLASH, "-t", str(ROUND), path], check=True)
    return path


@pytest.mark.parametrize("name", ["animation.gif", "motion.mjpeg"])  # motion JPEG has neither a rate nor times
def test_a_file_plays_again_and_again(tmp_path, name):
    path = animation(tmp_path / name)
    received = tmp_path / "received.ts"
    with Daemon("--source", f"live=file:{path}", directory=tmp_path, config=KEEP_GROUPS + QUICK) as daemon:
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", daemon.url(), "-t", str(SECONDS), "-c", "copy",
                        "-f", "mpegts", received], check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        metrics = daemon.metrics()
    assert metrics.sum("symcast_source_restarts_total") == 0
    pictures = flash_and_beep.pictures(received)
    steps = [(second - first) * flash_and_beep.RATE for (first, _), (second, _) in zip(pictures, pictures[1:])]
    even = [abs(step - round(step)) < EXACT * flash_and_beep.RATE for step in steps]
    # A server that is held up leaves pictures out, and may repeat one at a time of its own.
    assert sum(even) > 0.9 * len(even), steps
    begins = sorted(flash_and_beep.begin_ranges(pictures).items())  # (at the latest, at the earliest)
    assert len(begins) > ROUND, begins
    between = [(second[1] - first[0], second[0] - first[1]) for first, second in zip(begins, begins[1:])]
    errors = [max(least - 1, 1 - most, 0) for least, most in between]
    assert statistics.median_low(errors) < MOST, between


@pytest.mark.parametrize("size", [100, 10**6], ids=["part", "whole"])
def test_a_gif_by_http_says_that_it_has_to_be_a_file(tmp_path, size):
    data = animation(tmp_path / "animation.gif").read_bytes()[:size]
    server = MediaServer({"/a.gif": lambda write: write(data)}, {"/a.gif": "image/gif"})
    with Daemon("--source", f"live={server.uri('/a.gif')}", directory=tmp_path, config=QUICK,
                sources_play=False) as daemon:
        wait_until(lambda: "source_lost" in daemon.log(), PATIENCE, "the log names the reason")
        assert "a GIF plays only from a file; save it on this host and use file:" in daemon.log()
    server.end()
