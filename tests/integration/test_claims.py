"""Clients that claim to watch, beside viewers who do, where one encoder serves all."""

import http.client
import socket
import threading

import pytest

from netlab.daemon import REPLY_SECONDS, wait_until
from tests.integration.conftest import QUICK

FPS = 30
# Noise has as many bits as it may, so that the rate is what viewers receive.
SOURCE = "live=test:?size=320x180&fps=30&content=noise"
ONE_ENCODER = QUICK + """
[groups]
max = 1

[rate]
min = "300k"
max = "5M"
start = "2M"
"""
CLAIMS = 10
# Those who claim ask for 2 Mbit/s or less. On a busy machine, the viewers themselves may fall behind for a moment.
HONEST_RATE = 2.5e6
SECONDS = 12  # longer than the server waits for a reader, and for a session


@pytest.fixture
def watched(serve, view):
    """A server whose three viewers have a high rate."""
    daemon = serve("--source", SOURCE, config=ONE_ENCODER)
    viewers = [view(daemon.url()) for _ in range(3)]
    for viewer in viewers:
        viewer.receive(3 * FPS)
    daemon.wait_for(lambda metrics: rate(metrics) > 4e6 and proven(metrics) == 3, 60, "a high rate")
    return daemon


def rate(metrics):
    return metrics.all("symcast_group_rate_target_bits_per_second")[0]


def proven(metrics):
    return metrics.sum("symcast_viewers_by_standing", standing="proven")


def least_rate_while(daemon, claim):
    """The lowest rate while claim(stop) runs in a thread."""
    stop = threading.Event()
    thread = threading.Thread(target=claim, args=(stop,))
    thread.start()
    rates, until = [], threading.Event()
    timer = threading.Timer(SECONDS, until.set)
    timer.start()
    try:
        while not until.wait(0.25):
            rates.append(rate(daemon.metrics()))
    finally:
        stop.set()
        thread.join()
    return min(rates)


def tokens():
    return [f"{number:016x}" for number in range(2**60, 2**60 + CLAIMS)]


def lowest_rung(daemon):
    text = daemon.get("/live/index.m3u8?abr=player")[2].decode()
    return [line.split("/")[1] for line in text.splitlines() if line and not line.startswith("#")][-1]


def test_a_rung_that_is_only_asked_for(watched):
    rung = lowest_rung(watched)

    def ask(stop):
        connection = http.client.HTTPConnection(watched.ip, watched.port, timeout=REPLY_SECONDS)
        while not stop.wait(1):
            for token in tokens():
                connection.request("GET", f"/live/{token}/{rung}/playlist.m3u8")
                assert connection.getresponse().read()

    assert least_rate_while(watched, ask) > HONEST_RATE


def test_readers_of_nothing(watched):
    def read_nothing(stop):
        readers = []
        for _ in range(CLAIMS):
            reader = socket.create_connection((watched.ip, watched.port))
            reader.sendall(b"GET /live.ts HTTP/1.1\r\nHost: x\r\n\r\n")
            readers.append(reader)
        stop.wait()
        for reader in readers:
            reader.close()

    assert least_rate_while(watched, read_nothing) > HONEST_RATE


def test_a_slow_viewer_still_counts(watched):
    """With one encoder, nobody is left without pictures that they can receive."""
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    slow.connect((watched.ip, watched.port))
    slow.sendall(b"GET /live.ts HTTP/1.1\r\nHost: x\r\n\r\n")
    stop = threading.Event()

    def trickle():
        while not stop.wait(0.05):
            slow.recv(5000)  # at most 800 kbit/s

    reader = threading.Thread(target=trickle)
    reader.start()
    try:
        # A viewer that falls alone does not lower the rate of the others for 30 s.
        wait_until(lambda: rate(watched.metrics()) < 2e6, 90, "a rate that the slow viewer can receive", 0.5)
    finally:
        stop.set()
        reader.join()
        slow.close()
