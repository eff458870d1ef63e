"""One slow viewer next to nine fast ones does not affect the nine. bench/isolation measures how little."""

import re

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.network import Netlab
from netlab.timeline import FRAMES_PER_SECOND
from netlab.viewer import Viewer, assert_clean

FAST = 9
SLOW = FAST  # index of the tenth client
RATE = 1.5e6  # bit/s
FULL = 0.95 * RATE  # a group does not follow changes of less than 3 % (kRateDeadBand)
SPAN = 30  # frames
PATIENCE = 60  # seconds
# With noise the encoder spends its whole rate.
CONFIG = """
[groups]
max = 2
[rate]
start = "1500k"
max = "1500k"
min = "200k"
[audio]
enabled = false
[encoder]
preset = "ultrafast"
crf = 8
[tcp]
congestion_control = "cubic"
[[stream]]
name = "live"
source = "test:?size=320x180&content=noise"
"""


def next_frames(viewers, count):
    """Waits until each viewer has `count` more frames; returns these."""
    had = [len(viewer.pictures()) for viewer in viewers]
    wait_until(lambda: all(len(viewer.pictures()) >= before + count
                           for viewer, before in zip(viewers, had)), PATIENCE, "frames arrive")
    return [viewer.pictures()[before:before + count] for viewer, before in zip(viewers, had)]


def missing(frames):
    """Number of frames missing between the first and the last."""
    return round((frames[-1]["pts"] - frames[0]["pts"]) * FRAMES_PER_SECOND) - (len(frames) - 1)


def not_encoded(metrics):
    """Number of frames that the encoders dropped on a busy machine."""
    return metrics.sum("symcast_group_frames_late_total")


class Run:
    """Nine viewers behind fast links, and a tenth whose link becomes slow. It becomes slow again if a busy
    machine has changed the rate of the fast viewers at the same time."""

    def __init__(self, directory):
        with Netlab(clients=FAST + 1, rate="20M", delay_ms=10, queue_bytes=64000) as lab:
            with Daemon(directory=directory, config=CONFIG, lab=lab) as daemon:
                self._lab = lab
                self._daemon = daemon
                self._viewers = [Viewer(daemon.url(ip=client.server_ip), lab=lab, client=i,
                                        directory=directory, name=f"viewer{i}")
                                 for i, client in enumerate(lab.clients)]
                next_frames(self._viewers, SPAN)
                wait_until(self._only_fellows_move, 2 * PATIENCE,
                           "only viewers of the slow viewer's group move when the link falls")
                self.summaries = [viewer.finish() for viewer in self._viewers]

    def _only_fellows_move(self):
        """Whether, when the link falls, the slow viewer gets one of the two groups, the others in it
        leave, and nobody else moves."""
        self._lab.set(client=SLOW, down_rate="20M")
        self._daemon.wait_for(lambda m: min(m.all("symcast_viewer_rate_target_bits_per_second"))
                              >= FULL, PATIENCE, "all rates are high")
        wait_until(self._undisturbed, PATIENCE, "each fast viewer gets frame after frame")
        before = self._memberships()
        self._fall()
        after = self._memberships()
        address = self._lab.clients[SLOW].address
        slow = re.search(rf"viewer_joined viewer=(\d+) .*address={address} ", self._daemon.log())[1]
        groups, given_up = dict(before), dict(after)[slow]
        moved = [viewer for viewer, _ in after[len(before):]]
        may_move = {slow, *(viewer for viewer in groups if groups[viewer] == given_up)}
        return len(set(moved)) == len(moved) and may_move.issuperset(moved)

    def _fall(self):
        newest = self._viewers[0].pictures()[-1]["pts"]
        self._lab.set(client=SLOW, down_rate="400k")
        self._daemon.wait_for(
            lambda m: min(m.all("symcast_viewer_rate_target_bits_per_second")) < 400e3
            and sorted(m.all("symcast_group_viewers")) == [1, FAST], PATIENCE,
            "the slow viewer is alone in its group, with a lower rate")
        wait_until(self._undisturbed, PATIENCE,
                   "each fast viewer gets frame after frame at the full rate")
        wait_until(lambda: self._viewers[SLOW].pictures()[-1]["pts"] > newest + 2, PATIENCE,
                   "the slow viewer gets frames that are newer than the fall")

    def _undisturbed(self):
        """Whether the encoder of the fast viewers keeps its rate for the next SPAN frames, and each of
        them gets all frames that were encoded. A pause of the machine disturbs a span, too."""
        metrics = self._daemon.metrics()
        spans = next_frames(self._viewers[:FAST], SPAN)
        later = self._daemon.metrics()
        return (self._rate_of_most(metrics) == self._rate_of_most(later)
                and self._rate_of_most(later)[1] >= FULL
                and max(map(missing, spans)) <= not_encoded(later) - not_encoded(metrics))

    @staticmethod
    def _rate_of_most(metrics):
        """(number of changes, rate now) of the encoder that serves most viewers."""
        _, group = max((viewers, labels["group"]) for name, labels, viewers in metrics.samples
                       if name == "symcast_group_viewers")
        return (metrics.sum("symcast_group_retargets_total", group=group),
                metrics.sum("symcast_group_rate_target_bits_per_second", group=group))

    def _memberships(self):
        """[(viewer, group)] in the order in which the viewers joined and moved."""
        return re.findall(r"viewer_(?:joined|moved) viewer=(\d+) stream=live group=(\d+)",
                          self._daemon.log())


