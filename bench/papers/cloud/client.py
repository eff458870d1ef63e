"""Clients: a player on a persistent connection, and the other user of a contested path."""

import socket
import time

from bench.papers.cloud.places import DOWNLOAD, OTHERS, PAUSE
from bench.papers.cloud.player import SEGMENT, Player

READ = 1 << 20
# A client that reads once per turn would also acknowledge once per turn, unless the kernel believes
# that it waits for more.
WAITS_FOR = 1 << 20  # bytes: more than arrives in a turn


class Fetcher:
    """Makes one request after the other. Call read() often; it calls `arrived(bytes, left)`."""

    def __init__(self, network, client, port, arrived):
        self._connection = network.connect(client, port)
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, WAITS_FOR)
        self._connection.setblocking(False)
        self._arrived = arrived
        self._head = b""
        self._left = 0  # bytes of the body still to come

    def fetch(self, count):
        self._connection.send(b"GET /%d HTTP/1.1\r\n\r\n" % count)
        self._head = b""
        self._left = count

    def read(self):
        if not self._left:
            return
        try:
            received = self._connection.recv(READ)
        except BlockingIOError:
            return
        if not received:
            raise ConnectionError("the server has closed the connection")
        body = len(received)
        if not self._head.endswith(b"\r\n\r\n"):
            head, end, rest = (self._head + received).partition(b"\r\n\r\n")
            self._head, body = head + end, len(rest)
        self._left -= body
        self._arrived(body, self._left)


class Viewing:
    """A player of `ladder` that selects rates with `choose`, at the time and for the seconds of
    schedule(). Call act() often."""

    def __init__(self, network, client, port, ladder, choose):
        self._player_of = lambda now: Player(ladder, choose, now)
        self.player = None  # before it begins
        self.arrivals = []  # (time, bytes)
        self._over = False
        self._size = 0  # bytes of the segment
        self._fetcher = Fetcher(network, client, port, self._arrived)

    def schedule(self, begin, seconds):
        self.begin, self.end = begin, begin + seconds

    def act(self, now):
        self._fetcher.read()
        if now < self.begin or self._over:
            return
        if not self.player:
            self.player = self._player_of(self.begin)
        if now >= self.end:
            self.player.end(self.end)
            self._over = True
        elif rate := self.player.next_rate(now):
            self._size = int(rate * 1000 / 8 * SEGMENT)
            self._fetcher.fetch(self._size)

    def _arrived(self, count, left):
        now = time.monotonic()
        if not self._over:
            self.arrivals.append((now, count))
            self.player.arrived(1 - left / self._size, now)


class SomebodyElse:
    """Alternately downloads something and pauses; `chance` draws sizes and pauses. Call act() often."""

    def __init__(self, chance, network, client, server):
        self._chance = chance
        self._next = 0.0  # time of the next download; None during a download
        port = server.ports[next(iter(OTHERS))]
        self._fetcher = Fetcher(network, client, port, self._arrived)

    def act(self, now):
        self._fetcher.read()
        if self._next is not None and now >= self._next:
            self._next = None
            self._fetcher.fetch(1 + int(self._chance.expovariate(1 / DOWNLOAD)))

    def _arrived(self, _, left):
        if not left:
            self._next = time.monotonic() + self._chance.expovariate(1 / PAUSE)
