"""The declared rates and codecs of a ladder are true."""

import json
import re
import shutil
import statistics
import subprocess

import pytest

from netlab import mp4_boxes
from netlab.daemon import Daemon, wait_until
from tests.integration.quick_segments import SEGMENT
from tests.integration.segment_requests import PATIENCE, HlsPlayer, Rungs

# Rates at which 640x360 has three frame sizes, with noise, which spends the whole rate. At 10 frames per
# second four encoders keep up on a busy machine.
NOISE_RATE = 10
NOISE = f"test:?size=640x360&fps={NOISE_RATE}&content=noise"
TOP_RATE = 800_000
RUNGS = f"""
[encoder]
preset = "ultrafast"
keyframe_interval = "{1000 * SEGMENT:g}ms"
[rate]
min = "100k"
start = "200k"
max = {TOP_RATE}
[scaling]
min_bits_per_pixel = 0.125
[groups]
max = 4
"""


@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    """(server, its multivariant playlist from directly after the start)."""
    with Daemon("--source", f"live={NOISE}", directory=tmp_path_factory.mktemp("ladder"),
                config=RUNGS) as daemon:
        with HlsPlayer(daemon, "?abr=player") as player:
            yield daemon, player.multivariant


@pytest.fixture(scope="module")
def rungs(ladder):
    return Rungs(ladder[0])


def test_the_declared_rates_of_a_new_source_are_true(ladder):
    """They hold as soon as the source starts."""
    sizes = [variant["RESOLUTION"] for variant in ladder[1].variants]
    assert sizes == ["640x360", "640x360", "480x270", "320x180"]
    check_frame_rates(ladder[1].variants)


def check_frame_rates(variants):
    """All have that of the source, measured over 12 to 32 frames. On a busy machine some are missing."""
    declared = {variant["FRAME-RATE"] for variant in variants}
    assert len(declared) == 1
    assert declared <= {f"{NOISE_RATE * frames / (frames + missing):.3f}"
                        for frames in range(12, 33) for missing in range(frames)}


@pytest.mark.skipif(not shutil.which("ffprobe"), reason="ffprobe is not installed")
def test_declared_rates_and_codecs_are_true(rungs, tmp_path):
    check_frame_rates(rungs.variants)
    assert len({rungs.declared_size(rung) for rung in range(4)}) == 3
    first = rungs.playlist(0).segments[-1].number + 1
    audio = rungs.players[0]
    video_bodies, audio_bodies = [{} for _ in rungs.players], {}

    def enough():
        for rung, bodies in enumerate(video_bodies):
            add_rung_segments(rungs, rung, first, bodies)
        for segment in audio.playlist("audio").segments:
            if segment.number >= first and segment.number not in audio_bodies:
                audio_bodies[segment.number] = audio.media(audio.path("audio", segment.uri))
        return min(map(len, [*video_bodies, audio_bodies])) >= 4

    wait_until(enough, 2 * PATIENCE, "four segments of each rendition", 0.5)
    audio_rates = rates(audio_bodies, audio.media(audio.path("audio", "init.mp4")))
    for rung, (variant, bodies) in enumerate(zip(rungs.variants, video_bodies)):
        init = rungs.players[rung].media(rungs.path(rung, rungs.playlist(rung).segments[-1].init))
        video_rates = rates(bodies, init)
        assert max(video_rates) + max(audio_rates) <= int(variant["BANDWIDTH"])
        assert statistics.mean(video_rates) > 0.9 * TOP_RATE / 2**rung, "the rate was not used up"
        mean = statistics.mean(video_rates) + statistics.mean(audio_rates)
        assert mean <= int(variant["AVERAGE-BANDWIDTH"])
        found = probe(init + b"".join(bodies.values()), tmp_path / f"{rung}.mp4")
        assert (found["width"], found["height"]) == rungs.declared_size(rung)
        assert found["r_frame_rate"] == f"{NOISE_RATE}/1"
        check_codec(variant["CODECS"], found)


def add_rung_segments(rungs, rung, first, bodies):
    """Adds the rung's segments from `first` on that have all their frames, at their declared size:
    on a busy machine frames are missing, and another rung's encoder may have made a segment."""
    player = rungs.players[rung]
    for segment in rungs.playlist(rung).segments:
        if segment.number < first or segment.number in bodies:
            continue
        init = player.media(rungs.path(rung, segment.init))
        body = player.media(rungs.path(rung, segment.uri))
        if mp4_boxes.picture_size(init) == rungs.declared_size(rung) and is_whole(init, body):
            bodies[segment.number] = body


def durations(init, body):
    """Seconds that each frame lasts."""
    scale = mp4_boxes.timescale(init)
    return [ticks / scale for _, chunk, _ in mp4_boxes.chunks(body) for ticks in chunk]


def is_whole(init, body):
    """Whether no frame is missing in a segment. Its last frame is no longer if those behind it are."""
    frames = durations(init, body)
    return len(frames) >= SEGMENT * NOISE_RATE and max(frames) < 1.5 / NOISE_RATE


def rates(bodies, init):
    """bit/s of each segment."""
    return [8 * len(body) / sum(durations(init, body)) for body in bodies.values()]


def probe(media, path):
    """ffprobe's description of the video stream."""
    path.write_bytes(media)
    done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_streams",
                           "-of", "json", path], capture_output=True, timeout=PATIENCE, check=True)
    return json.loads(done.stdout)["streams"][0]


def check_codec(codecs, found):
    """RFC 6381: profile, constraints and level in hexadecimal. The declared ones are upper bounds."""
    video, audio = codecs.split(",")
    profile, level = re.fullmatch(r"avc3\.([0-9a-f]{2})[0-9a-f]{2}([0-9a-f]{2})", video).groups()
    profiles = {"Constrained Baseline": 66, "Main": 77, "High": 100}
    assert profiles[found["profile"]] <= int(profile, 16)
    assert found["level"] <= int(level, 16)
    assert audio == "mp4a.40.2"


def test_a_new_player_begins_at_the_start_rate(ladder, rungs):
    """It does not get the highest rate that exists."""
    wait_until(lambda: all([len(rungs.playlist(rung).segments) >= 4 for rung in range(4)]), PATIENCE,
               "segments")
    with HlsPlayer(ladder[0]) as player:
        oldest = player.playlist("auto").segments[0]
        size = len(player.media(player.path("auto", oldest.uri)))
    assert size * 8 / oldest.duration < 300_000
