"""Settings of viewers' sockets, as the kernel reports them: the end of slow start, and the lower and
upper bounds of the retransmission timer. bench/hints measures what the end of slow start gains."""

import re
import subprocess

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.network import Netlab
from netlab.timeline import read_trace
from netlab.viewer import Viewer, assert_clean
from tests.integration.segment_requests import HlsPlayer

PATIENCE = 60  # seconds
RATE = 2e6  # bit/s of video
# With container and HTTP, for large frames (src/app/tcp/socket_limits.cc).
TRANSPORT = 1.1 * (RATE * 188 / 184 + 130 * 8 * 60)
MSS = 1448
RTT = 0.06  # seconds; the emulator may be slower, but not faster
FAR_RTT = 1.4  # seconds: longer than the default of tcp.rto_max
KERNELS_RTO_MIN = 0.2  # seconds
BACKOFFS = 6  # timeouts in a row; the kernel's timer would have doubled as often

STREAM = """
[[stream]]
name = "{name}"
source = "test:?size=192x108"
tcp = {{ {settings} }}
"""
FAR = "far"  # its viewer is at FAR_RTT
SEGMENTS = "segments"  # the client of a segment player, at FAR_RTT
HINTED = ("reno", "cubic", "sym_vcubic")
STREAMS = {
    **{name: f'congestion_control = "{name}"' for name in HINTED},
    "unhinted": 'congestion_control = "reno", ssthresh_hint = 0',
    "bbr": 'congestion_control = "bbr"',
    "kernels_timer": 'congestion_control = "cubic", rto_min = "0s"',
    "outage": 'congestion_control = "cubic"',
    FAR: 'congestion_control = "cubic"',
}
LOCAL = "local"  # its viewer is on the server's machine
CONFIG = """
[server]
stall_timeout = "5m"
[rate]
start = "2M"
min = "2M"
max = "2M"
[control]
policy = "off"
[audio]
enabled = false
[encoder]
preset = "ultrafast"
""" + "".join(STREAM.format(name=name, settings=settings) for name, settings in STREAMS.items()) \
    + STREAM.format(name=LOCAL, settings="")


class Run:
    """A server with a viewer for each stream, each on a path that the kernel knows nothing about, and
    a path for a segment player."""

    def __init__(self, lab, daemon, directory):
        self.lab = lab
        self.daemon = daemon
        self._directory = directory
        self.clients = {stream: client for client, stream in enumerate(STREAMS)}
        self.viewers = {
            stream: Viewer(daemon.url(stream, ip=lab.clients[client].server_ip), lab=lab,
                           client=client, directory=directory, name=stream)
            for stream, client in self.clients.items()}
        self.clients[SEGMENTS] = len(STREAMS)
        self.viewers[LOCAL] = Viewer(daemon.url(LOCAL), directory=directory, name=LOCAL,
                                     wrapper=["nsenter", f"--net={lab.server_netns}"])
        wait_until(lambda: all(len(viewer.pictures()) > 30 for viewer in self.viewers.values()),
                   PATIENCE, "frames arrive")

    def trace(self, stream, event):
        return [line for line in read_trace(self._directory / "trace", stream)
                if line["event"] == event]

    def value(self, name, stream, **labels):
        return self.daemon.metrics().sum(f"symcast_{name}", stream=stream, **labels)

    def socket(self, stream):
        """The connection of the stream's viewer, or of the segment player, according to `ss`."""
        address = self.lab.clients[self.clients[stream]].address
        found = self.lab.run_server(
            ["ss", "-tinH", "state", "established", "dst", address, "sport", self.daemon.port],
            text=True, stdout=subprocess.PIPE).communicate()[0]
        values = dict(re.findall(r"(\w+):([\d.]+)", found.split("\n")[1]))
        return {"rto": float(values["rto"]) / 1e3, "rtt": float(values["rtt"]) / 1e3,
                "backoff": int(values.get("backoff", 0))}


@pytest.fixture(scope="module")
def needs_ebpf(tmp_path_factory):
    with Daemon(directory=tmp_path_factory.mktemp("probe")) as daemon:
        if "congestion_controls=sym_*" not in daemon.log():
            pytest.skip(daemon.log().splitlines()[0])


@pytest.fixture(scope="module")
def run(tmp_path_factory, needs_lab, needs_ebpf):
    directory = tmp_path_factory.mktemp("run")
    with Netlab(clients=len(STREAMS) + 1, delay_ms=RTT / 2 * 1e3) as lab:
        for client in (list(STREAMS).index(FAR), len(STREAMS)):
            lab.set(client=client, both_delay=f"{FAR_RTT / 2 * 1e3:.0f}ms")
        with Daemon("--trace", str(directory / "trace"), directory=directory, config=CONFIG,
                    lab=lab) as daemon:
            yield Run(lab, daemon, directory)


