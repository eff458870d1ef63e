"""The segment server: answers GET /BYTES with that many bytes, on persistent connections. It has a port
for each congestion control, and samples the connections' windows. As a program, until it is ended:

    python3 -m bench.papers.segment_server PORT CONGESTION_CONTROL
"""

import re
import selectors
import socket
import struct
import sys
import time

CHUNK = memoryview(bytes(1 << 20))
REQUEST = re.compile(rb"GET /(\d+) HTTP/1\.1\r\n\r\n")
FIRST_PORT = 8000
# A whole segment fits into the kernel's buffer, so TCP never waits for the loop that serves many.
SO_SNDBUFFORCE = 32  # asm-generic/socket.h
SEND_BUFFER = 4 << 20
# struct tcp_info (linux/tcp.h): 8 bytes of flags, then numbers of 32 bits.
TCP_INFO = struct.Struct("8x24I")
SEND_WINDOW, RETRANSMITTED = 18, 23  # of these numbers


class SegmentServer:
    """`listen` is a function of port and congestion control. `services`: {name: congestion control}, on
    consecutive ports from `first_port`. The server does its work in events of `selector`."""

    def __init__(self, listen, services, selector, first_port=FIRST_PORT):
        self._selector = selector
        self.ports = {}
        self._connections = {}  # by (service, client's address)
        for port, (name, control) in enumerate(services.items(), first_port):
            listener = listen(port, control)
            self.ports[name] = port
            selector.register(listener, selectors.EVENT_READ,
                              lambda _, at=(listener, name): self._accept(*at))

    def _accept(self, listener, name):
        accepted, (address, _) = listener.accept()
        self._connections[name, address] = _Connection(accepted, self._selector)

    def sample(self):
        for connection in self._connections.values():
            connection.sample()

    def connection(self, name, address):
        """The connection of a service from a client's address."""
        return self._connections[name, address]


class _Connection:
    """One client's connection; closes itself when the client disconnects."""

    def __init__(self, accepted, selector):
        self._socket = accepted
        self._selector = selector
        self._asked = b""
        self._left = 0  # bytes of the answer still to send
        self.windows = []  # (time, segments)
        accepted.setblocking(False)
        accepted.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, SEND_BUFFER)
        selector.register(accepted, selectors.EVENT_READ, self._on_event)

    def sample(self):
        self.windows.append((time.monotonic(), self._info()[SEND_WINDOW]))

    def retransmitted(self):
        """Segments."""
        return self._info()[RETRANSMITTED]

    def _info(self):
        return TCP_INFO.unpack(self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO,
                                                       TCP_INFO.size))

    def _on_event(self, events):
        try:
            if events & selectors.EVENT_READ:
                self._read()
            if self._left:
                self._write()
        except ConnectionError:  # the client has disconnected
            self._selector.unregister(self._socket)
            self._socket.close()

    def _read(self):
        received = self._socket.recv(1 << 12)
        if not received:
            raise ConnectionResetError("the client has closed the connection")
        self._asked += received
        if request := REQUEST.match(self._asked):
            self._asked = self._asked[request.end():]
            self._left = int(request[1])
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % self._left
            self._socket.send(head, socket.MSG_MORE)

    def _write(self):
        """Writes as much as the kernel takes."""
        try:
            while self._left:
                self._left -= self._socket.send(CHUNK[:self._left])
        except BlockingIOError:
            pass
        self._selector.modify(self._socket, selectors.EVENT_READ
                              | (selectors.EVENT_WRITE if self._left else 0), self._on_event)


def _listen(port, control):
    listener = socket.create_server(("", port), backlog=64)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
    return listener


def main(port, control):
    selector = selectors.DefaultSelector()
    SegmentServer(_listen, {"segments": control}, selector, port)
    while True:
        for key, events in selector.select():
            key.data(events)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
