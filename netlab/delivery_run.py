"""The experiment of the delivery test and of bench/delivery: viewers of one stream of 2 Mbit/s, each
behind its own link of 5 Mbit/s. Compares the server's delivery times with the arrivals that the
viewers recorded; sender and receivers read the same clock.

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
[[stream]]
name = "live"
source = {{ uri = "test:?size=640x360&content=noise" }}
control = {{ policy = "off" }}
"""
RULE = """
[[stream.tcp.network]]
network = "{address}"
congestion_control = "{congestion_control}"
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
    pictures: int = 0
    errors: dict = field(default_factory=lambda: {"timestamp": [], "tcp_info": []})
    capacities: list = field(default_factory=list)  # the server's estimate at each frame
    delivery_rates: list = field(default_factory=list)  # from the kernel, a few times per second


def delivery_run(directory, paths, one_way_ms, seconds, marks=2000):
    """Returns {path: Seen}. `marks` sets ack_timestamps_per_second in [telemetry]."""
    with Netlab(clients=len(paths), rate=str(int(JOIN_LINK)), delay_ms=one_way_ms,
                queue_bytes=int(LINK * QUEUE_SECONDS / 8)) as lab:
        config = CONFIG.format(marks=marks)
        for client, path in zip(lab.clients, paths):
            config += RULE.format(address=client.address,
                                  congestion_control=path.congestion_control)
        with Daemon("--trace", str(directory / "trace"), directory=directory, config=config,
                    lab=lab) as daemon:
            viewers = [Viewer(daemon.url(ip=client.server_ip), lab=lab, client=i,
                              directory=directory, name=f"viewer{i}")
                       for i, client in enumerate(lab.clients)]
            for i, path in enumerate(paths):
                lab.set(client=i, down_loss=path.loss)
            time.sleep(JOIN_SECONDS)
            lab.set(down_rate=int(LINK))
            begin = time.monotonic() + FOLLOWED_SECONDS
            rates = _watch_rates(daemon, seconds)
            pictures = [viewer.pictures() for viewer in viewers]
            for viewer in viewers:
                viewer.finish()
        sessions = read_sessions(directory / "trace")
        return {path: _compare(pictures[i], sessions[lab.clients[i].address], rates, one_way_ms,
                               begin)
                for i, path in enumerate(paths)}


def _watch_rates(daemon, seconds):
    """The kernel's delivery rates over `seconds`: {viewer: [bit/s]}."""
    rates = {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.25)  # as often as the server publishes them
        for name, labels, value in daemon.metrics().samples:
            if name == "symcast_viewer_delivery_rate_bits_per_second":
                rates.setdefault(int(labels["viewer"]), []).append(value)
    return rates


def _compare(pictures, session, rates, one_way_ms, begin):
    seen = Seen(pictures=len(pictures), delivery_rates=rates[session[0]["viewer"]])
    for line, picture in match_pictures(pictures, session):
        if line["acked"] is None:
            continue  # still in flight when the viewer left
        expected = picture["arrival_ns"] / 1e9 + one_way_ms / 1000
        seen.errors[line["acked_source"]].append(line["acked"] - expected)
        if line["capacity"] is not None and line["acked"] > begin:
            seen.capacities.append(line["capacity"])
    return seen
