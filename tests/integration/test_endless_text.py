"""Playlists, manifests and messages that do not end are refused before they take much memory or CPU time."""

import subprocess

import pytest

from netlab.lying_server import HLS, Endless, LyingServer, dash_of, hls_of
from tests.integration import far_ends
from tests.integration.conftest import QUICK
from tests.integration.lost_sources import PATIENCE, check_reason, losing

NO_MEDIA = "the server at this address has sent more than 32 MB, but no media"
TEXT = "a playlist or manifest is longer than 16 MB"


def endless(kind, begin, block):
    return Endless(f"HTTP/1.0 200 OK\r\nContent-Type: {kind}\r\n\r\n{begin}".encode(), block)


def rtsp(head, block):
    return f"rtsp://127.0.0.1:{Endless(head, block).port}/x"


def http(head, block):
    return f"http://127.0.0.1:{Endless(head, block).port}/x"


def rtsp_sources():
    """{name: (URI, reason)}"""
    head = "the head of an RTSP message is longer than 64 KB"
    begin = b"RTSP/1.0 200 OK\r\nCSeq: {number}\r\n"
    packet = b"$\0\0\x10\x80\x60" + bytes(14)
    return {"rtsp_headers": (rtsp(begin, b"Server: any\r\n" * 5000), head),
            "rtsp_header": (rtsp(begin + b"Server: ", b"a" * (1 << 20)), head),
            "rtsp_status": (rtsp(b"RTSP/1.0 200 ", b"a" * (1 << 20)), head),
            "rtsp_lines": (rtsp(b"", b"\r\n" * 5000), head),
            "rtsp_body": (rtsp(begin + b"Content-Type: application/sdp\r\nContent-Length: 4000000000\r\n\r\n",
                               bytes(1 << 20)), "a message of RTSP is longer than 1 MB"),
            "rtsp_data": (rtsp(b"", packet * 5000),
                          "the RTSP server has sent 5000 other messages, but no answer to a request"),
            "rtsp_requests": (rtsp(b"", b"OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n" * 500),
                              "the RTSP server sends more than one request per second")}


def sources():
    """{name: (URI, reason)}"""
    segments = b"#EXTINF:2,\n/seg.ts\n" * 5000
    playlist = endless(HLS, "#EXTM3U\n#EXT-X-TARGETDURATION:2\n", segments)
    named = LyingServer()
    named.pages["/master.m3u8"] = (HLS, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n"
                                   f"http://127.0.0.1:{playlist.port}/x.m3u8\n")
    manifest = endless("application/dash+xml", dash_of("/", "x.ts").split("<Period>")[0], b"<Period></Period>\n" * 5000)
    return {"playlist": (f"http://127.0.0.1:{playlist.port}/x.m3u8", TEXT),
            "variant": (named.url("/master.m3u8"), TEXT),
            "manifest": (f"http://127.0.0.1:{manifest.port}/x.mpd", TEXT), **rtsp_sources(),
            "http_login": (http(b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="any"\r\n\r\n', bytes(1 << 20)),
                           NO_MEDIA),
            "rtmp": (f"rtmp://127.0.0.1:{Endless(b'', bytes([3]) + bytes(100_000)).port}/live/x", NO_MEDIA),
            "http_interim": (http(b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 5000),
                             "the HTTP server has sent 50 interim answers (1xx), but no answer")}


SOURCES = sources()


@pytest.fixture(scope="module", name="log")
def lost_log(tmp_path_factory):
    with losing(SOURCES, tmp_path_factory.mktemp("lost")) as daemon:
        assert daemon.metrics().sum("symcast_source_ends_total", cause="refused") >= len(SOURCES)
        yield daemon.log()


@pytest.mark.parametrize("name", SOURCES)
def test_names_the_reason(log, name):
    check_reason(log, SOURCES, name)


def test_a_long_playlist_plays(serve, tmp_path):
    """A week of segments of two seconds, of which the first is there."""
    clip = tmp_path / "clip.ts"
    subprocess.run(far_ends.clip_command(clip, seconds=10), check=True)
    server = LyingServer()
    server.pages["/clip.ts"] = ("video/mp2t", clip.read_bytes())
    body = hls_of("/clip.ts").replace("#EXT-X-ENDLIST\n", "#EXTINF:2,\n/none.ts\n" * 300_000 + "#EXT-X-ENDLIST\n")
    assert 4 << 20 < len(body) < 16 << 20
    server.pages["/long.m3u8"] = (HLS, body)
    daemon = serve("--source", f"live={server.url('/long.m3u8')}", config=QUICK, sources_play=False)
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total") > 25, PATIENCE, "it plays")
