"""The log names what is wrong with a source that cannot be played."""

import socket
import struct
import threading

import pytest

from netlab.lying_server import HLS, Endless, LyingServer
from tests.integration.lost_sources import check_reason, losing

VARIANT = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n"


class Greeter:
    """Sends `greeting` to each client of `port`, reads a request, and closes the connection."""

    def __init__(self, greeting):
        self._greeting = greeting
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            connection, _ = self._listener.accept()
            with connection:
                try:
                    connection.sendall(self._greeting)
                    connection.recv(4096)
                except OSError:
                    pass  # the client has gone


def sources():
    """{name: (URI, reason)}"""
    server = LyingServer()
    server.pages["/text"] = ("text/plain", "text")
    ssh = Greeter(b"SSH-2.0-OpenSSH_9.2\r\n")
    endless = Endless(b"HTTP/1.1 200 OK\r\n", b"X: any\r\n" * 5000)
    server.pages["/loop.m3u8"] = (HLS, f"{VARIANT}/loop.m3u8\n")
    server.pages["/nested.m3u8"] = (HLS, f"{VARIANT}/inner.m3u8\n")
    server.pages["/inner.m3u8"] = (HLS, f"{VARIANT}/none.m3u8\n")
    wav = Endless(b"HTTP/1.0 200 OK\r\nContent-Type: audio/x-wav\r\n\r\nRIFF\xff\xff\xff\xffWAVEfmt " +
                  struct.pack("<IHHIIHH", 16, 1, 64, 48000, 48000 * 128, 128, 16) + b"data\xff\xff\xff\xff",
                  bytes(1 << 20))
    return {
        "channels": (f"http://127.0.0.1:{wav.port}/x", "no picture for 10 s: the source sends data, but no video or "
                     "audio that can be decoded (audio: 64 channels at 48000 Hz are not supported)"),
        "hls_itself": (server.url("/loop.m3u8"), "the HLS playlist names itself as a variant"),
        "hls_nested": (server.url("/nested.m3u8"), f"the HLS playlist names {server.url('/inner.m3u8')} as a variant, "
                       "which lists variants itself instead of segments"),
        "http_head": (f"http://127.0.0.1:{endless.port}/x",
                      "the head of the HTTP server's answer is too long or has no end"),
        "no_http": (f"http://127.0.0.1:{ssh.port}/x",
                    "the server at this address does not answer in HTTP; check the address and its scheme"),
        "no_answer": (f"http://127.0.0.1:{Greeter(b'').port}/x",
                      "the server at this address closes the connection without an answer; check the address"),
        "no_tls": (server.url("/text").replace("http:", "https:"),
                   "no TLS connection can be made with the server at this address; check the scheme (https), and the "
                   "server's certificate"),
    }


SOURCES = sources()


@pytest.fixture(scope="module", name="log")
def lost_log(tmp_path_factory):
    with losing(SOURCES, tmp_path_factory.mktemp("lost")) as daemon:
        yield daemon.log()


@pytest.mark.parametrize("name", SOURCES)
def test_names_the_reason(log, name):
    check_reason(log, SOURCES, name)
