"""tcp.congestion_control = "auto": a network gets what served it best, also after a restart. Over a short path
whose acknowledgements come in bunches, BBR forgets what it carries, and the connection gets CUBIC."""

import json
import re
import time

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


def listed(kind):
    with open(f"/proc/sys/net/ipv4/tcp_{kind}_congestion_control", encoding="ascii") as names:
        return names.read().split()


def starts(daemon):
    """The numbers of connections by the congestion control that they began with, and the reason."""
    return {(labels["congestion_control"], labels["reason"]): count for name, labels, count
            in daemon.metrics().samples if name == "symcast_congestion_control_starts_total" and count}


def changes(metrics, to):
    return metrics.sum("symcast_congestion_control_changes_total", to=to)


@pytest.mark.skipif("bbr" not in listed("available"), reason="this kernel has no bbr")
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


@pytest.mark.skipif("bbr" not in listed("available"), reason="this kernel has no bbr")
def test_a_network_begins_with_what_served_it_best(tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    config = CONFIG + f'[state]\ndirectory = "{state}"\n'
    file = state / "networks.json"

    def watch():
        with Daemon("--source", "live=test:?size=320x180", directory=tmp_path, config=config) as daemon:
            with Viewer(daemon.url(), directory=tmp_path) as viewer:
                viewer.receive(90)
            counts = starts(daemon)
        joined = re.search(r"viewer_joined .*congestion_control=(\w+)", daemon.log())
        return joined[1], counts, daemon.log()

    *first, log = watch()
    if "congestion_controls=none" in log and "cubic" not in listed("allowed"):
        assert first == ["bbr", {}], "without eBPF, the kernel does not allow CUBIC"
        assert "congestion control cubic: \\\"auto\\\" keeps to bbr" in log
        return
    assert first == ["bbr", {("bbr", "unknown"): 1}]
    content = json.loads(file.read_text())
    (network,) = content["networks"]
    assert network["network"] in ("127.0.0.0/24", "::/48")
    assert network["bbr"]["seconds"] >= 1

    # As after an evening in which viewers had less with BBR.
    network["bbr"] = {"seconds": 600, "quality": -1}
    network["cubic"] = {"seconds": 600, "quality": -0.5}
    network["updated"] = int(time.time())
    file.write_text(json.dumps(content))
    assert watch()[:2] == ("cubic", {("cubic", "best"): 1})
    (network,) = json.loads(file.read_text())["networks"]
    assert network["cubic"]["seconds"] > 600, "the viewer's experience counts"
