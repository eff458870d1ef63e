"""Sources of every kind play, and play again after their far end was killed."""

import os
import shutil
import time

import pytest

from netlab.daemon import wait_until
from netlab.viewer import assert_clean, assert_unbroken
from tests.integration import far_ends

QUICK = '[source]\nsilence_timeout = "1s"\nbackoff_min = "200ms"\nbackoff_max = "500ms"\n'
AWAY_SECONDS = 2
GST = ("gst:videotestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=25/1 ! queue "
       "name=video  audiotestsrc is-live=true ! queue name=audio")

CLIPS = {
    "plain": {"audio": ("-c:a", "aac", "-ac", "2")},
    "silent": {"tone": None},
    "mono": {"audio": ("-c:a", "aac", "-ac", "1")},
    "surround": {"audio": ("-c:a", "aac", "-ac", "6")},
    "late audio": {"more": ("-af", "adelay=2000:all=1,asetpts=PTS+2/TB")},
    "ten bits 4:2:2": {"video": ("-pix_fmt", "yuv422p10le")},
    "interlaced": {"rate": 50, "video": ("-vf", "interlace", "-flags", "+ilme+ildct")},
    "odd size": {"video": ("-vf", "scale=323:181", "-pix_fmt", "yuv444p")},
    "variable rate": {"video": ("-vf", "select='mod(n,7)'", "-vsync", "vfr")},
    "60 frames/s": {"rate": 60},
    "one frame/s": {"rate": 1},
}


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    return far_ends.make_clip(tmp_path_factory.mktemp("clip") / "clip.mp4")


def source_frames(metrics, stream):
    return metrics.sum("symcast_source_frames_total", stream=stream)


def make_far_ends(clip):
    return {name: make(clip) for name, make in far_ends.ALL.items()}


def start(processes):
    for process in processes.values():
        process.start()


def kill(processes):
    for process in processes.values():
        process.kill()


def watch(viewers, seconds):
    time.sleep(seconds)
    closed = [name for name, viewer in viewers.items() if not viewer.watching()]
    assert not closed


def test_file_loops_without_a_jump(serve, view, clip):
    daemon = serve("--source", f"live=file:{clip}")
    summary = view(daemon.url(), "--seconds", 12).wait()  # the clip lasts 5 s
    assert_clean(summary)
    assert summary["gaps"] == 0
    assert abs(summary["interval_s"] - 1 / 25) < 0.001
    assert summary["media_s"] > 11
    # 46.9 audio frames/s: the clip's 44.1 kHz audio, and silence at the seam, leave no gap.
    assert abs(summary["audio_frames"] / summary["media_s"] - 48000 / 1024) < 1


def test_files_of_every_kind(serve, view, tmp_path):
    sources = []
    for number, options in enumerate(CLIPS.values()):
        path = far_ends.make_clip(tmp_path / f"{number}.mkv", **options)
        sources += ["--source", f"clip{number}=file:{path}"]
    daemon = serve(*sources)
    viewers = {kind: view(daemon.url(f"clip{number}"), "--seconds", 8, name=f"clip{number}")
               for number, kind in enumerate(CLIPS)}
    wrong = {}
    for kind, viewer in viewers.items():
        try:
            summary = viewer.wait()
            assert_clean(summary)
            assert summary["media_s"] > 5
            assert summary["audio_frames"] > 200
        except AssertionError as error:
            wrong[kind] = str(error)
    assert not wrong


def test_sources_within_the_process(serve, view):
    uris = ["test:?size=320x180", "test:?size=192x108&fps=15&audio=off", GST]
    daemon = serve(*(word for i, uri in enumerate(uris) for word in ("--source", f"s{i}={uri}")))
    viewers = [view(daemon.url(f"s{i}"), "--seconds", 3) for i in range(len(uris))]
    for uri, summary in zip(uris, [viewer.wait() for viewer in viewers]):
        assert summary["media_s"] > 1.5  # of 3 s, because a sanitizer build starts slowly
        assert_unbroken(summary, daemon, uri)


def test_sources_come_back(serve, view, clip):
    """Far ends of every kind are killed at the same time, stay away, and are started again."""
    ends = make_far_ends(clip)
    start(ends)
    try:
        daemon = serve(*(word for name, end in ends.items()
                         for word in ("--source", f"{name}={end.uri}")), config=QUICK)
        viewers = {name: view(daemon.url(name), name=name) for name in ends}
        watch(viewers, 2)
        kill(ends)
        watch(viewers, AWAY_SECONDS)
        metrics = daemon.metrics()
        assert metrics.sum("symcast_source_status", status="playing") == 0
        before = {name: source_frames(metrics, name) for name in ends}
        start(ends)
        daemon.wait_for(lambda m: all(source_frames(m, name) > before[name] + 50
                                      for name in ends), 15, "frames of all sources arrive again")
        watch(viewers, 1)
        wrong = {}
        for name, viewer in viewers.items():
            try:
                assert_stayed(viewer)
            except AssertionError as error:
                wrong[name] = str(error)
        assert not wrong
    finally:
        kill(ends)


def assert_stayed(viewer):
    """While the source was away its last frame was repeated, so no player would have given up."""
    pictures = viewer.pictures()
    summary = viewer.finish()
    # ffmpeg's audio lags its video by 0.28 s. When five sources start at once on a busy machine,
    # the lag may at first exceed the lead of the PCR.
    assert summary["pts_before_pcr"] < 47, "at most a second of audio"
    assert_clean({**summary, "pts_before_pcr": 0})
    assert summary["discontinuities_signalled"] == 0, "nothing was dropped"
    assert summary["longest_wait_s"] < 1.3  # repeats begin after 1 s
    assert pictures[-1]["arrival_ns"] / 1e9 > time.monotonic() - 1
    assert summary["media_s"] > AWAY_SECONDS + 3


def test_source_that_is_not_there_yet(serve, view, clip):
    far_end = far_ends.http(clip)
    daemon = serve("--source", f"live={far_end.uri}", config=QUICK, sources_play=False)
    daemon.wait_for(lambda m: m.sum("symcast_source_restarts_total") > 0, 5, "a second attempt")
    assert daemon.get("/healthz")[0] == 200
    assert daemon.get("/live.ts")[0] == 503
    far_end.start()
    try:
        daemon.wait_for(lambda m: source_frames(m, "live") > 0, 10, "the source is found")
        assert_clean(view(daemon.url(), "--seconds", 2).wait())
    finally:
        far_end.kill()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to run the server as another user")
def test_a_file_that_the_server_may_not_read_is_reported_as_such(serve, tmp_path, clip):
    """root may read everything, so the server runs as nobody, below a folder that nobody may enter."""
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    shutil.copy(clip, hidden / "clip.mp4")
    daemon = serve("--source", f"live=file:{hidden}/clip.mp4", sources_play=False,
                   wrapper=["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"])
    wait_until(lambda: "source_lost" in daemon.log(), 20, "the source is reported")
    assert f"no permission to read '{hidden}/clip.mp4'" in daemon.log()
