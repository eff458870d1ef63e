"""Runs all sessions at the same time, each on its own path. One thread does all work, every few
milliseconds, because the guest has one CPU and system calls are costly there."""

import random
import selectors
import time

from bench.papers.cloud.client import SomebodyElse, Viewing
from bench.papers.cloud.figures import playing, smoothness, throughput
from bench.papers.cloud.places import OTHERS, PLACES
from bench.papers.cloud.player import KINDS
from bench.papers.inside.paths import Network
from bench.papers.segment_server import SegmentServer
from bench.policies.health import CpuWatch
from netlab.timeline import percentile

TURN = 0.01  # seconds
SAMPLE = 0.1  # seconds between samples of the congestion windows
START_APART = 4.0  # seconds within which the players begin, at random times
MSS = 1448  # bytes
CURVE_STEP = 10  # samples of the congestion window per point of its curve


def run(job):
    """`job` has `sessions`, [[place, congestion control, kind of player]], `seconds` and `seed`.
    Returns the figures in this order, and how well the guest kept up."""
    sessions, seconds = job["sessions"], job["seconds"]
    places = [PLACES[place] for place, _, _ in sessions]
    network = Network([place.path for place in places])
    selector = selectors.DefaultSelector()
    server = SegmentServer(network.listen,
                           {control: control for _, control, _ in sessions} | OTHERS, selector)
    viewings = [Viewing(network, client, server.ports[control], PLACES[place].ladder,
                        KINDS[kind])
                for client, (place, control, kind) in enumerate(sessions)]
    # The other users of a place do the same on each path.
    others = [SomebodyElse(random.Random(f"{job['seed']} {place}"), network, client, server)
              for client, (place, _, _) in enumerate(sessions) if PLACES[place].contested]
    begin = time.monotonic()
    chance = random.Random(job["seed"])
    for viewing in viewings:
        viewing.schedule(begin + chance.uniform(0, START_APART), seconds)
    cpu = CpuWatch()
    turns = _serve(selector, server, viewings + others, begin + START_APART + seconds)
    return {"busy": cpu.busy(), "turn_p99": percentile(turns, 99),
            "lanes": [_figures(viewing, server.connection(control, network.address(client)))
                      for client, (viewing, (_, control, _)) in enumerate(zip(viewings, sessions))]}


def _serve(selector, server, actors, end):
    """Serves until `end`; returns the seconds that each turn took."""
    turns = []
    sample = now = time.monotonic()
    while now < end:
        time.sleep(TURN)
        for key, events in selector.select(0):
            key.data(events)
        for actor in actors:
            actor.act(now)
        if now >= sample:
            server.sample()
            sample += SAMPLE
        before, now = now, time.monotonic()
        turns.append(now - before)
    return turns


def _figures(viewing, connection):
    seconds = viewing.end - viewing.begin
    windows = [window for at, window in connection.windows if viewing.begin <= at < viewing.end]
    came = throughput(viewing.arrivals, viewing.begin, seconds)
    return {**came, **playing(viewing.player, seconds), **smoothness(windows),
            "again": connection.retransmitted() * MSS / (1e6 * came["megabytes"]),
            "curve": windows[::CURVE_STEP]}
