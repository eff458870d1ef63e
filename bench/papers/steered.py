"""Flows of steered_sender through the emulated network, and their records."""

import json
import selectors
import subprocess
import threading
import time

from bench.tools import bench_tool
from netlab.daemon import wait_until
from netlab.network import open_socket

PORT = 8000
READ = 1 << 18  # bytes per read
LOOK = 0.02  # seconds between checks whether a receiver wants more
PAYLOAD_SHARE = 1448 / 1500  # TCP payload of a packet, with TCP time stamps


class Flow:
    """One connection: arrivals and the sender's reports. `wanted` maps the time and the bytes received
    to the number of bytes that may be read; without it the receiver reads everything."""

    def __init__(self, name, wanted=None):
        self.name = name
        self.wanted = wanted
        self.began = 0.0  # time of the request
        self.arrivals = []  # (time, bytes so far)
        self.reports = []  # (time, {"bytes_acked": ..., ...})

    def bytes_at(self, when):
        """Bytes acknowledged until `when`."""
        before = [report["bytes_acked"] for at, report in self.reports if at <= when]
        return before[-1] if before else 0

    def received(self):
        return self.arrivals[-1][1] if self.arrivals else 0

    def retransmits(self):
        return self.reports[-1][1]["retransmits"] if self.reports else 0


class Receivers:
    """Read the data of all flows, up to the limits of the flows."""

    def __init__(self):
        self._selector = selectors.DefaultSelector()
        self._held_back = {}  # {connection: flow} of receivers that want no more for now
        self._connections = {}  # by flow

    def connection(self, flow):
        return self._connections[flow]

    def add(self, connection, flow):
        self._connections[flow] = connection
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ, flow)

    def receive(self, seconds, until=lambda: False):
        """Receives on all flows, for at most `seconds`."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not until():
            self._wake()
            for key, _ in self._selector.select(min(left, LOOK)):
                self._receive(key.fileobj, key.data)

    def _wake(self):
        """Resumes receivers that want more again."""
        now = time.monotonic()
        for connection, flow in list(self._held_back.items()):
            if self._room(flow, now) > 0:
                del self._held_back[connection]
                self._selector.register(connection, selectors.EVENT_READ, flow)

    @staticmethod
    def _room(flow, now):
        if flow.wanted is None:
            return READ
        return min(READ, flow.wanted(now, flow.received()) - flow.received())

    def _receive(self, connection, flow):
        room = self._room(flow, time.monotonic())
        if room <= 0:
            self._selector.unregister(connection)
            self._held_back[connection] = flow
            return
        received = connection.recv(room)
        if not received:
            raise RuntimeError(f"{flow.name}: steered_sender has closed the connection")
        flow.arrivals.append((time.monotonic(), flow.received() + len(received)))


class Flows:
    """A sender in the server's namespace and its receivers in the clients'."""

    def __init__(self, lab):
        self._lab = lab
        self._flows = {}
        self._receivers = Receivers()
        self._sender = lab.run_server([bench_tool("steered_sender"), str(PORT)], stdout=subprocess.PIPE,
                                      text=True)
        threading.Thread(target=self._read_reports, daemon=True).start()
        wait_until(self._is_up, 10, "steered_sender listens")

    def _is_up(self):
        with open_socket(self._lab.server_netns) as probe:
            return probe.connect_ex(("127.0.0.1", PORT)) == 0

    def _read_reports(self):
        for line in self._sender.stdout:
            report = json.loads(line)
            self._flows[report["name"]].reports.append((time.monotonic(), report))

    def connect(self, name, client, wanted=None):
        """Connects a flow to client number `client`, without a request. Takes a round trip."""
        flow = self._flows[name] = Flow(name, wanted)
        connection = open_socket(self._lab.clients[client].netns)
        connection.connect((self._lab.clients[client].server_ip, PORT))
        self._receivers.add(connection, flow)
        return flow

    def ask(self, flow, **hints):
        """Starts the flow, with `hints` (steered_sender.cc)."""
        flow.began = time.monotonic()
        self._receivers.connection(flow).sendall(
            json.dumps({"name": flow.name, **hints}).encode() + b"\n")

    def receive(self, seconds, until=lambda: False):
        """Receives on all flows, for at most `seconds`."""
        self._receivers.receive(seconds, until)