def window(round_trip):
    """The window that carries the rate, in segments (bpf/video_rate.h)."""
    return int(TRANSPORT / 8) * round_trip // MSS + 1


@pytest.mark.parametrize("name", HINTED)
def test_slow_start_ends_at_the_hint(run, name):
    join = run.trace(name, "join")[0]
    assert join["congestion_control"] == name
    # The round trip of the handshake decides. It was not shorter than the shortest one since, and
    # not longer than the time from the viewer's start until its request was there.
    shortest = run.value("viewer_min_rtt_seconds", name)
    assert shortest >= RTT
    started = run.viewers[name].finish()["started_ns"] / 1e9
    assert window(shortest) <= join["ssthresh"] <= window(join["requested"] - started)
    assert run.value("ssthresh_hints_total", name, result="set") == 1
    # Afterwards it only falls, after a loss or, with HyStart, a longer round trip.
    later = [line["ssthresh"] for line in run.trace(name, "sample")]
    assert None not in later
    assert max(later) <= join["ssthresh"]


@pytest.mark.parametrize("name, control", [("unhinted", "reno"), ("bbr", "bbr")])
def test_slow_start_continues_without_the_hint_and_with_bbr(run, name, control):
    join = run.trace(name, "join")[0]
    assert join["congestion_control"] == control
    assert join["ssthresh"] is None
    assert run.value("ssthresh_hints_total", name, result="none") == 1


def test_the_retransmission_timeout_is_less_than_the_kernels(run):
    def less():
        seen = run.socket("unhinted")
        assert seen["rto"] >= RTT + 0.04
        return seen["rto"] < seen["rtt"] + KERNELS_RTO_MIN

    wait_until(less, PATIENCE, "the variance of the handshake's round trip is forgotten")


def test_rto_min_0_keeps_the_kernels_retransmission_timeout(run):
    assert run.socket("kernels_timer")["rto"] >= RTT + KERNELS_RTO_MIN


def test_retransmissions_are_at_most_a_second_apart_in_an_outage(run):
    """So frames arrive a second after its end, at the latest. The connection outlives the number of
    retransmissions after which the kernel gives up."""
    if "TCP_RTO_MAX_MS" in run.daemon.log():
        pytest.skip("Linux before 6.15")
    retries = ["sh", "-c", "echo 2 >/proc/sys/net/ipv4/tcp_retries2"]
    assert run.lab.run_server(retries).wait() == 0
    client, viewer = run.clients["outage"], run.viewers["outage"]
    run.lab.set(client=client, both_blackhole="on")
    wait_until(lambda: run.socket("outage")["backoff"] >= BACKOFFS, PATIENCE,
               "the retransmission timer has expired again and again")
    assert run.socket("outage")["rto"] <= 1
    had = len(viewer.pictures())
    run.lab.set(client=client, both_blackhole="off")
    wait_until(lambda: len(viewer.pictures()) > had + 30, PATIENCE, "frames arrive again")
    summary = viewer.finish()
    assert_clean(summary)
    assert summary["closed_s"] is None


def outlasts(seen):
    """The timer runs for longer than the round trip."""
    assert seen["rtt"] >= FAR_RTT
    return seen["rto"] > seen["rtt"]


def test_a_viewers_timer_outlasts_a_long_round_trip(run):
    """Else it expires although nothing is lost, on a satellite's path or in a deep queue."""
    wait_until(lambda: outlasts(run.socket(FAR)), PATIENCE, "the timer follows the round trip")


def test_a_segment_players_timer_outlasts_a_long_round_trip(run):
    client = run.lab.clients[run.clients[SEGMENTS]]
    with HlsPlayer(run.daemon, stream=FAR, netns=client.netns, ip=client.server_ip) as hls:

        def follows():
            segment, part = hls.playlist("auto").last_part()
            hls.media(hls.path("auto", segment.parts[part].uri))
            return outlasts(run.socket(SEGMENTS))

        wait_until(follows, PATIENCE, "the timer follows the round trip")


def test_data_with_a_delayed_ack_is_not_retransmitted(run):
    """On loopback a frame is one segment, and its ACK is delayed until the next one arrives."""
    wait_until(lambda: len(run.viewers[LOCAL].pictures()) > 200, PATIENCE, "frames arrive")
    run.viewers[LOCAL].finish()
    said = wait_until(lambda: re.search(
        rf"connection_ended .*stream={LOCAL} .*segments=(\d+) retransmitted=(\d+)",
        run.daemon.log()), PATIENCE, "the connection's end")
    segments, retransmitted = map(int, said.groups())
    assert segments > 200
    # A pause of the machine can delay an ACK until the timer expires, but not every tenth one.
    assert retransmitted < segments / 10
