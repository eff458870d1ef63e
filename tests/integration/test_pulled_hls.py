"""Pulled HLS goes on over discontinuities in every container, and its pictures and audio stay in time."""

import collections
import concurrent.futures
import itertools
import os
import re
import statistics
import subprocess
import threading

import pytest

from netlab.daemon import Daemon
from tests.integration import flash_and_beep
from tests.integration.conftest import ALL_PICTURES, KEEP_GROUPS, QUICK
from tests.integration.hls_origin import CONTAINERS, FIRST, Origin, package
from tests.integration.media_server import MediaServer

PATIENCE = 120  # seconds
# A busy machine may have no pictures for seconds, which is no reason to begin again.
CONFIG = '[source]\nsilence_timeout = "60s"\n' + KEEP_GROUPS + ALL_PICTURES + QUICK
SECONDS = 22  # that a viewer receives
RESTART = 6  # seconds of them before an origin restarts
MOST = 45  # milliseconds: ITU-R BT.1359 has viewers notice 45 ms of early audio
HOUR = 3600
WRAP = 2**33 / 90000  # seconds
KEYFRAMES = 25  # pictures: a second, the length of a segment
H264 = ("-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", str(KEYFRAMES), "-keyint_min", str(KEYFRAMES),
        "-sc_threshold", "0")
HEVC = ("-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params",
        f"log-level=error:bframes=2:keyint={KEYFRAMES}:min-keyint={KEYFRAMES}:scenecut=0")
AAC = ("-c:a", "aac")


class Piece:
    """A clip with a flash of this shade and a beep in each second, and the segments of it that are missing."""

    def __init__(self, shade, *codecs, size="160x90", seconds=4, offset=FIRST, missing=()):
        self.shade, self.codecs, self.size, self.seconds = shade, codecs or (*H264, *AAC), size, seconds
        self.offset, self.missing = offset, missing

    def make(self, path):
        flash = (f"color=black:s={self.size}:r={flash_and_beep.RATE},"
                 f"drawbox=color={self.shade}:t=fill:enable='between(mod(t,1),0.519,0.9)'")
        beep = "aevalsrc='if(between(mod(t,1),0.52,0.62),0.8,0.002)*sin(2*PI*1000*t)':s=48000:c=stereo"
        return flash_and_beep.clip(path, *self.codecs, seconds=self.seconds, flash=flash, beep=beep)


# Two pieces play in turn, with a discontinuity before each. The shades tell them apart.
BRIGHT, DIM = "white", "gray"
HALF_BRIGHT = 190  # luma between the two
OTHER_AUDIO = (*AAC, "-ar", "44100", "-ac", "1")
KINDS = {
    "restart": (Piece(BRIGHT), Piece(DIM)),  # of the times
    "hours": (Piece(BRIGHT), Piece(DIM, offset=5 * HOUR)),
    "wrap": (Piece(BRIGHT, offset=WRAP - 4), Piece(DIM, offset=WRAP / 2)),
    "parameters": (Piece(BRIGHT), Piece(DIM, *H264, *OTHER_AUDIO, size="320x180")),
    "codecs": (Piece(BRIGHT), Piece(DIM, *HEVC, *OTHER_AUDIO)),
    "numbers": (Piece(BRIGHT), Piece(DIM)),  # begin at 0 again
    "missing": (Piece(BRIGHT, seconds=8, missing=(3,)), Piece(DIM)),
}

# Six sources at once take all of a small machine for minutes, so `make test` has a part of them.
LONG = bool(os.environ.get("SYMCAST_TEST_LONG"))
PLAYED_KINDS = list(KINDS) if LONG else ["restart", "hours", "codecs"]
PLAYED = list(CONTAINERS) if LONG else ["ts", "fmp4"]


