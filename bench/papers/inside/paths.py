"""The guest's network: a server, and clients, each behind its own path.

    server ---- router ---- client 0       the router's side:  rate, queue, loss
                     \\------ client 1      the client's side:  the delay, all of it on the way back
"""

import socket
import subprocess
from dataclasses import dataclass

from netlab.network import open_socket

SERVER_IP = "10.0.0.2"
PACKET = 1500  # bytes, without the link layer
ETHERNET = 14  # bytes that netem counts with a packet
UNLIMITED = 100_000  # packets in flight


@dataclass(frozen=True)
class Path:
    """`rate`: bit/s of whole IP packets, or with `adsl` of ATM cells, which includes their headers and
    the padding of the last one. `queue`: packets. `loss`: share of the packets to the client."""

    rtt_ms: float
    rate: float
    queue: int
    loss: float = 0.0
    adsl: bool = False

    def bottleneck(self):
        """The bottleneck in tc's syntax."""
        # PPP over ATM adds its overhead instead of Ethernet's header, and fills whole cells.
        cells = f" {10 - ETHERNET} 48 5" if self.adsl else f" {-ETHERNET}"
        loss = f"loss random {100 * self.loss:g}% " if self.loss else ""
        return f"netem {loss}rate {self.rate:.0f}bit{cells} limit {self.queue}"

    def packet_rate(self):
        """Rate of full-size IP packets, bit/s."""
        return self.rate * (PACKET / (53 * -(-(PACKET + 10) // 48)) if self.adsl else 1)

    def payload(self):
        """Rate of TCP payload, bit/s."""
        return self.packet_rate() * 1448 / PACKET


class Network:
    def __init__(self, paths):
        self.server_netns = _netns("server")
        _netns("router")
        self.clients = [_netns(f"client{number}") for number in range(len(paths))]
        _in("router", "ip", ["link add near type veth peer name eth0 netns server",
                             "addr add 10.0.0.1/24 dev near", "link set near up"])
        _in("server", "ip", ["link set lo up", f"addr add {SERVER_IP}/24 dev eth0",
                             "link set eth0 gso_max_segs 1 up", "route add default via 10.0.0.1"])
        _set("router", "ipv4/ip_forward", 1)
        # A connection must not inherit what earlier ones learned about the path.
        _set("server", "ipv4/tcp_no_metrics_save", 1)
        for number, path in enumerate(paths):
            self._add(number, path)

    def _add(self, number, path):
        client, device = f"client{number}", f"to{number}"
        _in("router", "ip", [f"link add {device} type veth peer name eth0 netns {client}",
                             f"addr add {_router_ip(number)}/24 dev {device}",
                             f"link set {device} up"])
        _in(client, "ip", [f"addr add {self.address(number)}/24 dev eth0", "link set eth0 up",
                           f"route add default via {_router_ip(number)}"])
        _in("router", "tc", [f"qdisc add dev {device} root {path.bottleneck()}"])
        _in(client, "tc", [f"qdisc add dev eth0 root netem delay {path.rtt_ms}ms "
                           f"limit {UNLIMITED}"])

    @staticmethod
    def address(client):
        return f"10.1.{client}.2"

    def listen(self, port, congestion_control):
        """A listening socket of the server, whose connections have this congestion control."""
        listener = open_socket(self.server_netns)
        set_control(listener, congestion_control)
        listener.bind((SERVER_IP, port))
        listener.listen(64)
        return listener

    def connect(self, client, port):
        connection = open_socket(self.clients[client])
        connection.connect((SERVER_IP, port))
        return connection


def set_control(connection, name):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())


def _router_ip(client):
    return f"10.1.{client}.1"


def _netns(name):
    """Makes a network namespace; returns its path."""
    subprocess.run(["ip", "netns", "add", name], check=True)
    return f"/run/netns/{name}"


def _in(netns, program, commands):
    """Runs commands of ip or tc in a network namespace."""
    subprocess.run([program, "-n", netns, "-batch", "-"], input="\n".join(commands), text=True,
                   check=True)


def _set(netns, key, value):
    subprocess.run(["nsenter", f"--net=/run/netns/{netns}", "sh", "-c",
                    f"echo {value} > /proc/sys/net/{key}"], check=True)
