"""Where the kernel has no Landlock, a mount namespace keeps a source's process from files."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import pytest

from netlab.daemon import Daemon, binary, wait_until
from netlab.viewer import assert_clean
from tests.integration import far_ends
from tests.integration.conftest import KEEP_GROUPS, QUICK
from tests.integration.test_capabilities import NOBODY, as_nobody
from tests.integration.test_ingest_process import runs

PATIENCE = 60  # seconds
CONFIG = '[source]\nbackoff_min = "100ms"\nbackoff_max = "200ms"\n' + KEEP_GROUPS + QUICK
WITHOUT_LANDLOCK = [sys.executable, str(pathlib.Path(__file__).with_name("without_landlock.py"))]


def as_user():
    """Root without capabilities may not map itself into a user namespace."""
    return as_nobody() if os.geteuid() == 0 else []


def skip_reason():
    mounts = [*as_user(), "unshare", "--user", "--map-root-user", "--mount", "true"]
    done = subprocess.run(mounts, cwd="/", check=False, capture_output=True)
    return "this machine forbids mounts in user namespaces" if done.returncode != 0 else ""


pytestmark = pytest.mark.skipif(bool(skip_reason()), reason=skip_reason())


@pytest.fixture(name="folder")
def make_folder():
    """A folder that any user can reach, with a clip, the way to it by a link, and what nobody names."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "clips").mkdir()
        (folder / "cache").mkdir()
        (folder / "open").mkdir()
        subprocess.run(far_ends.clip_command(folder / "clips/clip.mp4", seconds=5), check=True)
        (folder / "link").symlink_to("clips")
        (folder / "secret").write_text("secret")
        folder.chmod(0o755)
        (folder / "open").chmod(0o777)
        if os.geteuid() == 0:
            os.chown(folder / "cache", NOBODY, NOBODY)
        yield folder


@pytest.fixture(name="start")
def make_start(folder, wrapper):
    """start(*arguments) -> Daemon, for a `with` block."""
    def start(*args, **options):
        return Daemon(*args, directory=folder, config=CONFIG, wrapper=wrapper, **options)

    return start


@pytest.fixture(name="wrapper")
def make_wrapper(folder):
    """With a cache for GStreamer's list of plugins."""
    return [*WITHOUT_LANDLOCK, *as_user(), "env", f"XDG_CACHE_HOME={folder}/cache"]


def test_a_source_plays_and_sees_its_own_file_only(start, view, folder):
    with start("--source", f"live=file:{folder}/link/clip.mp4") as daemon:
        viewer = view(daemon.url("live"))
        viewer.receive(25)
        (pid,) = daemon.source_processes("live")
        root = pathlib.Path(f"/proc/{pid}/root")
        assert (root / f"{folder}/link/clip.mp4".lstrip("/")).is_file()
        assert not (root / f"{folder}/secret".lstrip("/")).exists()
        assert not (root / "etc/passwd").exists()
        assert not {"boot", "media", "root", "run", "srv", "var"} & {entry.name for entry in root.iterdir()}
        for line in pathlib.Path(f"/proc/{pid}/mountinfo").read_text().splitlines():
            place, options = line.split()[4:6]
            assert place.startswith("/dev/") or {"ro", "nosuid", "nodev"} <= set(options.split(",")), line
        status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
        assert {status[key] for key in ("CapPrm", "CapEff", "CapInh", "CapAmb")} == {"0" * 16}
        assert status["Seccomp"] == "2" and status["NoNewPrivs"] == "1"
        metrics = daemon.metrics()
        assert metrics.sum("symcast_source_isolation", layer="files", mechanism="mount_namespace") == 1
        assert metrics.sum("symcast_source_isolation", layer="system_calls", mechanism="seccomp") == 1
        assert metrics.sum("symcast_source_memory_bytes", stream="live") > 0
        assert "source_isolation files=mount_namespace system_calls=seccomp" in daemon.log()
        assert_clean(viewer.finish())


def test_a_launch_text_reads_what_it_names_and_writes_nothing(start, folder):
    reads = f"reads=gst:filesrc location={folder}/clips/clip.mp4 ! qtdemux ! h264parse ! avdec_h264"
    writes = f"writes=gst:videotestsrc num-buffers=50 ! tee name=t ! queue  t. ! queue ! filesink location={folder}/open/x"
    with start("--source", reads, "--source", writes, sources_play=False) as daemon:
        daemon.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="reads") > 0, PATIENCE,
                        "the file plays")
        daemon.wait_for(lambda m: m.sum("symcast_source_restarts_total", stream="writes") > 0, PATIENCE,
                        "it cannot write")
    assert not list((folder / "open").iterdir())


def test_a_killed_server_leaves_no_process(start, folder):
    with pytest.raises(AssertionError, match="ended with -9"):
        with start("--source", f"live=file:{folder}/clips/clip.mp4") as daemon:
            (pid,) = daemon.source_processes("live")
            os.kill(pid, signal.SIGSTOP)
            daemon.process.kill()
            daemon.process.wait()
    wait_until(lambda: not runs(pid), PATIENCE, "its process ends")


def doctor(*wrapper):
    """Its text, in one line."""
    done = subprocess.run([*wrapper, binary(), "doctor"], capture_output=True, text=True, cwd="/", check=False)
    return " ".join(done.stdout.split())


def test_the_doctor_says_how_files_are_confined(wrapper):
    assert "by a mount namespace, since this kernel has no Landlock" in doctor(*wrapper)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root lacks both")
def test_the_doctor_says_that_files_are_not_confined():
    text = doctor(*WITHOUT_LANDLOCK)
    assert "can read all files that symcast can" in text
    assert "does not work" not in text
