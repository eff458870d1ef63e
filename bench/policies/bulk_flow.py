"""A bulk TCP flow from the server's namespace to a client's, next to the viewers on its link."""

import socket
import struct
import threading
import time

from netlab.network import open_socket

RTT_OFFSET = 68  # of tcpi_rtt in struct tcp_info (linux/tcp.h): 8 bytes of flags, 15 u32
SAMPLE = 0.1  # seconds


class BulkFlow:
    """Sends as fast as its congestion control allows, from construction until stop(). Then `received`
    is [(time, bits)] and `round_trips` is [(time, seconds)]; times are from time.monotonic()."""

    def __init__(self, lab, client, congestion_control):
        listener = open_socket(lab.server_netns)
        listener.bind((lab.clients[client].server_ip, 0))
        listener.listen()
        self._receiver = open_socket(lab.clients[client].netns)
        self._receiver.connect(listener.getsockname())
        self._sender, _ = listener.accept()
        listener.close()
        self._sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION,
                                congestion_control.encode())
        self.received = []
        self.round_trips = []
        self._threads = [threading.Thread(target=run, daemon=True)
                         for run in (self._send, self._receive)]
        for thread in self._threads:
            thread.start()

    def _send(self):
        zeros = bytes(1 << 16)
        sampled = 0.0
        try:
            while True:
                self._sender.send(zeros)
                if time.monotonic() > sampled + SAMPLE:
                    sampled = time.monotonic()
                    info = self._sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
                    round_trip = struct.unpack_from("I", info, RTT_OFFSET)[0] / 1e6
                    self.round_trips.append((sampled, round_trip))
        except OSError:
            pass  # stop() has shut it down

    def _receive(self):
        try:
            while received := self._receiver.recv(1 << 16):
                self.received.append((time.monotonic(), 8 * len(received)))
        except OSError:
            pass  # stop() has shut it down, with bytes in flight

    def stop(self):
        if self._sender.fileno() < 0:
            return  # already stopped
        for end in (self._sender, self._receiver):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other side has already closed
        for thread in self._threads:
            thread.join()
        self._sender.close()
        self._receiver.close()
