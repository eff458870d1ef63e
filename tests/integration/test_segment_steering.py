"""HLS behind a link that falls from 5 to 1 Mbit/s and returns: the rate of `auto` follows the link,
for a player that loads parts and for one that loads whole segments. Neither misses any."""

import shutil
import subprocess
import threading
import time

import pytest

from netlab.network import Netlab
from tests.integration import hls_rules, mp4_boxes
from tests.integration.segment_requests import HlsPlayer, Player

NOISE = "live=test:?size=640x360&content=noise"  # with noise the encoder spends its whole rate
FAST, SLOW = "5M", "1M"
SLOW_SECONDS = 8


class LowLatencyPlayer:
    """Loads each part as soon as a playlist lists it (blocking reload), until the `with` block ends."""

    def __init__(self, daemon, **where):
        self._playlists = HlsPlayer(daemon, **where)
        self._media = Player(daemon, **where)
        self.chunks = []  # as in mp4_boxes
        self.refused = []  # (path, status) of refused requests
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self._playlists.__exit__()
        self._media.__exit__()

    def _run(self):
        playlist = self._playlists.playlist("auto")
        segment, part = playlist.last_part()
        last = segment.number, part
        while not self._stop.is_set():
            last = self._load_after(last, playlist)
            number, part, _ = playlist.hints[0]["URI"].split(".")
            reply = self._playlists.ask_playlist("auto", msn=number, part=part)
            if reply.status != 200:
                self.refused.append((f"playlist of {number}.{part}", reply.status))
                return
            playlist = hls_rules.MediaPlaylist(reply.body.decode())

    def _load_after(self, last, playlist):
        """Parts are listed for three segments; a player that is further behind misses some."""
        for segment in playlist.all():
            for part in range(len(segment.parts)):
                if (segment.number, part) > last:
                    last = segment.number, part
                    self._load(self._playlists.path("auto", segment.parts[part].uri))
        return last

    def _load(self, path):
        reply = self._media.get(path)
        if reply.status == 200:
            self.chunks += mp4_boxes.chunks(reply.body)
        else:
            self.refused.append((path, reply.status))


@pytest.fixture
def lab(needs_lab):
    with Netlab(rate=FAST, delay_ms=20) as lab:
        yield lab


def rate(metrics):
    """Target rate of the session's group."""
    groups = [labels["group"] for name, labels, value in metrics.samples
              if name == "symcast_group_viewers" and value > 0]
    return sum(metrics.sum("symcast_group_rate_target_bits_per_second", group=group)
               for group in groups)


def steer(lab, daemon):
    daemon.wait_for(lambda m: rate(m) > 2.5e6, 15, "the rate is high")
    lab.set(down_rate=SLOW)
    daemon.wait_for(lambda m: rate(m) < 1e6, 2, "the rate is below the link")
    slow_until = time.monotonic() + SLOW_SECONDS
    while time.monotonic() < slow_until:
        assert rate(daemon.metrics()) < 1e6, "the rate stays below the link"
        time.sleep(0.2)
    lab.set(down_rate=FAST)
    daemon.wait_for(lambda m: rate(m) > 3e6, 10, "the rate is high again")


def test_the_rate_follows_a_player_of_parts(lab, serve):
    daemon = serve("--source", NOISE, lab=lab)
    with LowLatencyPlayer(daemon, netns=lab.clients[0].netns, ip=lab.server_ip) as player:
        steer(lab, daemon)
    assert player.refused == []
    assert len(player.chunks) > 2 * SLOW_SECONDS
    assert mp4_boxes.gaps(player.chunks) == [], "every part follows the one before it"


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_the_rate_follows_a_player_of_whole_segments(lab, serve, tmp_path):
    daemon = serve("--source", NOISE, lab=lab)
    pictures = tmp_path / "pictures"
    url = f"http://{lab.server_ip}:{daemon.port}/live/index.m3u8"
    with open(pictures, "w") as out:
        player = lab.run_client(
            ["ffmpeg", "-v", "warning", "-i", url, "-map", "0:v", "-fps_mode", "passthrough",
             "-enc_time_base", "1/1000", "-f", "framecrc", "-"],
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
        steer(lab, daemon)
        player.terminate()
        player.wait()
    times = [int(line.split(",")[2]) for line in pictures.read_text().splitlines()
             if line.startswith("0,") and line.count(",") == 5]  # the last line may be half written
    assert len(times) > 30 * SLOW_SECONDS
    assert {after - before for before, after in zip(times, times[1:])} == {33, 34}