@pytest.fixture(scope="module")
def run(tmp_path_factory, needs_lab):
    return Run(tmp_path_factory.mktemp("run"))


def test_the_slow_viewer_takes_only_its_own_group(run):
    """The run waits for this. The slow viewer is still served, and so are the others."""
    assert len(run.summaries) == FAST + 1
    assert [summary["closed_s"] for summary in run.summaries] == [None] * (FAST + 1)


def test_all_streams_stay_clean(run):
    for summary in run.summaries:
        assert_clean(summary)


# The next regular keyframe is due a minute after the start.
SPARSE = """
[server]
queue = "500ms"
[groups]
max = 1
[rate]
start = "1500k"
max = "1500k"
[encoder]
preset = "ultrafast"
keyframe_interval = "1m"
"""


def repairs(metrics):
    """Number of frames after which a viewer that has lost frames can continue."""
    return (metrics.sum("symcast_group_recovery_frames_total")
            + metrics.sum("symcast_group_keyframes_forced_total"))


def test_a_viewer_that_was_cut_off_does_not_wait_for_the_next_regular_keyframe(tmp_path, needs_lab):
    """Its queue has dropped everything. The other viewer, in the same group, is not affected."""
    with Netlab(clients=2, rate="20M", delay_ms=10, queue_bytes=64000) as lab:
        with Daemon("--source", "live=test:?size=320x180", directory=tmp_path, config=SPARSE,
                    lab=lab) as daemon:
            viewers = [Viewer(daemon.url(ip=client.server_ip), lab=lab, client=i,
                              directory=tmp_path, name=f"viewer{i}")
                       for i, client in enumerate(lab.clients)]
            cut_off, other = viewers
            next_frames(viewers, 30)
            metrics = daemon.metrics()
            lab.set(client=0, down_blackhole="on")
            daemon.wait_for(lambda m: m.sum("symcast_viewer_frames_dropped_total") > 30, PATIENCE,
                            "the queue has dropped a second of frames")

            def other_is_undisturbed():
                before = not_encoded(daemon.metrics())
                span, = next_frames([other], 30)
                return missing(span) <= not_encoded(daemon.metrics()) - before

            wait_until(other_is_undisturbed, PATIENCE, "the other viewer gets frame after frame")
            before = cut_off.pictures()
            lab.set(client=0, down_blackhole="off")

            def delay(picture):
                return picture["arrival_ns"] / 1e9 - picture["pts"]

            def is_live():
                return any(picture["pts"] > before[-1]["pts"] + 1
                           and delay(picture) < min(map(delay, before)) + 0.2
                           for picture in cut_off.pictures()[len(before):])

            wait_until(is_live, PATIENCE, "the viewer is nearly as close to live as before")
            assert repairs(daemon.metrics()) > repairs(metrics)
            for viewer in viewers:
                assert_clean(viewer.finish())
