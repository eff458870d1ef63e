"""A link falls from 5 to 1 Mbit/s and returns: with `symbiosis` the encoder follows at once, with
`itcp` later, with `off` not at all. And a link carries nothing for a second."""

import shutil
import subprocess
import time

import pytest

from netlab.capacity_step import POLICIES, SLOW_LINK, START_RATE, CapacityStep, Phases
from netlab.network import Netlab
from netlab.viewer import assert_clean

PHASES = Phases(fall=4, rise=24, end=40)
# Cubic's second loss follows 0.6 to 6 s after the first, depending on its window at the fall.
ADAPTED = PHASES.fall + 10
# The itcp rule with shorter waits, to keep the test short.
QUICK = """
[itcp]
hold_max = "8s"
restore_interval = "500ms"
"""


@pytest.fixture(scope="module")
def step(tmp_path_factory, needs_lab):
    return CapacityStep(tmp_path_factory.mktemp("step"), PHASES, QUICK)


def test_symbiosis_falls_below_the_link_at_once(step):
    assert step.first_time("symbiosis", PHASES.fall, lambda rate: rate < SLOW_LINK) < 0.5


def test_symbiosis_delay_is_low_on_the_slow_link(step):
    assert step.delay("symbiosis", 95, PHASES.fall + 1, PHASES.rise) < 0.15


def test_symbiosis_uses_the_capacity_of_the_slow_link(step):
    assert step.actual("symbiosis", PHASES.fall + 2, PHASES.rise) > 0.6 * SLOW_LINK


def test_symbiosis_rate_returns_soon(step):
    assert step.first_time("symbiosis", PHASES.rise, lambda rate: rate >= 0.9 * START_RATE) < 2


def test_itcp_falls_below_the_link(step):
    assert min(step.targets("itcp", PHASES.fall, PHASES.rise)) < SLOW_LINK


def test_itcp_delay_is_low_again_while_the_link_is_slow(step):
    assert step.delay("itcp", 50, ADAPTED, PHASES.rise) < 0.5


def test_itcp_rate_returns(step):
    assert step.targets("itcp", PHASES.rise, PHASES.end)[-1] >= 0.9 * START_RATE


def test_itcp_counts_events_and_retractions(step):
    events = step.metrics.sum("symcast_congestion_events_total", stream="itcp")
    retractions = step.metrics.sum("symcast_rate_decreases_total", stream="itcp")
    assert events >= retractions >= 2  # one decrease, to 0.55 * 3 Mbit/s, is not enough


def test_off_keeps_its_rate_and_counts_events(step):
    assert set(step.targets("off", 1, PHASES.end)) == {START_RATE}
    assert step.metrics.sum("symcast_congestion_events_total", stream="off") > 0
    assert step.metrics.sum("symcast_rate_decreases_total", stream="off") == 0


def test_off_delay_grows(step):
    assert step.delay("off", 95, ADAPTED, PHASES.rise) > 1


@pytest.mark.parametrize("policy", POLICIES)
def test_streams_stay_clean(step, policy):
    assert_clean(step.summaries[policy])


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_the_rate_follows_the_link_in_every_container(serve, needs_lab):
    """Three viewers, each behind their own link that falls from 5 to 1 Mbit/s."""
    with Netlab(clients=3, rate="5M", delay_ms=20) as lab:
        daemon = serve("--source", "live=test:?size=640x360&content=noise", lab=lab)
        viewers = []
        for index, container in enumerate(["ts", "flv", "mp4"]):
            url = daemon.url(ip=lab.clients[index].server_ip, container=container)
            viewers.append(lab.run_client(
                ["ffmpeg", "-v", "warning", "-xerror", "-i", url, "-t", "14",
                 "-fps_mode", "passthrough", "-enc_time_base", "1/1000", "-f", "null", "-"],
                index, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))

        def rates(metrics):
            return metrics.all("symcast_viewer_rate_target_bits_per_second")

        daemon.wait_for(lambda m: len(rates(m)) == 3 and min(rates(m)) > 2e6, 8, "all rates are high")
        lab.set(down_rate="1M")
        daemon.wait_for(lambda m: max(rates(m)) < 1e6, 2, "all rates are below the link")
        time.sleep(4)
        assert min(rates(daemon.metrics())) > 0.6e6
        for viewer in viewers:
            _, complaints = viewer.communicate(timeout=30)
            assert (viewer.returncode, complaints) == (0, "")
        daemon.__exit__(None)


def test_a_black_hole_causes_a_retransmission_timeout(serve, view, needs_lab):
    with Netlab(rate="5M", delay_ms=20) as lab:
        daemon = serve("--source", "live=test:?size=320x180", "--congestion-control", "cubic",
                       lab=lab)
        viewer = view(daemon.url(), lab=lab)
        viewer.watch(2)
        lab.set(down_blackhole="on")
        time.sleep(1)
        lab.set(down_blackhole="off")
        metrics = daemon.wait_for(
            lambda m: m.sum("symcast_congestion_events_total", kind="rexmt") > 0, 5, "REXMT")
        assert metrics.sum("symcast_rate_decreases_total") > 0
        viewer.watch(2)
        assert_clean(viewer.finish())
        daemon.__exit__(None)
