"""Sources that lead to IPv6 addresses, in a namespace that has some: refused unless the operator allows them."""

import http.server
import re
import socket
import subprocess
import threading

import pytest

from netlab.daemon import wait_until
from netlab.lying_server import HLS, LyingServer, Reply, hls_of
from netlab.network import Netlab, open_socket
from tests.integration import far_ends
from tests.integration.conftest import QUICK

PATIENCE = 120  # seconds
PORT = 8088
UNIQUE_LOCAL, LINK_LOCAL = "fd00:5::1", "fe80::5"
# {name: (host, what the log calls it)}
PLACES = {
    "loopback": ("[::1]", "::1 is an address of this machine"),
    "mapped": ("[::ffff:127.0.0.1]", "127.0.0.1 is an address of this machine"),
    "unique_local": (f"[{UNIQUE_LOCAL}]", f"{UNIQUE_LOCAL} is a private address"),
    "link_local": (f"[{LINK_LOCAL}]", f"{LINK_LOCAL} is a link-local address"),
}
ALLOWED = {"loopback": "::1", "unique_local": "fd00::/8"}
CONFIG = '[source]\nbackoff_min = "10s"\nbackoff_max = "20s"\n' + QUICK


class ServerThere(LyingServer):
    """On all addresses of the namespace `netns`, of both families. `callers`: local addresses of requests."""

    def __init__(self, netns):
        super().__init__()
        self.callers, owner = [], self

        class Noted(Reply):
            def do_GET(self):
                owner.callers.append(self.connection.getsockname()[0])
                super().do_GET()

        server = http.server.ThreadingHTTPServer(("", PORT), Noted, bind_and_activate=False)
        server.daemon_threads = True
        server.owner = self
        server.socket.close()
        server.socket = open_socket(netns, socket.AF_INET6)
        server.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        server.socket.bind(("::", PORT))
        server.server_activate()
        threading.Thread(target=server.serve_forever, daemon=True).start()


@pytest.fixture(scope="module", name="lab")
def lab_with_addresses(needs_lab):
    with Netlab(delay_ms=1) as lab:
        for address in (f"{UNIQUE_LOCAL}/64", f"{LINK_LOCAL}/64"):
            command = ["ip", "addr", "add", address, "dev", "lo", "nodad"]
            assert lab.run_server(command).wait() == 0
        yield lab


@pytest.fixture(scope="module", name="server")
def server_in_lab(lab, tmp_path_factory):
    clip = tmp_path_factory.mktemp("clip") / "clip.ts"
    subprocess.run(far_ends.clip_command(clip, seconds=20), check=True)
    server = ServerThere(lab.server_netns)
    server.pages["/clip.ts"] = ("video/mp2t", clip.read_bytes())
    for name, (host, _) in PLACES.items():
        server.pages[f"/{name}.m3u8"] = (HLS, hls_of(f"http://{host}:{PORT}/clip.ts"))
        server.redirections[f"/{name}"] = f"http://{host}:{PORT}/clip.ts"
    return server


def stream(lab, name, path, allow=""):
    return f'[[stream]]\nname = "{name}"\nsource = {{ uri = "http://{lab.server_ip}:{PORT}/{path}"{allow} }}\n'


def test_ipv6_addresses_are_refused_with_one_line(lab, server, serve):
    streams = {f"{kind}_{name}": (name, path) for name in PLACES
               for kind, path in (("list", f"{name}.m3u8"), ("redirect", name))}
    config = CONFIG + "".join(stream(lab, name, path) for name, (_, path) in streams.items())
    daemon = serve(config=config, lab=lab, sources_play=False)
    for name, (place, _) in streams.items():
        wait_until(lambda: f"source_lost stream={name} " in daemon.log(), PATIENCE, f"the end of {name}")
        host, what = PLACES[place]
        refused = re.findall(rf"source_address_refused stream={name} (.*)", daemon.log())
        assert len(refused) == 1 and f"http://{host}:{PORT}" in refused[0] and what in refused[0], daemon.log()
    assert set(server.callers) == {f"::ffff:{lab.server_ip}"}, "nobody has asked the addresses"


def test_allowed_ipv6_addresses_play(lab, server, serve):
    config = CONFIG + "".join(
        stream(lab, f"{kind}_{name}", path, f', allow = ["{place}"]') for name, place in ALLOWED.items()
        for kind, path in (("list", f"{name}.m3u8"), ("redirect", name)))
    config += stream(lab, "other", "link_local.m3u8", ', allow = ["fd00::/8"]')
    daemon = serve(config=config, lab=lab, sources_play=False)
    for name in ALLOWED:
        for kind in ("list", "redirect"):
            wait_until(lambda: f"source_connected stream={kind}_{name} " in daemon.log(), PATIENCE, f"{name} plays")
    wait_until(lambda: "source_lost stream=other " in daemon.log(), PATIENCE, "what is not allowed is refused")
    assert "source_address_refused stream=list" not in daemon.log()
    assert {"::1", UNIQUE_LOCAL} <= set(server.callers)
    assert LINK_LOCAL not in {caller.split("%")[0] for caller in server.callers}
