"""The experiment of the events test and of bench/events: viewers of one server are behind links that
lose packets and carry nothing for a second. The kernel's own counters show which events there were.

    0 .... loss .... dark, 1 s .... loss .... clean, 2 s     seconds
"""

import pathlib
import time

from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.timeline import read_sessions
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
    """`source` is the value of kernel.events. The viewers watch while the `with` block runs."""

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
        """The phases above, of fixed length."""
        time.sleep(seconds / 2)
        self.lab.set(down_blackhole="on")
        time.sleep(1)
        self.lab.set(down_blackhole="off")
        time.sleep(seconds / 2)
        self.lab.set(down_loss="0")
        time.sleep(SETTLE)

    def happened(self):
        """{kind: number of events so far} according to the kernel."""
        now = kernel_counters(self.daemon.process)
        grown = {name: value - self._before[name] for name, value in now.items()}
        return {"rexmt": grown["TCPTimeouts"],
                "dupack": grown["TCPSackRecovery"] + grown["TCPRenoRecovery"]}

    def counted(self):
        """{kind: number of events so far} according to the server's metrics, which name its source."""
        metrics = self.daemon.metrics()
        return {kind: metrics.sum("symcast_congestion_events_total", kind=kind, source=self.source)
                for kind in ("rexmt", "dupack")}

    def sessions(self):
        """{address: trace lines} of each viewer; complete when the server has ended."""
        return read_sessions(self.directory / "trace")
