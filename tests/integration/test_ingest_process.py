"""A source runs in a process of its own: its death is the loss of one source, and of nothing else."""

import functools
import http.server
import os
import pathlib
import signal
import subprocess
import threading

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.viewer import assert_clean
from tests.integration import far_ends
from tests.integration.conftest import KEEP_GROUPS, QUICK

PATIENCE = 60  # seconds
CONFIG = '[source]\nbackoff_min = "100ms"\nbackoff_max = "200ms"\n' + KEEP_GROUPS + QUICK

REASON = {
    "SEGV": "its process crashed: signal 11 (Segmentation fault)",
    "KILL": "its process was killed: signal 9 (Killed)",
    "STOP": "its process does not respond for 3 s",
}
CAUSE = {"SEGV": "crashed", "KILL": "crashed", "STOP": "hung"}


def runs(pid):
    """A killed process whose parent was killed as well is a zombie until somebody waits for it."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.fixture(scope="module", name="clip")
def make_clip(tmp_path_factory):
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    subprocess.run(far_ends.clip_command(path, seconds=5), check=True)
    return path


def test_an_end_of_a_process_is_the_loss_of_its_source_only(serve, view, clip):
    daemon = serve("--source", f"bad=file:{clip}", "--source", f"good=file:{clip}", config=CONFIG)
    viewers = {name: view(daemon.url(name), name=name) for name in ("bad", "good")}
    for viewer in viewers.values():
        viewer.receive(25)
    (good,) = daemon.source_processes("good")
    daemon.wait_for(lambda metrics: all(metrics.sum(f"symcast_source_{use}", stream="good") > 0 for use in
                                        ("memory_bytes", "threads", "cpu_seconds_total")), PATIENCE, "its use")
    for sign, reason in REASON.items():
        (bad,) = daemon.source_processes("bad")
        os.kill(bad, signal.Signals[f"SIG{sign}"])
        wait_until(lambda reason=reason: f'reason="{reason}"' in daemon.log(), PATIENCE, reason)
        wait_until(lambda bad=bad: daemon.source_processes("bad") not in ([], [bad]), PATIENCE,
                   "another process")
        daemon.wait_for(lambda m: m.sum("symcast_source_status", status="playing") == 2, PATIENCE,
                        "the source plays again")
        viewers["bad"].receive_more(25)
    assert daemon.source_processes("good") == [good]
    metrics = daemon.metrics()
    for cause in ("crashed", "hung"):
        expected = list(CAUSE.values()).count(cause)
        assert metrics.sum("symcast_source_ends_total", stream="bad", cause=cause) == expected
    assert metrics.sum("symcast_source_ends_total", stream="good") == 0
    for viewer in viewers.values():
        assert_clean(viewer.finish())


def test_a_killed_server_leaves_no_process(tmp_path, clip):
    """Not even one that was stopped."""
    with pytest.raises(AssertionError, match="ended with -9"):
        with Daemon("--source", f"a=file:{clip}", "--source", f"b=file:{clip}",
                    directory=tmp_path) as daemon:
            pids = daemon.source_processes()
            os.kill(pids[0], signal.SIGSTOP)
            daemon.process.kill()
            daemon.process.wait()
    assert len(pids) == 2
    wait_until(lambda: not any(runs(pid) for pid in pids), PATIENCE, "its processes end")


def test_a_process_sees_no_secrets_of_the_server(serve, clip):
    """Neither variables nor files nor sockets."""
    daemon = serve("--source", f"live=file:{clip}", wrapper=["env", "CAMERA_PASSWORD=secret"])
    (pid,) = daemon.source_processes()
    environment = pathlib.Path(f"/proc/{pid}/environ").read_text()
    assert "PATH=" in environment and "CAMERA" not in environment
    opened = {os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir()}
    ours = {os.readlink(link) for link in pathlib.Path(f"/proc/{daemon.process.pid}/fd").iterdir()}
    shared = {name for name in opened & ours if not name.startswith("anon_inode:")} - {"/dev/null"}
    assert not any(name.startswith(("/", "socket:")) for name in shared), shared


def test_a_process_that_is_asked_to_stop_ends(serve, clip):
    daemon = serve("--source", f"live=file:{clip}")
    (pid,) = daemon.source_processes()
    daemon.end()
    assert not runs(pid)
    assert "source_lost" not in daemon.log()


PLAYLIST = """#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:5
#EXTINF:5,
{uri}
#EXT-X-ENDLIST
"""


@pytest.fixture(name="web")
def serve_folder(tmp_path):
    """A folder, and its URL."""
    folder = tmp_path / "web"
    folder.mkdir()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_playlist_from_the_network_opens_no_file(serve, web, tmp_path):
    folder, url = web
    secret = tmp_path / "secret.ts"
    subprocess.run(far_ends.clip_command(secret, seconds=5), check=True)
    (folder / "open.ts").write_bytes(secret.read_bytes())
    (folder / "open.m3u8").write_text(PLAYLIST.format(uri="open.ts"))
    (folder / "secret.m3u8").write_text(PLAYLIST.format(uri=f"file://{secret}"))
    daemon = serve("--source", f"open={url}/open.m3u8", "--source", f"secret={url}/secret.m3u8",
                   config=CONFIG, sources_play=False)
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="open") > 0, PATIENCE,
                    "a playlist that names media beside it plays")
    daemon.wait_for(lambda m: m.sum("symcast_source_restarts_total", stream="secret") > 0, PATIENCE,
                    "the other one is given up")
    assert daemon.metrics().sum("symcast_source_frames_total", stream="secret") == 0


def test_a_launch_text_reads_the_files_that_it_names_and_writes_none(serve, clip, tmp_path):
    written = tmp_path / "written"
    daemon = serve("--source", f"reads=gst:filesrc location={clip} ! qtdemux ! h264parse ! avdec_h264",
                   "--source", "writes=gst:videotestsrc num-buffers=50 ! tee name=t ! queue  "
                   f"t. ! queue ! filesink location={written}", config=CONFIG, sources_play=False)
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="reads") > 0, PATIENCE,
                    "the file plays")
    daemon.wait_for(lambda m: m.sum("symcast_source_restarts_total", stream="writes") > 0, PATIENCE,
                    "it cannot write")
    assert not written.exists()
