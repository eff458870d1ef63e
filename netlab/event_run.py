"""The experiment of the events test and of bench/events: viewers of one server are behind links that
lose packets and carry nothing for a second. The kernel's own counters show which events there were.

    0 .... loss .... dark, 1 s .... loss .... clean, 2 s     seconds
"""

import pathlib
import time

from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.timeline import read_trace
from netlab.viewer import Viewer

CONFIG = """
[kernel]
events = "{source}"
[rate]
start = "1500k"
min = "500k"
max = "1500k"
[groups]
max = {viewers}
[audio]
enabled = false
[encoder]
preset = "ultrafast"
[tcp]
congestion_control = "{congestion_control}"
[[stream]]
name = "live"
source = {{ uri = "test:?size=192x108&content=noise" }}
control = {{ policy = "{policy}" }}
"""
SETTLE = 2  # seconds for the last retransmissions


def kernel_counters(process):
    """{name: value} of TcpExt (/proc/net/netstat) in the network namespace of `process`."""
    lines = pathlib.Path(f"/proc/{process.pid}/net/netstat").read_text().splitlines()
    names, values = (line.split()[1:] for line in lines if line.startswith("TcpExt:"))
    return dict(zip(names, map(int, values)))


class EventRun:
    """`source` is the value of kernel.events. The viewers watch while the `with` block runs. After
    run(), `events` has the events that the server reported (trace lines); `timeouts` and
    `recoveries` have the kernel's counts."""

    def __init__(self, source, directory, viewers=4, congestion_control="cubic", policy="itcp",
                 **link):
        self.source = source
        self.directory = directory
        directory.mkdir()
        self.lab = Netlab(clients=viewers, **link)
        config = CONFIG.format(source=source, viewers=viewers, policy=policy,
                               congestion_control=congestion_control)
        self.daemon = Daemon("--trace", str(directory / "trace"), directory=directory,
                             config=config, lab=self.lab)
        self._before = kernel_counters(self.daemon.process)
        self.viewers = [Viewer(self.daemon.url(ip=client.server_ip), lab=self.lab, client=i,
                               directory=directory, name=f"viewer{i}")
                        for i, client in enumerate(self.lab.clients)]

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        for viewer in self.viewers:
            viewer.__exit__()
        self.daemon.__exit__(*failure or (None,))
        self.lab.close()

    def run(self, seconds):
        time.sleep(seconds / 2)
        self.lab.set(down_blackhole="on")
        time.sleep(1)
        self.lab.set(down_blackhole="off")
        time.sleep(seconds / 2)
        self.lab.set(down_loss="0")
        time.sleep(SETTLE)
        counted = kernel_counters(self.daemon.process)
        self.metrics = self.daemon.metrics()
        grown = {name: value - self._before[name] for name, value in counted.items()}
        self.timeouts = grown["TCPTimeouts"]
        self.recoveries = grown["TCPSackRecovery"] + grown["TCPRenoRecovery"]
        self.summaries = [viewer.finish() for viewer in self.viewers]
        self.trace = read_trace(self.directory / "trace")
        self.events = [line for line in self.trace if line["event"] == "congestion"]

    def count(self, kind):
        return sum(event["kind"] == kind for event in self.events)
