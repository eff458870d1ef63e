"""Animated images are sources: they play at their own speed, and again and again."""

import subprocess

from netlab.daemon import Daemon
from tests.integration import flash_and_beep
from tests.integration.conftest import KEEP_GROUPS, QUICK

PATIENCE = 120  # seconds
ROUND = 2  # seconds of the animation
SECONDS = 7  # that a viewer receives: three rounds
MOST = 0.08  # seconds: two pictures, of which a busy server may leave one out


def test_an_animation_plays_again_and_again(tmp_path):
    path = tmp_path / "animation.gif"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", flash_and_beep.FLASH, "-t", str(ROUND), path],
                   check=True)
    received = tmp_path / "received.ts"
    with Daemon("--source", f"live=file:{path}", directory=tmp_path, config=KEEP_GROUPS + QUICK) as daemon:
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", daemon.url(), "-t", str(SECONDS), "-c", "copy",
                        "-f", "mpegts", received], check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        metrics = daemon.metrics()
    assert metrics.sum("symcast_source_restarts_total") == 0
    flashes = flash_and_beep.onsets(flash_and_beep.pictures(received), flash_and_beep.WHITE)
    assert len(flashes) >= SECONDS - 1
    between = [second - first for first, second in zip(flashes, flashes[1:])]
    assert all(abs(interval - 1) < MOST for interval in between), between
