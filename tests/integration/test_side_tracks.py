"""One programme, one picture and one audio track are played. Other tracks of a source cost the picture nothing,
even if they break or change all the time."""

import functools
import itertools
import random
import subprocess

import pytest

from netlab.lying_bits import pid as pid_of
from netlab.lying_server import Broadcast
from netlab.viewer import assert_clean
from tests.integration import far_ends
from tests.integration.conftest import KEEP_GROUPS, QUICK
from tests.integration.lying_media import tables, with_pid

PATIENCE = 60  # seconds
FPS = 25
VIDEO, AUDIO = 0x100, 0x101  # ffmpeg's
H264, AAC = 0x1b, 0x0f
KINDS = [2, 3, AAC, H264, 0x24, 0x81]


def packets(clip):
    data = clip.read_bytes()
    return [data[at:at + 188] for at in range(0, len(data), 188)]


def of(pids, clip):
    return [packet for packet in clip if pid_of(packet) in pids]


def garbage(pid, noise):
    """A packet that begins a PES packet, and goes no further."""
    head = b"\0\0\1\xe0\0\0\x80\x80\5\x21\0\1\0\1"
    return bytes([0x47, 0x40 | pid >> 8, pid & 255, 0x10]) + head + noise.randbytes(170)


def endless(kind, stream_id, clip):
    """A track whose one PES packet does not end: ten times the rate of the picture."""
    yield tables([(H264, VIDEO), (kind, 0x200)], 1)
    yield b"\x47\x42\0\x10" + (b"\0\0\1" + bytes([stream_id]) + b"\0\0\x80\x80\5\x21\0\1\0\1").ljust(184, b"\xff")
    counters = itertools.count(1)
    for packet in of([VIDEO], clip):
        yield packet + b"".join(bytes([0x47, 2, 0, 0x10 | next(counters) & 15]) + b"\xff" * 184 for _ in range(10))


def passing_tracks(clip):
    """Thirty tracks, whose PIDs change ten times a second."""
    noise = random.Random(1)
    video = of([VIDEO], clip)
    step = len(video) // (10 * SECONDS)
    for number, at in enumerate(range(0, len(video), step)):
        side = [(KINDS[(number + k) % 6], 0x200 + (number * 31 + k) % 7000) for k in range(30)]
        yield tables([(H264, VIDEO), *side], number) + b"".join(video[at:at + step])
        yield b"".join(garbage(pid, noise) for _, pid in side)


def passing_audio(clip):
    """The audio moves to another PID five times a second."""
    media = of([VIDEO, AUDIO], clip)
    step = len(media) // (5 * SECONDS)
    for number, at in enumerate(range(0, len(media), step)):
        pid = 0x200 + number
        yield tables([(H264, VIDEO), (AAC, pid)], number)
        yield b"".join(with_pid(p, pid) if pid_of(p) == AUDIO else p for p in media[at:at + step])


def passing_codecs(clip):
    """The audio has another codec, or is said to, five times a second."""
    media = of([VIDEO, AUDIO], clip)
    step = len(media) // (5 * SECONDS)
    for number, at in enumerate(range(0, len(media), step)):
        yield tables([(H264, VIDEO), ([AAC, 3, 0x81][number % 3], AUDIO)], number)
        yield b"".join(media[at:at + step])


SECONDS = 20
SOURCES = {"endless_audio": functools.partial(endless, AAC, 0xc0), "endless_video": functools.partial(endless, H264, 0xe1),
           "endless_data": functools.partial(endless, 6, 0xbd), "passing_tracks": passing_tracks,
           "passing_audio": passing_audio, "passing_codecs": passing_codecs}


@pytest.fixture(scope="module", name="clip")
def make_clip(tmp_path_factory):
    path = tmp_path_factory.mktemp("clip") / "clip.ts"
    subprocess.run(far_ends.clip_command(path, seconds=SECONDS, video=["-bf", "0"]), check=True)
    return packets(path)


@pytest.mark.parametrize("name", SOURCES)
def test_the_picture_plays(serve, view, clip, name):
    broadcast = Broadcast(list(SOURCES[name](clip)), SECONDS)
    daemon = serve("--source", f"live={broadcast.uri}", config=KEEP_GROUPS + QUICK)
    viewer = view(daemon.url())
    viewer.receive(10 * FPS)
    metrics = daemon.metrics()
    assert metrics.sum("symcast_source_ends_total") == 0, daemon.log()
    assert "source_lost" not in daemon.log()
    assert_clean(viewer.finish())


def test_audio_that_moves_is_heard(serve, clip):
    broadcast = Broadcast(list(passing_audio(clip)), SECONDS)
    daemon = serve("--source", f"live={broadcast.uri}", config=KEEP_GROUPS + QUICK)
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total") > 10 * FPS, PATIENCE, "ten seconds of pictures")
    assert "audio" not in daemon.log()
