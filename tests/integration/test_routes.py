"""[[tcp.network]] initcwnd sets the route to the viewers; the test uses its own namespace."""

import socket
import subprocess

import pytest

from netlab.daemon import binary
from netlab.network import Netlab, open_socket
from tests.integration.conftest import SMALL
from tests.integration.test_top import rows

INITCWND = 40


@pytest.fixture
def lab(needs_lab):
    with Netlab(delay_ms=5) as lab:
        yield lab


def config(network):
    return f'[[tcp.network]]\nnetwork = "{network}"\ninitcwnd = {INITCWND}\n'


def in_server_namespace(lab, *command):
    process = lab.run_server(command, stdout=subprocess.PIPE, text=True)
    return process.communicate(timeout=60)[0]


def network_of(address):
    return address.rsplit(".", 1)[0] + ".0/24"


def test_viewers_begin_with_the_configured_initcwnd(lab, serve):
    network = network_of(lab.clients[0].address)
    daemon = serve("--source", SMALL, config=config(network), lab=lab)
    assert f"route_set network={network} initcwnd={INITCWND} change=replaced" in daemon.log()
    with open_socket(lab.clients[0].netns, socket.AF_INET) as viewer:
        viewer.connect((lab.server_ip, daemon.port))
        table = in_server_namespace(lab, binary(), "top", "--once", "--interval", "100ms")
    row = next(row for row in rows(table.splitlines())
               if row["PEER"].startswith(lab.clients[0].address))
    assert int(row["CWND"]) == INITCWND


def test_the_route_stays_and_is_found_at_the_next_start(lab, serve):
    network = network_of(lab.clients[0].address)
    serve("--source", SMALL, config=config(network), lab=lab).end()
    assert f"initcwnd {INITCWND}" in in_server_namespace(lab, "ip", "route", "show", network)
    daemon = serve("--source", SMALL, config=config(network), lab=lab)
    assert f"route_set network={network} initcwnd={INITCWND} change=none" in daemon.log()


def test_without_the_capability_one_log_line_says_so(lab, serve):
    network = network_of(lab.clients[0].address)
    daemon = serve("--source", SMALL, config=config(network), lab=lab,
                   wrapper=["setpriv", "--bounding-set", "-net_admin"])
    said = [line for line in daemon.log().splitlines() if "route_failed" in line]
    assert len(said) == 1
    assert f'error="setting the route to {network} needs CAP_NET_ADMIN"' in said[0]
    assert "initcwnd" not in in_server_namespace(lab, "ip", "route")
