"""A source opens its own host and what the operator allows, whatever its playlists and redirections name."""

import re
import shutil
import socket
import subprocess

import pytest

from netlab.daemon import Daemon, wait_until
from tests.integration import far_ends
from tests.integration.conftest import KEEP_GROUPS, QUICK
from netlab.lying_server import HLS, Forbidden, LyingServer, RtspRedirect, dash_of, hls_of

PATIENCE = 120  # seconds
TRACED = "openat,open,connect,bind,sendto,sendmsg,sendmmsg,execve"
# Twenty processes start at once, traced: that may take longer than a source has for its first picture.
RETRY = '[source]\nfirst_picture_wait = "0s"\nsilence_timeout = "1m"\nbackoff_min = "1s"\nbackoff_max = "2s"\n'


def places(secret, forbidden):
    """{name: (URI that a playlist names, a pattern of the log's address)}"""
    port = forbidden.port
    return {
        "file": (f"file://{secret}", "file:///"),
        "passwd": ("file:///etc/passwd", "file:///etc/passwd"),
        "fd": ("fd://3", "fd://3"),
        "host": (f"http://127.0.0.2:{port}/x.ts", rf"http://127\.0\.0\.2:{port}/x\.ts"),
        "port": (f"http://127.0.0.1:{port}/x.ts", rf"http://127\.0\.0\.1:{port}/x\.ts"),
        "name": (f"http://localhost:{port}/x.ts", rf"http://localhost:{port}/x\.ts"),
        "decimal": (f"http://2130706434:{port}/x.ts", f"http://2130706434:{port}"),
        "hexadecimal": (f"http://0x7f.2:{port}/x.ts", f"http://0x7f.2:{port}"),
        "ipv6": (f"http://[::1]:{port}/x.ts", rf"http://\[::1\]:{port}"),
        "mapped": (f"http://[::ffff:127.0.0.2]:{port}/x.ts", rf"http://\[::ffff:127\.0\.0\.2\]:{port}"),
        "private": ("http://10.255.255.1/x.ts", "http://10.255.255.1"),
        "rtsp": (f"rtsp://127.0.0.1:{port}/x", f"rtsp://127.0.0.1:{port}/x"),
    }


class Liars:
    """Sources that name places that they may not open have been tried for a while."""

    def __init__(self, directory):
        self.secret = directory / "secret.ts"
        subprocess.run(far_ends.clip_command(self.secret), check=True)
        self.forbidden = Forbidden()
        server = LyingServer()
        self.sources, self.addresses = {}, {}
        for name, (uri, address) in places(self.secret, self.forbidden).items():
            self._add(f"hls_{name}", server.url(f"/{name}.m3u8"), address)
            server.pages[f"/{name}.m3u8"] = (HLS, hls_of(uri))
        self._add("hls_key", server.url("/key.m3u8"), r"http://127\.0\.0\.2")
        server.pages["/segment.ts"] = ("video/mp2t", self.secret.read_bytes())
        server.pages["/key.m3u8"] = (HLS, hls_of("/segment.ts", f"http://127.0.0.2:{self.forbidden.port}/key"))
        self._add("dash_file", server.url("/file.mpd"), "file:///")
        server.pages["/file.mpd"] = ("application/dash+xml",
                                     dash_of(f"file://{self.secret.parent}/", self.secret.name))
        self._add("redirect_host", server.url("/host"), r"http://127\.0\.0\.2")
        server.redirections["/host"] = f"http://127.0.0.2:{self.forbidden.port}/x.ts"
        self.rtsp_host = RtspRedirect(f"rtsp://127.0.0.2:{self.forbidden.port}/x")
        self._add("rtsp_host", self.rtsp_host.uri, r"rtsp://127\.0\.0\.2")
        self.loops = {"redirect_loop": server.url("/loop"), "rtsp_loop": RtspRedirect().uri}
        server.redirections["/loop"] = "/loop"
        self.silent = {"sdp": server.url("/sdp"), "quicktime": server.url("/quicktime"),
                       "uri_list": server.url("/list"), "redirect_file": server.url("/to_file"),
                       "rtsp_file": RtspRedirect(f"file://{self.secret}").uri}
        named = f"rtsp://127.0.0.1:{self.forbidden.port}/x"
        server.pages["/sdp"] = ("application/sdp", f"v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=x\r\na=control:{named}\r\n"
                                "c=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 22950 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n")
        server.pages["/quicktime"] = ("application/x-rtsp", f"rtsptext{named.upper()}\r\n")
        server.pages["/list"] = ("text/uri-list", f"file://{self.secret}\n")
        server.redirections["/to_file"] = f"file://{self.secret}"
        everything = self.sources | self.loops | self.silent
        words = [word for name, uri in everything.items() for word in ("--source", f"{name}={uri}")]
        self.trace = directory / "trace"
        wrapper = ("strace", "-D", "-f", "-q", "--seccomp-bpf", "-o", str(self.trace), "-e", f"trace={TRACED}")
        with Daemon(*words, directory=directory, config=RETRY + QUICK, sources_play=False,
                    wrapper=wrapper if shutil.which("strace") else ()) as daemon:
            ends = {name: "which it may not open" for name in self.sources}
            ends |= {name: "redirected more than 5 times" for name in self.loops} | dict.fromkeys(self.silent, "")
            for name, reason in ends.items():
                wait_until(lambda: re.search(rf"source_lost stream={name} .*{reason}", daemon.log()), PATIENCE,
                           f"the end of {name}")
            self.log = daemon.log()
        if self.trace.exists():
            ended = re.compile(rf"^{daemon.process.pid} +\+\+\+ exited", re.M)
            wait_until(lambda: ended.search(self.trace.read_text(errors="replace")), PATIENCE, "the end of the trace")

    def _add(self, name, uri, address):
        self.sources[name], self.addresses[name] = uri, address


