"""The experiment of the delivery test and of bench/delivery: viewers, each of a stream of 2 Mbit/s of
its own (in a group with others, calm viewers are sampled seldom) behind a link of 5 Mbit/s. Compares the
server's delivery times with the arrivals that the viewers recorded; sender and receivers read the same
clock.

A new viewer receives all frames since the last keyframe at once. That burst fills the path and shows
its capacity to any estimator, so the links carry only 2.5 Mbit/s until it has passed:

    2.5 Mbit/s       5 Mbit/s
    0 ........ 2 ............... end     seconds from the viewers' start
"""

import time
from dataclasses import dataclass, field

from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.timeline import match_pictures, read_sessions
from netlab.viewer import Viewer

JOIN_LINK, LINK = 2.5e6, 5e6  # bit/s of whole packets
JOIN_SECONDS = 2
FOLLOWED_SECONDS = 2  # until the estimate is of the new rate: it is a median over one second of trains
PAYLOAD = LINK * 1448 / 1500  # TCP payload in bit/s, with TCP time stamps
QUEUE_SECONDS = 0.1

# With noise the encoder spends its whole rate on every frame, so the stream limits the sender, not
# the link.
CONFIG = """
[telemetry]
ack_timestamps_per_second = {marks}
[groups]
max = 1
[audio]
enabled = false
[rate]
start = "2M"
min = "200k"
max = "2M"
[encoder]
preset = "ultrafast"
crf = 8
"""
STREAM = """
[[stream]]
name = "path{number}"
source = {{ uri = "test:?size=320x180&content=noise" }}
control = {{ policy = "off" }}
tcp = {{ congestion_control = "{congestion_control}" }}
"""


@dataclass(frozen=True)
class Path:
    congestion_control: str = "cubic"
    loss: float = 0


@dataclass
class Seen:
    """Measurements of one viewer. `errors`, by source of the time: the server's delivery time of a
    frame minus its arrival and the way back, in seconds. Rates are in bit/s, all while the link
    carries 5 Mbit/s."""
    viewer: int  # its number
    pictures: int
    frames: list = field(default_factory=list)  # trace lines of those that were acknowledged
    errors: dict = field(default_factory=lambda: {"timestamp": [], "tcp_info": []})
    capacities: list = field(default_factory=list)  # the server's estimate at each frame


class DeliveryRun:
    """The viewers watch while the `with` block runs, at first on links of 2.5 Mbit/s. `marks` sets
    ack_timestamps_per_second in [telemetry]."""

    def __init__(self, directory, paths, one_way_ms, marks=2000):
        self._directory = directory
        self._one_way = one_way_ms / 1000
        self._paths = paths
        self.lab = Netlab(clients=len(paths), rate=str(int(JOIN_LINK)), delay_ms=one_way_ms,
                          queue_bytes=int(LINK * QUEUE_SECONDS / 8))
        config = CONFIG.format(marks=marks)
        for number, path in enumerate(paths):
            config += STREAM.format(number=number, congestion_control=path.congestion_control)
        self.daemon = Daemon("--trace", str(directory / "trace"), directory=directory,
                             config=config, lab=self.lab)

    def __enter__(self):
        self.viewers = {path: Viewer(self.daemon.url(f"path{i}", ip=client.server_ip), lab=self.lab, client=i,
                                     directory=self._directory, name=f"viewer{i}")
                        for i, (path, client) in enumerate(zip(self._paths, self.lab.clients))}
        for i, path in enumerate(self._paths):
            self.lab.set(client=i, down_loss=path.loss)
        return self

    def __exit__(self, *failure):
        for viewer in self.viewers.values():
            viewer.__exit__()
        self.daemon.__exit__(*failure)
        self.lab.close()

    def widen(self):
        """Gives each link 5 Mbit/s. Call when the viewers have joined."""
        self.lab.set(down_rate=int(LINK))
        self._begin = time.monotonic()

    def delivery_rates(self, seconds):
        """The kernel's delivery rates over `seconds`: {viewer number: [bit/s]}."""
        rates = {}
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.25)  # as often as the server publishes them
            for name, labels, value in self.daemon.metrics().samples:
                if name == "symcast_viewer_delivery_rate_bits_per_second":
                    rates.setdefault(int(labels["viewer"]), []).append(value)
        return rates

    def finish(self):
        """Ends the viewers; returns {path: Seen}."""
        pictures = {path: viewer.pictures() for path, viewer in self.viewers.items()}
        for viewer in self.viewers.values():
            viewer.finish()
        self.daemon.end()  # the trace is complete
        sessions = read_sessions(self._directory / "trace")
        return {path: self._compare(pictures[path], sessions[client.address])
                for path, client in zip(self._paths, self.lab.clients)}

    def _compare(self, pictures, session):
        matches = match_pictures(pictures, session)
        seen = Seen(session[0]["viewer"], pictures=len(pictures))
        for line, picture in matches:
            if line["acked"] is None:
                continue  # still in flight when the viewer left
            seen.frames.append(line)
            expected = picture["arrival_ns"] / 1e9 + self._one_way
            seen.errors[line["acked_source"]].append(line["acked"] - expected)
            if line["capacity"] is not None and line["acked"] > self._begin + FOLLOWED_SECONDS:
                seen.capacities.append(line["capacity"])
        return seen
