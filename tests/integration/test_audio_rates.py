"""The audio of a viewer whose link falls from 5 Mbit/s to 300 kbit/s, then to 70, and returns: it gets
the rate that fits the picture's, and a player plays the changes without a gap."""

import subprocess

import pytest

from netlab import ts_sender
from netlab.daemon import Daemon
from netlab.network import Netlab

FAST, SLOW, FAINT = "5M", "300k", "70k"  # the last carries little more than the audio
HIGHEST, LOWEST = 128_000, 32_000  # bit/s, as built in
PATIENCE = 60  # seconds
PAUSED = 4  # seconds in which the audio has the link for itself
FRAME = 1024 / 48_000  # seconds
# With noise the audio's encoder spends its whole rate.
SOURCE = ("gst:videotestsrc is-live=true ! video/x-raw,width=640,height=360,framerate=30/1 ! "
          "queue name=video  audiotestsrc is-live=true wave=white-noise volume=0.1 ! queue name=audio")
CONFIG = """
[groups]
max = 1
"""


def ffprobe(file, *what):
    probe = subprocess.run(["ffprobe", "-v", "error", *what, "-of", "csv=p=0", file],
                           capture_output=True, check=True, timeout=60, text=True)
    return [line.strip(",").split(",") for line in probe.stdout.split()]


@pytest.fixture(scope="module", params=["ts", "mp4"])
def played(request, needs_lab, tmp_path_factory):
    """The stream as a player got it, and the bytes of each audio frame with its time in seconds."""
    directory = tmp_path_factory.mktemp("audio")
    recording = directory / f"played.{request.param}"
    with (Netlab(clients=1, rate=FAST, delay_ms=20) as lab,
          Daemon("--source", f"live={SOURCE}", directory=directory, config=CONFIG,
                 lab=lab) as daemon,
          open(recording, "wb") as out):
        client = lab.clients[0]

        def wait_for_audio(rate, what):
            daemon.wait_for(lambda m: m.sum("symcast_group_audio_rate_bits_per_second") == rate,
                            PATIENCE, what)

        url = daemon.url(ip=client.server_ip).replace(".ts", f".{request.param}")
        player = lab.run_client(["curl", "-sN", url], client=0, stdout=out)
        wait_for_audio(HIGHEST, "the audio begins")
        lab.set(down_rate=SLOW)
        wait_for_audio(LOWEST, "the audio falls with the picture")
        frames = daemon.metrics().sum("symcast_group_frames_total")
        daemon.wait_for(lambda m: m.sum("symcast_group_frames_total") > frames + 60, PATIENCE,
                        "the picture goes on")
        lab.set(down_rate=FAINT)
        daemon.wait_for(lambda m: m.sum("symcast_group_paused_seconds_total") > PAUSED, PATIENCE,
                        "the picture pauses")
        lab.set(down_rate=FAST)
        wait_for_audio(HIGHEST, "the audio rises with the picture")
        frames = daemon.metrics().sum("symcast_group_frames_total")
        daemon.wait_for(lambda m: m.sum("symcast_group_frames_total") > frames + 60, PATIENCE,
                        "the picture goes on")
        player.terminate()
        player.wait()
    packets = ffprobe(recording, "-select_streams", "a", "-show_entries", "packet=pts_time,size")
    return recording, [(float(time), int(size)) for time, size in packets]


def test_no_audio_is_missing(played):
    _, frames = played
    steps = [after - before for (before, _), (after, _) in zip(frames, frames[1:])]
    assert max(steps) < 1.1 * FRAME
    assert min(steps) > 0.9 * FRAME


def test_frames_become_small_and_large_again(played):
    _, frames = played
    kbps = [sum(size for _, size in frames[i:i + 10]) * 8 / (10 * FRAME) / 1000
            for i in range(0, len(frames) - 10, 10)]
    lowest = kbps.index(min(kbps))
    assert min(kbps) < 50
    assert max(kbps[:lowest]) > 100
    assert max(kbps[lowest:]) > 100


def test_a_decoder_plays_them_all(played):
    recording, frames = played
    decoded = subprocess.run(["ffmpeg", "-v", "warning", "-i", recording, "-map", "0:a", "-f", "s16le",
                              "-"], capture_output=True, check=True, timeout=60)
    assert decoded.stderr == b""
    assert len(decoded.stdout) / 4 == pytest.approx(1024 * len(frames), abs=2048)


def headers_of_audio(recording):
    """How many the audio frames have: PES packets in MPEG-TS, fragments in MP4."""
    stream = recording.read_bytes()
    if recording.suffix == ".ts":
        packets = [stream[at:at + ts_sender.PACKET] for at in range(0, len(stream), ts_sender.PACKET)]
        return sum(ts_sender.pid(packet) == ts_sender.AUDIO_PID and ts_sender.begins_unit(packet)
                   for packet in packets if len(packet) == ts_sender.PACKET)
    pictures = ffprobe(recording, "-select_streams", "v", "-show_entries", "packet=size")
    return stream.count(b"moof") - len(pictures)


def test_small_frames_share_headers(played):
    recording, frames = played
    assert headers_of_audio(recording) < len(frames) - 20
