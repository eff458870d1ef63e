"""symcast over the same paths, with one stream and one viewer for each. Uses link_emulator, because the
encoders need more CPU than a guest has."""

import random
import selectors
import time

from bench.papers.cloud.client import SomebodyElse
from bench.papers.cloud.figures import smoothness, throughput, watching
from bench.papers.cloud.places import OTHERS, PLACES
from bench.papers.inside.paths import PACKET, set_control
from bench.papers.segment_server import SegmentServer
from bench.policies import measure
from bench.policies.health import PRIORITY, Health
from bench.policies.results import sessions, ssim
from netlab.daemon import Daemon
from netlab.network import Netlab, open_socket
from netlab.timeline import match_pictures
from netlab.viewer import Viewer

PLAYOUT = 2.0  # seconds by which viewers are behind the camera
TURN = 0.01  # seconds
SAMPLE = 0.1  # seconds between samples of the congestion windows
EVERY = 15  # one frame in this many is compared with the source's
SOURCE = "?size=640x360&content=motion"
NICE = ("nice", "-n", str(PRIORITY))  # keeps other work of the machine out of the measurement
# Small frames and a fast preset let several encoders fit; at this CRF they always take the whole rate.
CONFIG = """
[audio]
enabled = false
[groups]
max = 1
[encoder]
preset = "ultrafast"
crf = 8
[control]
policy = "symbiosis"
[tcp]
congestion_control = "cubic"
"""
STREAM = """
[[stream]]
name = "{name}"
source = {{ uri = "test:{source}" }}
rate = {{ min = "{least}k", max = "{most}k" }}
"""


def run(names, seconds, seed, directory):
    """Figures of each of these places, and reasons not to count them, if any."""
    with _emulated(names, seed) as lab, Health() as health:
        streams = [f"place{number}" for number in range(len(names))]
        config = CONFIG + "".join(
            STREAM.format(name=stream, source=SOURCE, least=PLACES[name].ladder[0],
                          most=PLACES[name].highest)
            for stream, name in zip(streams, names))
        trace = directory / "trace"
        with Daemon("--trace", str(trace), directory=directory, lab=lab, config=config,
                    wrapper=NICE) as daemon:
            begin = time.monotonic()
            viewers = [Viewer(daemon.url(stream, ip=lab.clients[client].server_ip),
                              "--record", _recording(directory, stream), directory=directory,
                              name=stream, lab=lab, client=client, wrapper=NICE)
                       for client, stream in enumerate(streams)]
            windows = _serve(lab, daemon, names, seed, begin + seconds)
            pictures = [viewer.pictures() for viewer in viewers]
            health.finish(lab.counters(), daemon.metrics())
            for viewer in viewers:
                viewer.finish()
        return {"complaints": health.complaints(), "busy": health.cpu, "places": {
            name: _figures(sessions(trace, stream, 1)[0], seen, windows[stream], begin, seconds,
                           _recording(directory, stream))
            for name, stream, seen in zip(names, streams, pictures)}}


def _recording(directory, stream):
    return directory / f"{stream}.ts"


def _emulated(names, seed):
    lab = Netlab(clients=len(names), seed=1000 * seed)
    for client, name in enumerate(names):
        path = PLACES[name].path
        lab.set(client, both_delay=f"{path.rtt_ms / 2}ms", down_rate=int(path.packet_rate()),
                down_queue=path.queue * PACKET, down_loss=path.loss)
    return lab


class _Network:
    """Adapts the lab to the interface that the segment server and its clients use."""

    def __init__(self, lab):
        self._lab = lab

    def listen(self, port, control):
        listener = open_socket(self._lab.server_netns)
        set_control(listener, control)
        listener.bind(("", port))
        listener.listen()
        return listener

    def connect(self, client, port):
        connection = open_socket(self._lab.clients[client].netns)
        connection.connect((self._lab.clients[client].server_ip, port))
        return connection


def _serve(lab, daemon, names, seed, end):
    """Lets the viewers watch, and other users download on contested paths. Returns the streams'
    samples of the congestion window."""
    selector = selectors.DefaultSelector()
    network = _Network(lab)
    server = SegmentServer(network.listen, OTHERS, selector)
    others = [SomebodyElse(random.Random(f"{seed} {name}"), network, client, server)
              for client, name in enumerate(names) if PLACES[name].contested]
    windows = {}
    sample = now = time.monotonic()
    while now < end:
        time.sleep(TURN)
        for key, events in selector.select(0):
            key.data(events)
        for other in others:
            other.act(now)
        if now >= sample:
            for metric, labels, value in daemon.metrics().samples:
                if metric == "symcast_viewer_cwnd_segments":
                    windows.setdefault(labels["stream"], []).append(value)
            sample += SAMPLE
        now = time.monotonic()
    return windows


def _figures(session, seen, windows, begin, seconds, recording):
    arrivals = [(picture["arrival_ns"] / 1e9, picture["bytes"]) for picture in seen]
    end = begin + seconds - PLAYOUT  # later frames may still arrive
    came = [(line["number"], line["captured"], picture["arrival_ns"] / 1e9, 8 * picture["bytes"])
            for line, picture in match_pictures(seen, session)]
    pictures = measure.source_pictures(came, begin, end)
    there = [picture.came and picture.arrived <= picture.captured + PLAYOUT
             for picture in pictures]
    late = sum(picture.came for picture in pictures) - sum(there)
    return {**throughput(arrivals, begin, seconds), **smoothness(windows),
            **watching(there, 1 / measure.FRAMES_PER_SECOND, measure.FROZEN),
            "late": late / len(pictures), "rate": measure.rate(pictures) / 1000,
            "ssim": ssim(measure.on_screen(pictures, PLAYOUT, EVERY), SOURCE, recording)}
