"""Audio and pictures of RTSP cameras stay together, also in the first seconds, whatever the cameras say of
time."""

import concurrent.futures
import statistics
import subprocess
import threading

import pytest

from netlab.daemon import Daemon
from tests.integration import flash_and_beep, rtsp_camera
from tests.integration.conftest import ALL_PICTURES, KEEP_GROUPS, QUICK
from tests.integration.rtsp_camera import Camera, Habits

PATIENCE = 120  # seconds
FIRST = 5  # flashes, and as many seconds, before late reports
AFTER = 6  # seconds after it
STEP = 0.16  # seconds that the reports move one of the two by
ROUNDING = 0.015  # seconds of audio
LAST = 3  # flashes, after late reports
MOST = 45  # milliseconds; see test_in_time

# Cameras that are right from the first second on, by the name of the stream.
AT_ONCE = {
    "tcp": Habits(),
    "tcp-audio-later": Habits(audio_begins=0.163),
    "tcp-audio-much-later": Habits(audio_begins=2, codec="aac"),
    "udp-audio-later": Habits(udp=True, audio_begins=0.9, codec="aac"),
    "pictures-from-before": Habits(burst=0.8),
    "early-reports": Habits(audio_begins=0.163, picture_delay=0.16, reports="at once"),
    "tcp-true-info": Habits(audio_begins=0.3, picture_delay=0.16, rtp_info="true"),
    "udp-true-info": Habits(udp=True, audio_begins=0.3, picture_delay=0.16, rtp_info="true", codec="aac"),
    "info-of-first-packets": Habits(audio_begins=0.3, rtp_info="first"),
    "info-of-zero": Habits(audio_begins=0.163, rtp_info="zero"),
    "clocks-hours-apart": Habits(reports="at once", ntp_apart=7200),
}
# Cameras of which only reports tell.
AFTER_REPORTS = {
    "tcp-late-pictures": Habits(picture_delay=STEP, reports="later"),
    "udp-late-audio": Habits(udp=True, audio_delay=STEP, reports="later"),
    "nameless-reports": Habits(picture_delay=STEP, reports="later", named=False),
}
# With AFTER_REPORTS, so that a packet of UDP for which a busy machine has no time yet is not too late.
CONFIG = KEEP_GROUPS + ALL_PICTURES + QUICK
PATIENT = '[source]\nlatency = "1s"\n'
BATCH = 5  # cameras at a time, because they and the server share a few cores


def record(daemon, stream, folder, ended):
    """The file with what a viewer received from the stream's first seconds on, until the event `ended`."""
    daemon.wait_for(lambda m: m.sum("symcast_source_status", stream=stream, status="playing"), PATIENCE,
                    f"{stream} plays")
    path = folder / f"received-{stream}.ts"
    viewer = subprocess.Popen(["ffmpeg", "-v", "error", "-y", "-i", daemon.url(stream), "-c", "copy", "-f", "mpegts",
                               path], stdin=subprocess.DEVNULL)
    ended.wait()
    viewer.terminate()  # it writes what it has
    viewer.wait(PATIENCE)
    return path


def wait_for_pictures(daemon, streams, seconds, before=None):
    """Waits until each stream has had pictures for that long since `before`. Returns the metrics."""
    def count(metrics, stream):
        return metrics.sum("symcast_source_frames_total", stream=stream) if metrics else 0
    return daemon.wait_for(lambda m: all(count(m, stream) - count(before, stream) >= seconds * flash_and_beep.RATE
                                         for stream in streams), PATIENCE, f"{seconds} s of each camera")


def watch(folder, clip, habits, config):
    """Records all of these cameras at the same time. Returns ({stream: file}, the server's metrics before
    late reports, and in the end)."""
    cameras = {name: Camera(clip, own) for name, own in habits.items()}
    words = [word for name, camera in cameras.items() for word in ("--source", f"{name}={camera.uri}")]
    with Daemon(*words, directory=folder, config=config + CONFIG, sources_play=False) as daemon:
        ended = threading.Event()
        with concurrent.futures.ThreadPoolExecutor(len(cameras)) as pool:
            files = {name: pool.submit(record, daemon, name, folder, ended) for name in cameras}
            try:
                before = wait_for_pictures(daemon, cameras, FIRST)
                for camera in cameras.values():
                    camera.allow_reports()
                after = wait_for_pictures(daemon, cameras, AFTER, before)
            finally:
                ended.set()
            files = {name: file.result() for name, file in files.items()}
    for camera in cameras.values():
        camera.end()
    return files, before, after


@pytest.fixture(scope="module")
def received(tmp_path_factory):
    """{stream: (file, offsets in milliseconds, metrics before late reports, metrics in the end)}"""
    folder = tmp_path_factory.mktemp("cameras")
    clip, everything, result = rtsp_camera.clip(folder), list((AT_ONCE | AFTER_REPORTS).items()), {}
    for at in range(0, len(everything), BATCH):
        habits = dict(everything[at:at + BATCH])
        files, *metrics = watch(folder, clip, habits, PATIENT if habits.keys() & AFTER_REPORTS else "")
        result |= {name: (file, flash_and_beep.offsets(file, flash_and_beep.sharp_flashes), *metrics)
                   for name, file in files.items()}
    return result


def check_together(found):
    assert found, "no flash with a beep"
    assert abs(statistics.median(found)) < MOST, found


@pytest.mark.parametrize("stream", AT_ONCE)
def test_a_camera_is_in_time_from_the_beginning(received, stream):
    _, offsets, *_ = received[stream]
    check_together(offsets[:FIRST])
    check_together(offsets[FIRST:])


@pytest.mark.parametrize("stream", AFTER_REPORTS)
def test_late_reports_put_a_camera_in_time(received, stream):
    _, offsets, *_ = received[stream]
    check_together(offsets[-LAST:])


@pytest.mark.parametrize("stream", AFTER_REPORTS)
def test_late_reports_cost_no_pictures_and_no_audio(received, stream):
    """A busy server leaves pictures out, and drops late audio for which it has made silence, maybe before
    the reports. Over UDP, pictures that come too late on a busy machine are lost before the server has
    them."""
    file, _, before, after = received[stream]

    def since(metric):
        return after.sum(metric, stream=stream) - before.sum(metric, stream=stream)

    late = after.sum("symcast_group_frames_late_total", stream=stream)
    if not late:
        out_of_order = since("symcast_source_frames_dropped_total")
        assert out_of_order < STEP * flash_and_beep.RATE, "as many as a step back would cost"
        lost = since("symcast_source_frames_total") - since("symcast_group_frames_total")
        assert lost < STEP * flash_and_beep.RATE, "some are being encoded"
    if not late and not AFTER_REPORTS[stream].udp:
        pictures = flash_and_beep.pictures(file)
        flashes = flash_and_beep.onsets(pictures, flash_and_beep.WHITE)
        shown = sum(flashes[0] <= time < flashes[-1] for time, _ in pictures)
        assert shown >= flash_and_beep.RATE * (len(flashes) - 1)
    silence = after.sum("symcast_audio_silence_seconds_total", stream=stream)
    assert since("symcast_audio_overlap_seconds_total") <= silence + ROUNDING