@pytest.fixture(scope="module")
def liars(tmp_path_factory):
    return Liars(tmp_path_factory.mktemp("liars"))


REFUSED = ["hls_file", "hls_passwd", "hls_fd", "hls_host", "hls_port", "hls_name", "hls_decimal", "hls_hexadecimal",
           "hls_ipv6", "hls_mapped", "hls_private", "hls_rtsp", "hls_key", "dash_file", "redirect_host", "rtsp_host"]


@pytest.mark.parametrize("name", REFUSED)
def test_names_what_it_refuses(liars, name):
    pattern = rf'source_address_refused stream={name} address="?{liars.addresses[name]}'
    assert re.search(pattern, liars.log), liars.log
    assert re.search(rf"source_lost stream={name} .*which it may not open", liars.log), liars.log


@pytest.mark.parametrize("name", ["redirect_loop", "rtsp_loop"])
def test_follows_five_redirections(liars, name):
    assert re.search(rf'source_lost stream={name} .*reason="redirected more than 5 times"', liars.log), liars.log


def test_connects_to_nothing_else(liars):
    assert liars.forbidden.callers == 0


def calls(trace):
    """(process, system call) of each line."""
    return re.findall(r"^(\d+) +(\w+\(.*)$", trace, re.M)


def test_opens_nothing_else(liars):
    if not liars.trace.exists():
        pytest.skip("strace is not installed")
    trace = calls(liars.trace.read_text(errors="replace"))
    assert not [call for _, call in trace if call.startswith("open") and str(liars.secret) in call]
    assert not [call for _, call in trace if f"htons({liars.forbidden.port})" in call]
    daemons = {process for process, call in trace if call.startswith("execve(") and "/symcast\"" in call}
    ingest = {process for process, call in trace if call.startswith("execve(") and "symcast-ingest" in call}
    assert daemons and ingest
    by_ingest = [call for process, call in trace if process in ingest and
                 call.startswith(("connect(", "bind(", "sendto(", "sendmsg(")) and "sa_family=AF_INET" in call]
    assert not by_ingest, "only the server connects"


def test_connects_to_its_own_rtmp_server(serve):
    """rtmp2src names rtmp://localhost when it is made, before it has the source's URI."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        daemon = serve("--source", f"rtmp=rtmp://127.0.0.1:{listener.getsockname()[1]}/live/x", sources_play=False)
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(PATIENCE)
            assert connection.recv(1) == b"\x03", "RTMP begins with its version"
    assert "source_address_refused" not in daemon.log()


def test_plays_its_own_host_and_what_is_allowed(serve, tmp_path):
    clip = tmp_path / "clip.ts"
    subprocess.run(far_ends.clip_command(clip, seconds=20), check=True)
    server, other = LyingServer(), LyingServer()
    for each in (server, other):
        each.pages["/clip.ts"] = ("video/mp2t", clip.read_bytes())
    server.pages["/own.m3u8"] = (HLS, hls_of("/clip.ts"))
    server.pages["/own.mpd"] = ("application/dash+xml", dash_of(server.url("/"), "clip.ts"))
    server.pages["/other.m3u8"] = (HLS, hls_of(other.url("/clip.ts")))
    server.pages["/other_name.m3u8"] = (HLS, hls_of(other.url("/clip.ts", host="localhost")))
    server.redirections["/five"] = "/four"
    server.redirections |= {"/four": "/three", "/three": "/two", "/two": "/one", "/one": "/clip.ts"}
    local = tmp_path / "local.m3u8"
    local.write_text(hls_of(clip.as_uri()))

    def stream(name, uri, allow=""):
        return f'[[stream]]\nname = "{name}"\nsource = {{ uri = "{uri}"{allow} }}\n'

    config = KEEP_GROUPS + QUICK + "".join([
        stream("hls", server.url("/own.m3u8")), stream("dash", server.url("/own.mpd")),
        stream("redirected", server.url("/five")),
        stream("network", server.url("/other.m3u8"), ', allow = ["127.0.0.0/8"]'),
        stream("host", server.url("/other_name.m3u8"), ', allow = ["localhost"]'),
        stream("folder", local.as_uri(), f', allow = ["{tmp_path}"]')])
    daemon = serve(config=config)
    assert "source_address_refused" not in daemon.log()
    assert re.search(r"source_redirected stream=redirected", daemon.log())
