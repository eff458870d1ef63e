"""The experiment: viewers join one after the other, and the kernel knows nothing about the path of each
new connection."""

import pathlib
import subprocess
import time

from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.timeline import picture_delays, read_trace
from netlab.viewer import Viewer

CONFIG = """
[rate]
start = "5M"
min = "5M"
max = "5M"
[control]
policy = "off"
[audio]
enabled = false
[encoder]
preset = "ultrafast"
[tcp]
congestion_control = "{congestion_control}"
ssthresh_hint = {hint}
[[stream]]
name = "live"
source = "test:?size=640x360&content=noise"
"""


def forget_paths(lab):
    """Clears the round trips and thresholds that the kernel remembers per path (tcp_metrics)."""
    subprocess.run(["nsenter", f"--net={lab.server_netns}", "ip", "tcp_metrics", "flush"],
                   check=True)


def retransmitted(process):
    """Number of segments retransmitted in the network namespace of `process`."""
    lines = pathlib.Path(f"/proc/{process.pid}/net/snmp").read_text().splitlines()
    names, values = (line.split() for line in lines if line.startswith("Tcp:"))
    return int(values[names.index("RetransSegs")])


class Join:
    """One viewer's first seconds."""

    def __init__(self, trace, pictures, retransmits):
        joined = trace[0]
        self.congestion_control = joined["congestion_control"]
        self.ssthresh = joined["ssthresh"]
        self.retransmits = retransmits
        self.delays = [delay for _, delay in picture_delays(pictures, trace)]
        self.first_frame = pictures[0]["arrival_ns"] / 1e9 - joined["requested"]


class ColdStart:
    """After run(), `joins` has one Join for each viewer."""

    def __init__(self, directory, congestion_control, hint, **link):
        self._config = CONFIG.format(congestion_control=congestion_control,
                                     hint=float(hint))
        self._directory = directory
        self._link = link
        self.joins = []

    def run(self, viewers, seconds):
        self._directory.mkdir()
        with Netlab(**self._link) as lab:
            for number in range(viewers):
                folder = self._directory / str(number)
                folder.mkdir()
                # A server for each viewer, so that all of them begin with the group's first frame.
                with Daemon("--trace", str(folder / "trace"), directory=folder,
                            config=self._config, lab=lab) as daemon:
                    seen = self._join(lab, daemon, folder, seconds)
                self.joins.append(Join(read_trace(folder / "trace"), *seen))
        return self

    def _join(self, lab, daemon, folder, seconds):
        forget_paths(lab)
        before = retransmitted(daemon.process)
        viewer = Viewer(daemon.url(), directory=folder, lab=lab)
        time.sleep(seconds)
        resent = retransmitted(daemon.process) - before
        pictures = viewer.pictures()
        viewer.finish()
        return pictures, resent
