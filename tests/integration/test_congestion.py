"""A link falls from 5 to 1 Mbit/s and returns: with `symbiosis` and `itcp` the encoder follows, with `off`
it does not. bench/retraction measures how soon, and the delays. And a link carries nothing for a while."""

import datetime
import re
import shutil
import subprocess
import time

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.network import Netlab
from netlab.timeline import decisions_and_causes, read_trace
from netlab.viewer import Viewer, assert_clean

POLICIES = ("off", "itcp", "symbiosis")
START_RATE = 3e6  # bit/s: below a 5 Mbit/s link, and three times a 1 Mbit/s link
SLOW_LINK = 1e6  # bit/s
USED = 0.6 * SLOW_LINK  # a policy that settles below this leaves the link idle
PATIENCE = 60  # seconds
BAD = 2  # seconds: the log is silent about pictures that were bad for less than 1 s
EVENTS = ("rexmt", "dupack")
# With noise the encoder spends its whole rate. The itcp rule has short waits.
CONFIG = """
[rate]
start = "3M"
max = "3M"
min = "200k"
[encoder]
preset = "ultrafast"
crf = 8
[itcp]
hold = "500ms"
hold_max = "2s"
restore_interval = "200ms"
[tcp]
congestion_control = "cubic"
"""
STREAM = """
[[stream]]
name = "{policy}"
source = "test:?size=320x180&content=noise"
control = {{ policy = "{policy}" }}
"""


def target(metrics, policy):
    """The rate that a policy allows the one viewer of its stream, bit/s."""
    return metrics.sum("symcast_viewer_rate_target_bits_per_second", stream=policy)


def backlog(metrics, policy):
    """Unsent data of that viewer, as time at its rate."""
    return metrics.sum("symcast_viewer_backlog_seconds", stream=policy)


class Step:
    """Links fall from 5 to 1 Mbit/s until each policy has shown its answer, and return. All policies run
    side by side, each with its own stream and link."""

    def __init__(self, directory):
        trace = directory / "trace"
        config = CONFIG + "".join(STREAM.format(policy=policy) for policy in POLICIES)
        with Netlab(clients=len(POLICIES), rate="5M", delay_ms=20, queue_bytes=32000) as lab:
            with Daemon("--trace", str(trace), directory=directory, config=config,
                        lab=lab) as daemon:
                viewers = {policy: Viewer(daemon.url(policy, ip=lab.clients[i].server_ip), lab=lab,
                                          client=i, directory=directory, name=policy)
                           for i, policy in enumerate(POLICIES)}
                self._watch(lab, daemon, viewers)
                self.summaries = {policy: viewer.finish() for policy, viewer in viewers.items()}
        self.traces = {policy: read_trace(trace, policy) for policy in POLICIES}

    def _watch(self, lab, daemon, viewers):
        wait_until(lambda: all(len(viewer.pictures()) > 60 for viewer in viewers.values()), PATIENCE,
                   "frames arrive")
        daemon.wait_for(lambda m: all(target(m, policy) == START_RATE for policy in POLICIES),
                        PATIENCE, "all rates are high")
        lab.set(down_rate=int(SLOW_LINK))
        for policy in ("symbiosis", "itcp"):
            daemon.wait_for(lambda m: target(m, policy) < SLOW_LINK, PATIENCE,
                            f"the rate of {policy} is below the link")
        daemon.wait_for(lambda m: USED < target(m, "symbiosis") < SLOW_LINK
                        and backlog(m, "symbiosis") < 0.1, PATIENCE,
                        "symbiosis uses the link, and next to nothing waits")
        daemon.wait_for(lambda m: m.sum("symcast_congestion_events_total", stream="off") > 0
                        and backlog(m, "off") > 0.5, PATIENCE,
                        "with off there are events, and the backlog grows")
        time.sleep(BAD)
        lab.set(down_rate="5M")
        for policy in ("symbiosis", "itcp"):
            daemon.wait_for(lambda m: target(m, policy) >= 0.9 * START_RATE, PATIENCE,
                            f"the rate of {policy} is high again")
        self.metrics = daemon.metrics()
        self.bad = wait_until(lambda: re.search(r"bad_picture .*stream=symbiosis .*", daemon.log()),
                              PATIENCE, "the log says that the picture was bad")[0]

    def lines(self, policy, event):
        return [line for line in self.traces[policy] if line["event"] == event]

    def rates(self, policy):
        """The rates that the policy chose, and the encoder's targets, bit/s."""
        return ([line["rate"] for line in self.lines(policy, "decision")],
                [line["served"] for line in self.lines(policy, "sample")])


@pytest.fixture(scope="module")
def step(tmp_path_factory, needs_lab):
    return Step(tmp_path_factory.mktemp("step"))


@pytest.mark.parametrize("policy", ["itcp", "symbiosis"])
def test_the_rate_falls_below_the_link_and_returns(step, policy):
    chosen, served = step.rates(policy)
    assert chosen[0] == served[0] == START_RATE
    assert min(served) < SLOW_LINK
    low = next(i for i, rate in enumerate(chosen) if rate < SLOW_LINK)
    assert max(chosen[low:]) >= 0.9 * START_RATE


