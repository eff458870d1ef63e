"""Datagrams at a constant rate that come and go on a viewer's link."""

import random
import socket
import threading
import time

from netlab.network import open_socket

PACKET = 1500  # bytes, headers included
PAYLOAD = PACKET - 28  # IPv4 and UDP
PORT = 9  # discard: nobody listens
ENOUGH = 0.99  # share of the datagrams that have to be sent


def periods(seed, seconds, first, mean_pause, mean_length):
    """[(begin, end)] in which the cross traffic sends; the first begins at `first`. Lengths and pauses
    are exponential, cut at half and twice their mean."""
    chance = random.Random(seed)

    def some(mean):
        return min(2 * mean, max(mean / 2, chance.expovariate(1 / mean)))

    found, at = [], first
    while at < seconds:
        end = at + some(mean_length)
        found.append((at, end))
        at = end + some(mean_pause)
    return found


class CrossTraffic:
    """Sends `rate` bit/s to each of these clients at the same moments, in the `with` block; times count
    from construction."""

    def __init__(self, lab, clients, rate, times):
        self._targets = [(open_socket(lab.server_netns, kind=socket.SOCK_DGRAM),
                          (lab.clients[client].address, PORT)) for client in clients]
        self._interval = 8 * PACKET / rate
        self._times = times
        self._begin = time.monotonic()
        self._due = self._sent = 0  # datagrams
        self._why = None  # the last error
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        for sender, _ in self._targets:
            sender.close()

    def _run(self):
        for begin, end in self._times:
            at = self._begin + begin
            while at < self._begin + end:
                if self._stop.wait(max(0, at - time.monotonic())):
                    return
                self._send()
                at += self._interval

    def _send(self):
        for sender, address in self._targets:
            self._due += 1
            try:
                self._sent += sender.sendto(bytes(PAYLOAD), address) == PAYLOAD
            except OSError as error:
                self._why = error

    def complaints(self):
        """Reports if fewer datagrams were sent than planned."""
        if self._sent >= ENOUGH * self._due:
            return []
        return [f"of the cross traffic {self._sent} of {self._due} datagrams were sent: {self._why}"]
