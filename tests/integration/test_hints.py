"""The hint of where slow start may end, as TCP_INFO shows it at the start of a viewer's session."""

import pytest

from cold_start import ColdStart
from daemon import Daemon

RATE = 2e6  # bit/s of video
TRANSPORT = 1.15  # container and HTTP (src/app/socket_limits.cc)
MSS = 1448
RTT_MS = 60
EXPECTED = RATE * TRANSPORT / 8 * RTT_MS / 1000 / MSS + 1


def cold_start(directory, name, hint=1):
    return ColdStart(directory / "run", name, hint, stream_rate="2M", delay_ms=RTT_MS / 2).run(1, 2)


@pytest.fixture(scope="module", autouse=True)
def needs_ebpf(tmp_path_factory, needs_lab):
    with Daemon(directory=tmp_path_factory.mktemp("probe")) as daemon:
        if "congestion_controls=sym_*" not in daemon.log():
            pytest.skip(daemon.log().splitlines()[0])


@pytest.mark.parametrize("name", ["reno", "cubic", "sym_vcubic"])
def test_slow_start_ends_at_the_hint(tmp_path, name):
    run = cold_start(tmp_path, name)
    join = run.joins[0]
    assert join.congestion_control == name
    assert join.ssthresh is not None
    # The emulator's round trip is 0.6 to 1 ms longer.
    assert EXPECTED - 1 <= join.ssthresh <= 1.1 * EXPECTED + 1
    assert run.metrics.sum("symcast_ssthresh_hints_total", result="set") == 1
    assert run.metrics.sum("symcast_viewer_ssthresh_segments") == join.ssthresh
    # From there on a window grows by one segment in a round trip, while it is full.
    assert run.metrics.sum("symcast_viewer_cwnd_segments") <= 1.6 * join.ssthresh


def test_without_it_slow_start_goes_on(tmp_path):
    run = cold_start(tmp_path, "reno", hint=0)
    assert run.joins[0].ssthresh is None
    assert run.metrics.sum("symcast_ssthresh_hints_total", result="none") == 1


def test_bbr_has_no_use_for_it(tmp_path):
    run = cold_start(tmp_path, "bbr")
    assert run.joins[0].ssthresh is None
    assert run.metrics.sum("symcast_ssthresh_hints_total", result="none") == 1
