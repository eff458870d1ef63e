import selectors
import socket
import threading

import pytest

from bench.papers.segment_server import SegmentServer


@pytest.fixture
def connect():
    selector = selectors.DefaultSelector()
    listeners = []

    def listen(_port, _control):
        listeners.append(socket.create_server(("127.0.0.1", 0)))
        return listeners[0]

    SegmentServer(listen, {"segments": "reno"}, selector)
    ended = threading.Event()

    def serve():
        while not ended.is_set():
            for key, events in selector.select(0.01):
                key.data(events)

    thread = threading.Thread(target=serve)
    thread.start()
    yield lambda: socket.create_connection(listeners[0].getsockname(), timeout=30)
    ended.set()
    thread.join()
    selector.close()


def fetch(connection, size):
    """Fetches `size` bytes; returns the size of the body."""
    connection.sendall(b"GET /%d HTTP/1.1\r\n\r\n" % size)
    received = b""
    while (end := received.find(b"\r\n\r\n")) < 0 or len(received) < end + 4 + size:
        received += connection.recv(1 << 16)
    assert b"Content-Length: %d\r\n" % size in received[:end + 2]
    return len(received) - end - 4


def test_a_connection_is_answered_again_and_again(connect):
    with connect() as connection:
        assert [fetch(connection, size) for size in (1, 3_000_000, 10)] == [1, 3_000_000, 10]


def test_a_client_that_leaves_early_does_not_affect_others(connect):
    with connect() as other:
        with connect() as connection:
            connection.sendall(b"GET /9000000 HTTP/1.1\r\n\r\n")
            connection.recv(1)
        assert fetch(other, 50_000) == 50_000
