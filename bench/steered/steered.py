"""Flows of steered_sender through the laboratory, and what came of them."""

import json
import os
import pathlib
import selectors
import subprocess
import threading
import time

from daemon import wait_until
from netlab import open_socket, tool

PORT = 8000
PAYLOAD_SHARE = 1448 / 1500  # of a packet, with TCP time stamps


def sender_program():
    folder = os.environ.get("BENCH_TOOLS") or pathlib.Path(tool("ts_client")).parents[2] / "bench"
    return pathlib.Path(folder) / "steered_sender"


class Flow:
    """One connection: what arrived when, and what its sender reported."""

    def __init__(self, name):
        self.name = name
        self.arrivals = []  # (time, bytes so far)
        self.reports = []  # (time, {"bytes_acked": ..., ...})

    def bytes_at(self, when):
        """Acknowledged until `when`."""
        before = [report["bytes_acked"] for at, report in self.reports if at <= when]
        return before[-1] if before else 0

    def received(self):
        return self.arrivals[-1][1] if self.arrivals else 0

    def retransmits(self):
        return self.reports[-1][1]["retransmits"] if self.reports else 0


class Flows:
    """A sender in the server's namespace and its receivers in the clients'."""

    def __init__(self, lab):
        self._lab = lab
        self._flows = {}
        self._selector = selectors.DefaultSelector()
        self._sender = lab.run_server([sender_program(), str(PORT)], stdout=subprocess.PIPE,
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

    def start(self, name, client, **hints):
        """A flow to the client of this index, steered by `hints` (steered_sender.cc)."""
        flow = self._flows[name] = Flow(name)
        connection = open_socket(self._lab.clients[client].netns)
        connection.connect((self._lab.clients[client].server_ip, PORT))
        connection.sendall(json.dumps({"name": name, **hints}).encode() + b"\n")
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ, flow)
        return flow

    def receive(self, seconds, until=lambda: False):
        """Receives on all flows for so long at most."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not until():
            for key, _ in self._selector.select(min(left, 0.1)):
                self._receive(key.fileobj, key.data)

    def _receive(self, connection, flow):
        received = connection.recv(1 << 18)
        if not received:
            raise RuntimeError(f"{flow.name}: steered_sender has closed the connection")
        flow.arrivals.append((time.monotonic(), flow.received() + len(received)))
