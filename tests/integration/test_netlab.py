"""The emulated network itself, which other tests rely on. A busy machine makes its links slower and later
than their settings, never faster or earlier; `link_emulator --self-check` measures by how much."""

import socket
import subprocess
import time

import pytest

from netlab.daemon import wait_until
from netlab.network import Netlab, open_socket

PORT = 8000
FILE_BYTES = 500_000
PAYLOAD_SHARE = 1448 / 1500  # TCP payload of a packet, with TCP time stamps
PACKET = 1500  # bytes
HEADERS = 28  # bytes: IPv4 and UDP
BUFFER = 4 << 20  # bytes; holds a whole burst, even if it is read late
SO_RCVBUFFORCE = 33
PATIENCE = 60  # seconds


class Flow:
    """UDP packets on their way down to one client."""

    def __init__(self, lab, client=0):
        self._lab = lab
        self._client = client
        ends = lab.clients[client]
        self._from = open_socket(lab.server_netns, kind=socket.SOCK_DGRAM)
        self._to = open_socket(ends.netns, kind=socket.SOCK_DGRAM)
        self._to.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        self._to.bind((ends.address, PORT))
        self._from.connect((ends.address, PORT))
        self._to.settimeout(PATIENCE)

    def send(self, count=1, size=PACKET):
        """Returns when the first packet was sent, or earlier."""
        begin = time.monotonic()
        for _ in range(count):
            self._from.send(bytes(size - HEADERS))
        return begin

    def receive(self, count=1):
        """Returns when the last of `count` packets arrived, or later."""
        for _ in range(count):
            self._to.recv(PACKET)
        return time.monotonic()

    def is_empty(self):
        self._to.setblocking(False)
        try:
            self._to.recv(PACKET)
        except BlockingIOError:
            return True
        return False

    def counters(self, packets):
        """The link's counters as soon as it has received this many packets."""
        def seen():
            link = self._lab.counters()[self._client]["down"]
            return link if link["packets_in"] == packets else None

        return wait_until(seen, PATIENCE, "the link has received all packets")


def seconds(packets, rate):
    return packets * PACKET * 8 / rate


def test_no_packet_arrives_before_its_delay(needs_lab):
    with Netlab(rate="10M", delay_ms=20) as lab:
        flow = Flow(lab)
        for _ in range(20):
            sent = flow.send()
            assert flow.receive() - sent >= 0.02 + seconds(1, 10e6)


def test_packets_arrive_at_the_rate_at_most(needs_lab):
    with Netlab(rate="5M", queue_bytes=10**6) as lab:
        flow = Flow(lab)
        sent = flow.send(100)
        assert flow.receive(100) - sent >= seconds(100, 5e6)


def test_a_rate_changes_while_packets_wait(needs_lab):
    with Netlab(rate="4M", queue_bytes=10**6) as lab:
        flow = Flow(lab)
        sent = flow.send(100)
        flow.receive(20)
        lab.set(down_rate="2M")
        changed = time.monotonic()
        left = max(0, seconds(100, 4e6) - (changed - sent))  # at the old rate
        assert flow.receive(100 - 20) - changed >= 2 * left


def test_losses_are_random(needs_lab):
    with Netlab(loss=0.05) as lab:
        flow = Flow(lab)
        for burst in range(10):  # a TUN device queues 500 packets
            flow.send(400, size=100)
            counters = flow.counters(400 * (burst + 1))
        assert counters["dropped_loss"] == pytest.approx(200, abs=56)  # 4 standard deviations
        flow.receive(counters["packets_in"] - counters["dropped_loss"])
        assert flow.is_empty()


def test_a_full_queue_drops_its_tail(needs_lab):
    with Netlab(rate="1k", queue_bytes=20 * PACKET) as lab:  # a packet takes 12 s
        flow = Flow(lab)
        flow.send(60)
        counters = flow.counters(60)
        assert (counters["dropped_queue"], counters["queue_high_water"]) == (40, 20 * PACKET)
        lab.set(down_rate="0")
        flow.receive(20)
        assert flow.is_empty()


def test_nothing_leaves_a_black_hole(needs_lab):
    with Netlab() as lab:
        lab.set(both_blackhole="on")
        flow = Flow(lab)
        flow.send(20)
        assert flow.counters(20)["dropped_blackhole"] == 20
        lab.set(both_blackhole="off")
        flow.send()
        flow.receive()
        assert flow.is_empty()


def test_flows_share_a_link(needs_lab):
    with Netlab(clients=2, shared=["rate=5M queue=1M"]) as lab:
        flows = [Flow(lab, client) for client in range(2)]
        sent = min([flow.send(50) for flow in flows])
        assert max([flow.receive(50) for flow in flows]) - sent >= seconds(100, 5e6)


def test_a_path_can_pass_links_in_series(needs_lab):
    """The first client's packets pass both links, the second's only the second link."""
    with Netlab(clients=2, shared=["rate=10M delay=20ms queue=1M", "rate=5M queue=1M"],
                through=[(0, 1), (1,)]) as lab:
        flows = [Flow(lab, client) for client in range(2)]
        sent = min([flow.send(50) for flow in flows])
        arrived = [flow.receive(50) for flow in flows]
        assert arrived[0] - sent >= 0.02 + seconds(50, 5e6)
        assert max(arrived) - sent >= seconds(100, 5e6)
        first, second = (link["down"]["packets_out"] for link in lab.counters()[2:])
        assert (first, second) == (50, 100)


@pytest.fixture
def lab(needs_lab):
    with Netlab(rate="5M", delay_ms=20, queue_bytes=64000) as lab:
        yield lab


def serve_file(lab, directory):
    (directory / "zeros").write_bytes(bytes(FILE_BYTES))
    lab.run_server(["python3", "-m", "http.server", str(PORT), "--directory", directory],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers():
        with open_socket(lab.server_netns) as probe:
            return probe.connect_ex(("127.0.0.1", PORT)) == 0

    wait_until(answers, PATIENCE, "the file server listens")


def fetch(lab):
    """Starts to download the file."""
    return lab.run_client([lab.ts_client, f"http://{lab.server_ip}:{PORT}/zeros"],
                          stdout=subprocess.DEVNULL)


def test_tcp_gets_no_more_than_the_rate_of_the_link(lab, tmp_path):
    serve_file(lab, tmp_path)
    begin = time.monotonic()
    assert fetch(lab).wait(PATIENCE) == 0
    assert time.monotonic() - begin > 8 * FILE_BYTES / (5e6 * PAYLOAD_SHARE)
    assert lab.counters()[0]["down"]["bytes_out"] > FILE_BYTES / PAYLOAD_SHARE


def test_a_link_can_change_while_in_use(lab, tmp_path):
    serve_file(lab, tmp_path)
    lab.set(down_rate="20k")  # at which the file takes 200 s
    client = fetch(lab)
    wait_until(lambda: lab.counters()[0]["down"]["bytes_out"] > 2 * PACKET, PATIENCE, "data arrives")
    lab.set(down_rate="10M")
    assert client.wait(PATIENCE) == 0


def test_a_wrong_command_is_refused(lab):
    with pytest.raises(ValueError, match="down_speed|speed"):
        lab.set(down_speed="1M")


def test_processes_end_with_the_lab(needs_lab):
    with Netlab() as lab:
        process = lab.run_client(["sleep", "1000"])
        assert process.poll() is None
    assert process.poll() is not None
