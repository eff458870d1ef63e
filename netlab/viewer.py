"""A measuring viewer: ts_client as a process."""

import json
import subprocess
import time

from netlab.network import stop, tool


class Viewer:
    """Runs on the lab's client number `client`, or on this machine without `lab`. `wrapper`: words
    before the command."""

    def __init__(self, url, *options, directory, name="viewer", lab=None, client=0, wrapper=()):
        self._output = directory / f"{name}.jsonl"
        self._output.write_text("")
        command = [*wrapper, tool("ts_client"), url, "--output", str(self._output),
                   *[str(option) for option in options]]
        streams = {"stdout": subprocess.PIPE, "text": True}
        self.process = (lab.run_client(command, client=client, **streams) if lab
                        else subprocess.Popen(command, **streams))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)

    def watching(self):
        return self.process.poll() is None

    def pictures(self):
        """The frames received so far: dicts with index, pts, arrival_ns, bytes, keyframe."""
        lines = self._output.read_text().split("\n")[:-1]  # the last line may be half written
        return [json.loads(line) for line in lines]

    def receive(self, count, seconds=60):
        """Waits until `count` frames have arrived in all; fails if the client ends before that."""
        deadline = time.monotonic() + seconds
        while len(self.pictures()) < count:
            assert self.watching(), "the viewer was closed"
            assert time.monotonic() < deadline, f"{count} frames have not arrived within {seconds} s"
            time.sleep(0.05)

    def receive_more(self, count, seconds=60):
        """Waits until `count` frames more have arrived."""
        self.receive(len(self.pictures()) + count, seconds)

    def wait(self, timeout=60):
        """Waits until the client ends by itself; returns its summary."""
        out, _ = self.process.communicate(timeout=timeout)
        return json.loads(out)

    def finish(self):
        """Ends the client; returns its summary."""
        self.process.terminate()
        return self.wait()

    def watch(self, seconds):
        """Keeps watching for `seconds`; fails if the client ends before that."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert self.watching(), "the viewer was closed"
            time.sleep(0.05)


def receive_more(viewers, count):
    """Waits until each viewer has received `count` frames more."""
    wanted = [len(viewer.pictures()) + count for viewer in viewers]
    for viewer, frames in zip(viewers, wanted):
        viewer.receive(frames)


def assert_clean(summary, what=""):
    """Fails on anything that a strict receiver would reject."""
    keys = ["sync_losses", "transport_errors", "continuity_errors", "section_errors", "pes_errors",
            "audio_errors", "pcr_backwards", "repeats"]
    wrong = {key: summary[key] for key in keys if summary[key]}
    # On a busy machine some audio is later than it may be (ts_muxer.cc: 0.4 s). A wrong clock would make
    # half of it late, or video.
    if 2 * summary["pts_before_pcr"] > summary["audio_frames"]:
        wrong["pts_before_pcr"] = summary["pts_before_pcr"]
    assert not wrong, (what, wrong)
    assert summary["pictures"] > 0


def frames_left_out(metrics):
    """An upper bound of the gaps in any viewer's stream: the frames that the server counted as left out, which on
    a busy machine is not zero. Counts of a group end with it, so set groups.linger."""
    return sum(metrics.sum(f"symcast_{name}_total")
               for name in ("group_frames_late", "group_frames_skipped", "group_frames_decimated",
                            "source_frames_dropped", "source_timeline_jumps", "source_stalls",
                            "packets_lost_in_handover", "viewer_frames_dropped"))


def assert_unbroken(summary, metrics, what=""):
    """Clean, and with no frame missing except those that the server counted as left out."""
    assert_clean(summary, what)
    assert summary["gaps"] <= frames_left_out(metrics), what
