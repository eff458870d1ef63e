"""Settings of viewers' sockets, as the kernel reports them: the end of slow start, and the lower and
upper bounds of the retransmission timer."""

import re
import subprocess
import time
import urllib.request

import pytest

from netlab.cold_start import ColdStart
from netlab.daemon import Daemon, wait_until
from netlab.network import Netlab
from netlab.viewer import Viewer

RATE = 2e6  # bit/s of video
TRANSPORT = 1.15  # container and HTTP (src/app/tcp/socket_limits.cc)
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
    # From there a full window grows by one segment per round trip.
    assert run.metrics.sum("symcast_viewer_cwnd_segments") <= 1.6 * join.ssthresh


def test_without_the_hint_slow_start_continues(tmp_path):
    run = cold_start(tmp_path, "reno", hint=0)
    assert run.joins[0].ssthresh is None
    assert run.metrics.sum("symcast_ssthresh_hints_total", result="none") == 1


def test_bbr_ignores_the_hint(tmp_path):
    run = cold_start(tmp_path, "bbr")
    assert run.joins[0].ssthresh is None
    assert run.metrics.sum("symcast_ssthresh_hints_total", result="none") == 1


def timer(directory, settings=""):
    """Retransmission timeout of a viewer's connection, ms."""
    config = f'[tcp]\n{settings}\n[[stream]]\nname = "live"\nsource = "test:"\n'
    with Netlab(delay_ms=RTT_MS / 2) as lab:
        with Daemon(directory=directory, config=config, lab=lab) as daemon:
            viewer = Viewer(daemon.url(), directory=directory, lab=lab)
            time.sleep(3)  # until the RTT variance of the handshake is forgotten
            sockets = lab.run_server(["ss", "-tinH", "state", "established"], text=True,
                                     stdout=subprocess.PIPE).communicate()[0]
            viewer.finish()
    return float(re.search(r"rto:([0-9.]+)", sockets).group(1))


def test_the_retransmission_timeout_is_40_ms_above_the_round_trip(tmp_path):
    assert RTT_MS + 40 <= timer(tmp_path) < RTT_MS + 100


def test_rto_min_0_keeps_the_kernels_retransmission_timeout(tmp_path):
    assert timer(tmp_path, 'rto_min = "0s"') >= RTT_MS + 200


def test_frames_arrive_within_a_second_after_an_outage(tmp_path):
    """An outage of 16 s: with retransmissions a second apart the kernel would give up after 14 s."""
    config = '[server]\nstall_timeout = "1m"\n[[stream]]\nname = "live"\nsource = "test:"\n'
    with Netlab(delay_ms=RTT_MS / 2) as lab:
        with Daemon(directory=tmp_path, config=config, lab=lab) as daemon:
            viewer = Viewer(daemon.url(), directory=tmp_path, lab=lab)
            time.sleep(3)
            if "TCP_RTO_MAX_MS" in daemon.log():
                pytest.skip("Linux before 6.15")
            lab.set(both_blackhole="on")
            time.sleep(16)
            lab.set(both_blackhole="off")
            back = time.monotonic()
            time.sleep(5)
            arrivals = [picture["arrival_ns"] / 1e9 for picture in viewer.pictures()]
            viewer.finish()
    assert 0 < min(at for at in arrivals if at > back) - back < 1.3


def test_data_with_a_delayed_ack_is_not_retransmitted(tmp_path):
    """On loopback a frame is one segment, and its ACK is delayed until the next one arrives."""
    with Daemon(directory=tmp_path) as daemon:
        end = time.monotonic() + 10
        with urllib.request.urlopen(daemon.url()) as response:
            while time.monotonic() < end:
                response.read1()
        wait_until(lambda: "connection_ended" in daemon.log(), 5, "the connection's end")
        said = daemon.log().split("connection_ended")[1]
    assert int(re.search(r"segments=(\d+)", said).group(1)) > 200
    assert int(re.search(r"retransmitted=(\d+)", said).group(1)) <= 2
