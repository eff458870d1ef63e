"""HLS behind a link that falls from 5 to 1 Mbit/s and returns: the rate of `auto` follows the link,
for a player that loads parts and for one that loads whole segments. Neither misses any. The player of
parts gets no more of a late part than it can show, and can decode all."""

import shutil
import subprocess
import threading

import pytest

from netlab import mp4_boxes
from netlab.daemon import Daemon, wait_until
from netlab.network import Netlab
from tests.integration import hls_rules
from tests.integration.segment_requests import (NOT_IN_TIME, PATIENCE, HlsPlayer, Player, hinted,
                                                pauses)

FPS = 30
NOISE = f"test:?size=640x360&fps={FPS}&content=noise"  # with noise the encoder spends its whole rate
FAST, SLOW = "5M", "1M"
LINK = {FAST: 5e6, SLOW: 1e6}  # bit/s
# One encoder for each stream, so that its counters cover the whole test.
CONFIG = """
[encoder]
preset = "ultrafast"
keyframe_interval = "1s"
[groups]
max = 1
"""
SLOW_FRAMES = 5 * FPS  # to encode while the link is slow
FALLS = 5


class LowLatencyPlayer:
    """Loads each part as soon as a playlist lists it (blocking reload), until the `with` block ends."""

    def __init__(self, daemon, stream, **where):
        self._playlists = HlsPlayer(daemon, stream=stream, **where)
        self._media = Player(daemon, **where)
        self.chunks = []  # as in mp4_boxes
        self.media = []  # files: an initialization section and the parts that need it
        self.refused = []  # (path, status) of refused requests
        self._init = None
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
            number, part = hinted(playlist)
            reply = self._playlists.ask_playlist("auto", msn=number, part=part)
            if NOT_IN_TIME in reply.body:
                continue
            if reply.status != 200:
                self.refused.append((f"playlist of {number}.{part}", reply.status))
                return
            playlist = hls_rules.MediaPlaylist(reply.body.decode())

    def _load_after(self, last, playlist):
        """Parts are listed for three segments; a player that is further behind misses some."""
        for segment in playlist.all():
            for part in range(len(segment.parts)):
                if (segment.number, part) > last:
                    if part == 0 or not self.media:
                        self._load_init(segment)
                    last = segment.number, part
                    self._load(self._playlists.path("auto", segment.parts[part].uri))
        return last

    def _load_init(self, segment):
        if segment.init != self._init:
            self._init = segment.init
            self.media.append(self._media.media(self._playlists.path("auto", segment.init)))

    def _load(self, path):
        reply = self._media.get(path)
        if reply.status == 200:
            self.chunks += mp4_boxes.chunks(reply.body)
            self.media[-1] += reply.body
        else:
            self.refused.append((path, reply.status))


def ffmpeg(lab, daemon, client, out):
    """Plays whole segments, and prints the times of the frames."""
    url = f"http://{lab.clients[client].server_ip}:{daemon.port}/whole/index.m3u8"
    return lab.run_client(
        ["ffmpeg", "-v", "warning", "-i", url, "-map", "0:v", "-fps_mode", "passthrough",
         "-enc_time_base", "1/1000", "-f", "framecrc", "-"], client=client,
        stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)


def frame_times(pictures):
    """Milliseconds of the frames that ffmpeg has played."""
    return [int(line.split(",")[2]) for line in pictures.read_text().splitlines()
            if line.startswith("0,") and line.count(",") == 5]  # the last line may be half written


class Rates:
    """Target rates of the streams' groups."""

    def __init__(self, daemon, streams):
        self._daemon, self._streams = daemon, streams

    def wait_for(self, condition, what):
        """Waits until condition(rate) has been true for each stream."""
        missing = set(self._streams)

        def all_seen(metrics):
            missing.difference_update([name for name in missing if condition(rate(metrics, name))])
            return not missing

        self._daemon.wait_for(all_seen, PATIENCE, what)

    def stay_below(self, limit, frames):
        """Fails if a rate rises to `limit` before that many frames are encoded for each stream."""
        until = encoded(self._daemon.metrics(), self._streams) + frames * len(self._streams)

        def passed():
            metrics = self._daemon.metrics()
            for name in self._streams:
                assert rate(metrics, name) < limit, name
            return encoded(metrics, self._streams) >= until

        wait_until(passed, 2 * PATIENCE, "frames for the slow link", 0.2)


