"""One slow viewer beside nine fast ones: the nine see no change."""

import time

import pytest

from daemon import Daemon
from netlab import Netlab
from timeline import between, percentile
from viewer import Viewer, assert_clean

FAST = 9
SLOW = FAST  # index of the tenth client
PHASE = 8  # seconds
SETTLE = 2  # seconds: joins, first keyframes
CONFIG = """
[groups]
max = 2
[rate]
start = "1500k"
max = "1500k"
min = "200k"
[tcp]
congestion_control = "cubic"
"""


class Run:
    """Nine viewers behind fast links, and a tenth whose link falls half-way."""

    def __init__(self, directory):
        with Netlab(clients=FAST + 1, rate="20M", delay_ms=10, queue_bytes=64000) as lab:
            with Daemon("--source", "live=test:?size=640x360&content=noise", directory=directory,
                        config=CONFIG, lab=lab) as daemon:
                viewers = [Viewer(daemon.url(ip=client.server_ip), lab=lab, client=i,
                                  directory=directory, name=f"viewer{i}")
                           for i, client in enumerate(lab.clients)]
                time.sleep(SETTLE)
                self.begin = time.monotonic()
                time.sleep(PHASE)
                lab.set(client=SLOW, down_rate="400k")
                self.fall = time.monotonic()
                time.sleep(PHASE)
                self.end = time.monotonic()
                self.skipped = daemon.metrics().sum("symcast_group_frames_skipped_total")
                self.pictures = [viewer.pictures() for viewer in viewers]
                self.summaries = [viewer.finish() for viewer in viewers]

    def lateness(self, viewer, begin, end):
        """p95 of how much later than its earliest picture a viewer's pictures came."""
        samples = [(picture["arrival_ns"] / 1e9, picture["arrival_ns"] / 1e9 - picture["pts"])
                   for picture in self.pictures[viewer]]
        earliest = min(value for _, value in samples)
        return percentile(between(samples, begin, end), 95) - earliest

    def rate(self, viewer, begin, end):
        samples = [(picture["arrival_ns"] / 1e9, picture["bytes"])
                   for picture in self.pictures[viewer]]
        return 8 * sum(between(samples, begin, end)) / (end - begin)


@pytest.fixture(scope="module")
def run(tmp_path_factory, needs_lab):
    return Run(tmp_path_factory.mktemp("run"))


def test_the_fast_ones_keep_their_rate(run):
    for viewer in range(FAST):
        before = run.rate(viewer, run.begin, run.fall)
        after = run.rate(viewer, run.fall, run.end)
        assert abs(after / before - 1) < 0.1, f"viewer {viewer}: {before:.0f} -> {after:.0f}"


def test_the_fast_ones_keep_their_delay(run):
    for viewer in range(FAST):
        before = run.lateness(viewer, run.begin, run.fall)
        after = run.lateness(viewer, run.fall, run.end)
        # A picture's interval: what a busy machine does to both phases.
        assert after < before + 0.033, f"viewer {viewer}: {before:.3f} -> {after:.3f} s"


def test_the_fast_ones_miss_nothing(run):
    for summary in run.summaries[:FAST]:
        assert_clean(summary)
        assert summary["discontinuities_signalled"] == 0
        # A machine that is too busy to encode every picture says so.
        assert summary["gaps"] <= run.skipped


def test_the_slow_one_is_still_served(run):
    assert_clean(run.summaries[SLOW])
    assert run.summaries[SLOW]["closed_s"] is None
    assert run.rate(SLOW, run.fall + PHASE / 2, run.end) > 0
