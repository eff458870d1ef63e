import socket
import time

import pytest

from bench.papers.steered import Flow, Receivers

SENT = 100_000


@pytest.fixture
def pair():
    sender, receiver = socket.socketpair()
    with sender, receiver:
        sender.setblocking(False)
        yield sender, receiver


def receiving(receiver, wanted=None):
    receivers, flow = Receivers(), Flow("flow", wanted)
    receivers.add(receiver, flow)
    return receivers, flow


def test_reads_all_data(pair):
    sender, receiver = pair
    receivers, flow = receiving(receiver)
    sender.sendall(bytes(SENT))
    receivers.receive(30, until=lambda: flow.received() == SENT)
    assert flow.received() == SENT


def test_reads_up_to_its_limit_and_continues_when_that_rises(pair):
    sender, receiver = pair
    wants = 30_000
    receivers, flow = receiving(receiver, lambda now, received: wants)
    sender.sendall(bytes(SENT))
    receivers.receive(30, until=lambda: flow.received() == wants)
    receivers.receive(0.05)
    assert flow.received() == wants
    wants = 70_000
    receivers.receive(30, until=lambda: flow.received() == wants)
    assert flow.received() == wants
    assert [total for _, total in flow.arrivals] == [30_000, 70_000]


def test_a_receiver_at_its_limit_does_not_keep_the_loop_busy(pair):
    sender, receiver = pair
    receivers, _ = receiving(receiver, lambda now, received: 0)
    sender.sendall(bytes(SENT))
    turns = []
    receivers.receive(0.1, until=lambda: turns.append(time.monotonic()))
    assert len(turns) < 20


def test_a_sender_that_ends_is_an_error(pair):
    sender, receiver = pair
    receivers, _ = receiving(receiver)
    sender.close()
    with pytest.raises(RuntimeError, match="closed the connection"):
        receivers.receive(30)
