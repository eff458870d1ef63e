"""tcp.congestion_control = "auto" over a short path whose acknowledgements come in bunches: BBR forgets what
it carries, and the connection gets CUBIC."""

import re

import pytest

from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.viewer import Viewer

PATIENCE = 180  # seconds: some seconds, if nothing disturbs BBR
# With noise the encoder spends its whole rate.
CONFIG = """
[groups]
max = 1
[rate]
max = "8M"
[encoder]
preset = "ultrafast"
crf = 8
[tcp]
congestion_control = "auto"
"""


def available():
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as names:
        return names.read().split()


def changes(metrics, to):
    return metrics.sum("symcast_congestion_control_changes_total", to=to)


@pytest.mark.skipif("bbr" not in available(), reason="this kernel has no bbr")
def test_a_connection_whose_bbr_hides_the_path_gets_cubic(needs_lab, tmp_path):
    with (Netlab(clients=1, rate="40M", delay_ms=3, up="aggregate=36ms") as lab,
          Daemon("--source", "live=test:?size=640x360&content=noise", directory=tmp_path,
                 config=CONFIG, lab=lab) as daemon):
        client = lab.clients[0]
        with Viewer(daemon.url(ip=client.server_ip), lab=lab, directory=tmp_path) as viewer:
            if "congestion_controls=none" in daemon.log():
                viewer.receive(300)
                assert changes(daemon.metrics(), "cubic") == 0, "only eBPF sets the window that CUBIC needs then"
            else:
                metrics = daemon.wait_for(lambda m: changes(m, "cubic") > 0 and m, PATIENCE, "the change")
                viewer.receive_more(30)
                assert changes(metrics, "bbr") == 0
                assert "congestion_control_changed viewer=1 to=cubic" in daemon.log()
        assert re.search("viewer_joined .*congestion_control=bbr", daemon.log())
