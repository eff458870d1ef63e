"""A measuring viewer: ts_client as a process."""

import json
import subprocess
import time

from netlab.network import stop, tool


class Viewer:
    """`client`: index of the lab's client it runs on; without `lab`: on this machine. `wrapper`:
    words before the command."""

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
        """What has arrived so far: dicts with index, pts, arrival_ns, bytes, keyframe."""
        lines = self._output.read_text().split("\n")[:-1]  # the last may be half written
        return [json.loads(line) for line in lines]

    def wait(self, timeout=60):
        """The summary, when the client ends by itself."""
        out, _ = self.process.communicate(timeout=timeout)
        return json.loads(out)

    def finish(self):
        """Ends the viewing; returns the summary."""
        self.process.terminate()
        return self.wait()

    def watch(self, seconds):
        """Lets it watch; fails when it does not last."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert self.watching(), "the viewer was closed"
            time.sleep(0.05)


def assert_clean(summary, what=""):
    """Nothing a strict receiver would object to."""
    wrong = {key: summary[key]
             for key in ("sync_losses", "transport_errors", "continuity_errors", "section_errors",
                         "pes_errors", "audio_errors", "pcr_backwards", "pts_before_pcr",
                         "repeats")
             if summary[key]}
    assert not wrong, (what, wrong)
    assert summary["pictures"] > 0


def assert_unbroken(summary, daemon, what=""):
    """Clean, and no picture is missing but for those that the machine was too busy to encode."""
    assert_clean(summary, what)
    assert summary["gaps"] <= daemon.metrics().sum("symcast_group_frames_late_total")