class Seen:
    """A recording of a viewer: (shade, [how late each beep is at the least, in milliseconds]) of each piece."""

    def __init__(self, path):
        pictures = flash_and_beep.pictures(path)
        beeps = flash_and_beep.onsets(flash_and_beep.audio(path), flash_and_beep.LOUD)
        flashes = []
        for seen, begin in flash_and_beep.begin_ranges(pictures).items():
            level = max(level for time, level in pictures if seen <= time < seen + 0.2)
            late = min((beep - min(max(beep, begin), seen) for beep in beeps), key=abs, default=float("inf"))
            flashes.append((BRIGHT if level > HALF_BRIGHT else DIM, 1000 * late))
        self.pieces = [(shade, [late for _, late in piece])
                       for shade, piece in itertools.groupby(flashes, lambda flash: flash[0])]


class Recordings:
    """The recordings of viewers of all containers, which are pulled at the same time, by kind."""

    def __init__(self, folder):
        self._folder, self._done = folder, {}

    def of(self, kind):
        if kind not in self._done:
            folder = self._folder / kind
            folder.mkdir()
            self._done[kind] = self._record(kind, folder)
        return self._done[kind]

    def _record(self, kind, folder):
        clips = [(piece, piece.make(folder / f"{piece.shade}.mkv")) for piece in KINDS[kind]]
        origins = [self._origin(name, clips) for name in PLAYED]
        paths = {path: send for origin in origins for path, send in origin.paths().items()}
        media = MediaServer(paths, {path: "application/vnd.apple.mpegurl" for path in paths if path.endswith("m3u8")})
        words = [word for origin in origins
                 for word in ("--source", f"{origin.name}={media.uri(f'/{origin.name}.m3u8')}")]
        with Daemon(*words, directory=folder, config=CONFIG, sources_play=False) as daemon:
            with concurrent.futures.ThreadPoolExecutor(len(origins)) as pool:
                files = pool.map(lambda origin: self._watch(daemon, origin, kind == "numbers"), origins)
                files = dict(zip(PLAYED, files))
            metrics = daemon.metrics()
        media.end()
        return files, metrics, daemon.log()

    @staticmethod
    def _origin(name, clips):
        pieces = []
        for piece, clip in clips:
            pieces.append(package(clip, f"{name}-{piece.shade}", name, piece.offset))
            for segments in pieces[-1].values():
                for number in piece.missing:
                    segments[number].name = f"missing-{segments[number].name}"
        return Origin(name, clips[0][1].parent, pieces)

    @staticmethod
    def _watch(daemon, origin, restarts):
        daemon.wait_for(lambda m: m.sum("symcast_source_status", stream=origin.name, status="playing"), PATIENCE,
                        f"{origin.name} plays")
        restart = threading.Timer(RESTART, origin.restart)
        if restarts:
            restart.start()
        path = daemon.directory / f"received-{origin.name}.ts"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", daemon.url(origin.name), "-t", str(SECONDS), "-c", "copy",
                        "-f", "mpegts", path], check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        if restarts:
            restart.join()
        return path


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    return Recordings(tmp_path_factory.mktemp("recordings"))


def check_log(log, container):
    """Each event and each trouble of the source at most once, but for stalls of a busy server."""
    told = collections.Counter(re.findall(rf"\w+ (source_\w+) stream={container} (?:.*?trouble=(\w+))?", log))
    assert all(times == 1 for (event, _), times in told.items() if event != "source_stalled"), told


@pytest.mark.parametrize("container", PLAYED)
@pytest.mark.parametrize("kind", PLAYED_KINDS)  # the slower one to change
def test_plays_on_in_time(recordings, kind, container):
    """By the median of each piece, because a busy server leaves frames out. The first piece and the last one are
    cut."""
    files, metrics, log = recordings.of(kind)
    pieces = Seen(files[container]).pieces
    whole = pieces[1:-1]
    assert {shade for shade, _ in pieces} == {BRIGHT, DIM}, log
    assert len(pieces) > 2, pieces
    for _, late in whole:
        assert len(late) > 1, pieces
        assert abs(statistics.median(late)) < MOST, pieces
    assert log.count("source_numbers_restarted") == (len(list(itertools.chain(*CONTAINERS.values())))
                                                     if kind == "numbers" else 0), log
    if kind != "missing":  # hlsdemux waits for a missing segment for longer than that would last
        assert metrics.sum("symcast_source_restarts_total", stream=container) == 0, log
        check_log(log, container)
