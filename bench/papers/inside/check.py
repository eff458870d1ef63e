"""Measures the guest's paths, for guest.judge()."""

import os
import socket
import statistics
import threading
import time

from bench.papers.inside.paths import Network, Path, set_control
from netlab.network import open_socket

PORT = 9000
ECHOES = 15
WARM_UP, COUNTED = 0.5, 2.0  # seconds of bulk transfer
AT_ONCE = 200  # datagrams
LAN = 100e6  # bit/s
PAYLOAD = b"x" * 65536


def run(job):
    """`job` has `rtts` in ms, `rates` in bit/s, `losses` and `controls`, each to be measured on its own
    path, and `packets`, the number sent to measure a loss."""
    rtts = [Path(rtt_ms=rtt, rate=LAN, queue=1000) for rtt in job["rtts"]]
    rates = [Path(rtt_ms=1, rate=rate, queue=100) for rate in job["rates"]]
    losses = [Path(rtt_ms=1, rate=LAN, queue=1000, loss=loss) for loss in job["losses"]]
    network = Network(rtts + rates + losses)
    clients = iter(range(len(network.clients)))
    return {"kernel": os.uname().release,
            "controls": [name for name in job["controls"] if _selectable(network, name)],
            "rtts": [(rtt, _round_trip(network, next(clients))) for rtt in job["rtts"]],
            "rates": [(path.rate, _carried(network, next(clients)) * path.rate / path.payload())
                      for path in rates],
            "losses": [(loss, _lost(network, next(clients), job["packets"]))
                       for loss in job["losses"]]}


def _selectable(network, name):
    with open_socket(network.server_netns) as probe:
        try:
            set_control(probe, name)
        except OSError:
            return False
        chosen = probe.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
        return chosen.rstrip(b"\0").decode() == name


def _round_trip(network, client):
    """Median time of a byte to the server and back, ms."""
    far, near = _connected(network, client)
    with far, near:
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_echo, args=(far,), daemon=True).start()
        taken = []
        for _ in range(ECHOES):
            begin = time.monotonic()
            near.send(b"x")
            near.recv(1)
            taken.append(1000 * (time.monotonic() - begin))
        near.shutdown(socket.SHUT_RDWR)
        return statistics.median(taken)


def _echo(connection):
    while received := connection.recv(1):
        connection.send(received)


def _carried(network, client):
    """Payload rate of one TCP connection, bit/s."""
    far, near = _connected(network, client)
    with far, near:
        threading.Thread(target=_send_until_closed, args=(far,), daemon=True).start()
        _receive(near, WARM_UP)
        begin = time.monotonic()
        count = _receive(near, COUNTED)
        return 8 * count / (time.monotonic() - begin)


def _send_until_closed(connection):
    try:
        while True:
            connection.send(PAYLOAD)
    except OSError:
        pass


def _receive(connection, seconds):
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        count += len(connection.recv(len(PAYLOAD)))
    return count


def _lost(network, client, packets):
    """Lost share of `packets` datagrams."""
    with open_socket(network.clients[client], kind=socket.SOCK_DGRAM) as receiver, \
            open_socket(network.server_netns, kind=socket.SOCK_DGRAM) as sender:
        receiver.bind(("", PORT))
        receiver.settimeout(0.05)
        arrived = 0
        for _ in range(packets // AT_ONCE):
            for _ in range(AT_ONCE):
                sender.sendto(b"x", (network.address(client), PORT))
            arrived += _received(receiver)
        return 1 - arrived / packets


def _received(receiver):
    """Counts datagrams until none arrives any more."""
    count = 0
    try:
        while receiver.recv(1):
            count += 1
    except TimeoutError:
        return count


def _connected(network, client):
    """(the server's end, the client's)"""
    with network.listen(PORT + 1 + client, "cubic") as listener:
        near = network.connect(client, PORT + 1 + client)
        return listener.accept()[0], near