def test_the_log_says_when_and_why_the_picture_was_bad(step):
    found = dict(re.findall(r"(\w+)=(\S+)", step.bad))
    assert float(found["rate_before"]) > SLOW_LINK > float(found["lowest_rate"])
    assert found["cause"] in ("capacity", "backlog", *EVENTS)
    wall = datetime.datetime.fromisoformat
    join, = step.lines("symbiosis", "join")
    assert wall(join["wall"]) < wall(found["from"]) < wall(found["to"])


def test_itcp_decreases_follow_events(step):
    """At least two, since one decrease to 0.55 times 3 Mbit/s is not enough."""
    decreases = [(decision["reason"], causes)
                 for decision, causes in decisions_and_causes(step.traces["itcp"])
                 if decision["reason"] in EVENTS]
    assert all(reason in causes for reason, causes in decreases)
    counted = step.metrics.sum("symcast_rate_decreases_total", stream="itcp")
    assert step.metrics.sum("symcast_congestion_events_total", stream="itcp") >= counted >= 2


def test_off_keeps_its_rate(step):
    chosen, served = step.rates("off")
    assert set(chosen) == set(served) == {START_RATE}
    assert step.metrics.sum("symcast_rate_decreases_total", stream="off") == 0


def test_retransmissions_of_living_connections_are_counted(step):
    sent, again = (step.metrics.sum(f"symcast_tcp_segments_{what}_total", stream="off")
                   for what in ("sent", "retransmitted"))
    assert 0 < again < sent


@pytest.mark.parametrize("policy", POLICIES)
def test_streams_stay_clean(step, policy):
    assert_clean(step.summaries[policy])


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_the_rate_follows_the_link_in_every_container(serve, tmp_path, needs_lab):
    """Three viewers, each behind their own link that falls from 5 to 1 Mbit/s."""
    config = CONFIG + STREAM.format(policy="symbiosis")
    with Netlab(clients=3, rate="5M", delay_ms=20) as lab:
        daemon = serve(config=config, lab=lab)
        viewers, progress = [], []
        for index, container in enumerate(["ts", "flv", "mp4"]):
            progress.append(tmp_path / container)
            progress[-1].touch()
            url = daemon.url("symbiosis", ip=lab.clients[index].server_ip, container=container)
            viewers.append(lab.run_client(
                ["ffmpeg", "-v", "warning", "-xerror", "-progress", progress[-1],
                 "-stats_period", "0.2", "-i", url, "-fps_mode", "passthrough",
                 "-enc_time_base", "1/1000", "-f", "null", "-"],
                index, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True))

        def decoded():
            """The number of frames that each viewer has decoded."""
            return [int((re.findall(r"frame=(\d+)", file.read_text()) or [0])[-1])
                    for file in progress]

        def rates(metrics):
            return metrics.all("symcast_viewer_rate_target_bits_per_second")

        daemon.wait_for(lambda m: len(rates(m)) == 3 and min(rates(m)) > 2e6, PATIENCE,
                        "all rates are high")
        wait_until(lambda: min(decoded()) > 0, PATIENCE, "all viewers decode frames")
        lab.set(down_rate=int(SLOW_LINK))
        daemon.wait_for(lambda m: max(rates(m)) < SLOW_LINK, PATIENCE,
                        "all rates are below the link")
        daemon.wait_for(lambda m: USED < min(rates(m)) and max(rates(m)) < SLOW_LINK, PATIENCE,
                        "all links are used")
        had = decoded()
        wait_until(lambda: all(now > before + 30 for now, before in zip(decoded(), had)), PATIENCE,
                   "all viewers decode frames of the lower rate")
        for viewer in viewers:
            _, complaints = viewer.communicate("q", timeout=PATIENCE)  # ffmpeg's key to quit
            assert (viewer.returncode, complaints) == (0, "")
        daemon.__exit__(None)


def test_a_black_hole_causes_a_retransmission_timeout(serve, view, needs_lab):
    with Netlab(rate="5M", delay_ms=20) as lab:
        daemon = serve("--source", "live=test:?size=320x180", "--congestion-control", "cubic",
                       lab=lab)
        viewer = view(daemon.url(), lab=lab)
        wait_until(lambda: len(viewer.pictures()) > 30, PATIENCE, "frames arrive")
        lab.set(down_blackhole="on")
        daemon.wait_for(lambda m: m.sum("symcast_congestion_events_total", kind="rexmt") > 0,
                        PATIENCE, "a retransmission timeout")
        daemon.wait_for(lambda m: m.sum("symcast_rate_decreases_total") > 0, PATIENCE,
                        "the rate falls")
        had = len(viewer.pictures())
        lab.set(down_blackhole="off")
        wait_until(lambda: len(viewer.pictures()) > had + 30, PATIENCE, "frames arrive again")
        assert_clean(viewer.finish())
        daemon.__exit__(None)