def rate(metrics, stream):
    return metrics.sum("symcast_group_rate_target_bits_per_second", stream=stream)


def encoded(metrics, streams):
    return sum(metrics.sum("symcast_group_frames_total", stream=stream) for stream in streams)


def discards(daemon):
    return daemon.metrics().sum("symcast_segment_discards_total", stream="parts")


def fall_until_discarded(lab, daemon, rates):
    """A machine that is so busy that it notices a fall late may send all frames of one."""
    for _ in range(FALLS):
        if discards(daemon):
            break
        lab.set(down_rate=SLOW)
        rates.wait_for(lambda rate: 0 < rate < LINK[SLOW], "the rate is below the link")
        lab.set(down_rate=FAST)
        rates.wait_for(lambda rate: rate > LINK[FAST] / 2, "the rate is high again")


@pytest.fixture(scope="module")
def lab(needs_lab):
    with Netlab(clients=2, rate=FAST, delay_ms=20) as lab:
        yield lab


@pytest.fixture(scope="module")
def played(lab, tmp_path_factory):
    """Both players behind links of their own, at the same time: (server, player of parts, file of the
    frame times that ffmpeg printed)."""
    directory = tmp_path_factory.mktemp("played")
    pictures = directory / "pictures"
    streams = ["parts", "whole"] if shutil.which("ffmpeg") else ["parts"]
    sources = [word for name in streams for word in ("--source", f"{name}={NOISE}")]
    with Daemon(*sources, directory=directory, config=CONFIG, lab=lab) as daemon:
        client = lab.clients[0]
        with (open(pictures, "w") as out,
              LowLatencyPlayer(daemon, "parts", netns=client.netns, ip=client.server_ip) as player):
            whole = ffmpeg(lab, daemon, 1, out) if "whole" in streams else None
            rates = Rates(daemon, streams)
            rates.wait_for(lambda rate: rate > LINK[FAST] / 2, "the rate is high")
            lab.set(down_rate=SLOW)
            rates.wait_for(lambda rate: 0 < rate < LINK[SLOW], "the rate is below the link")
            rates.stay_below(LINK[FAST] / 2, SLOW_FRAMES)
            rates.wait_for(lambda rate: 0 < rate < LINK[SLOW], "the rate is below the link again")
            lab.set(down_rate=FAST)
            rates.wait_for(lambda rate: rate > LINK[FAST] / 2, "the rate is high again")
            fall_until_discarded(lab, daemon, rates)
            if whole:
                whole.terminate()
                whole.wait()
        yield daemon, player, pictures


def test_the_rate_follows_a_player_of_parts(played):
    daemon, player, _ = played
    assert player.refused == []
    assert sum(len(ticks) for _, ticks, _ in player.chunks) > SLOW_FRAMES
    assert mp4_boxes.gaps(player.chunks) == [] or pauses(daemon, "parts"), \
        "every part follows the one before it"


def test_parts_that_would_be_late_are_sent_without_frames(played):
    daemon, player, _ = played
    assert discards(daemon) > 0
    longest = max(duration for _, ticks, _ in player.chunks for duration in ticks)
    assert longest >= 3 * 90_000 / FPS, "a frame is shown in place of those that were left out"


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_what_is_left_can_be_decoded(played, tmp_path):
    _, player, _ = played
    for number, data in enumerate(player.media):
        media = tmp_path / f"{number}.mp4"
        media.write_bytes(data)
        done = subprocess.run(["ffmpeg", "-v", "warning", "-nostdin", "-i", media, "-map", "0:v",
                               "-fps_mode", "passthrough", "-f", "null", "-"],
                              capture_output=True, text=True, timeout=PATIENCE, check=True)
        assert done.stderr == ""


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_the_rate_follows_a_player_of_whole_segments(played):
    daemon, _, pictures = played
    times = frame_times(pictures)
    assert len(times) > SLOW_FRAMES / 2
    missing = sum(round((after - before) * FPS / 1000) - 1 for before, after in zip(times, times[1:]))
    late = daemon.metrics().sum("symcast_group_frames_late_total", stream="whole")
    assert missing <= late or pauses(daemon, "whole"), "it plays each frame that was encoded"
