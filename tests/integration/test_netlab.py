"""The emulated network itself, which other tests rely on."""

import subprocess
import time

import pytest

from netlab.daemon import wait_until
from netlab.network import Netlab, open_socket

PORT = 8000
FILE_BYTES = 1_500_000
PAYLOAD_SHARE = 1448 / 1500  # TCP payload of a packet, with TCP time stamps


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

    wait_until(answers, 10, "the file server listens")


def fetch(lab):
    """Seconds to download the file."""
    begin = time.monotonic()
    client = lab.run_client([lab.ts_client, f"http://{lab.server_ip}:{PORT}/zeros"],
                            stdout=subprocess.DEVNULL)
    assert client.wait(60) == 0
    return time.monotonic() - begin


def test_tcp_gets_the_rate_of_the_link_and_no_more(lab, tmp_path):
    serve_file(lab, tmp_path)
    least = 8 * FILE_BYTES / (5e6 * PAYLOAD_SHARE)
    assert least < fetch(lab) < 1.25 * least + 0.3  # handshake, slow start, process start


def test_a_link_can_change_while_in_use(lab, tmp_path):
    serve_file(lab, tmp_path)
    lab.set(down_rate="10M")
    assert fetch(lab) < 8 * FILE_BYTES / 5e6
    counters = lab.counters()[0]["down"]
    assert counters["bytes_out"] > FILE_BYTES


def test_a_wrong_command_is_refused(lab):
    with pytest.raises(ValueError, match="down_speed|speed"):
        lab.set(down_speed="1M")


def test_processes_end_with_the_lab(needs_lab):
    with Netlab() as lab:
        process = lab.run_client(["sleep", "1000"])
        assert process.poll() is None
    assert process.poll() is not None
