"""Responses to segment players: their headers, and the reason why something is missing."""

import json
import re

import pytest

from netlab.daemon import wait_until
from tests.integration.conftest import SMALL
from tests.integration.quick_segments import LIVE, QUICK_SEGMENTS, SILENT, TINY
from tests.integration.segment_requests import PATIENCE, HlsPlayer, at_once

STREAMS = {
    "live": (LIVE, {}),
    "mpeg2": (TINY, SILENT | {"encoder.codec": "mpeg2"}),
    "off": (TINY, SILENT | {"segments.enabled": False}),
}
CMSD = re.compile(r'"symcast"(;etp=\d+)?(;rtt=\d+)?(;mb=\d+)?(;du)?')


# Missing media and streams.

@pytest.mark.parametrize("name", ["0.m4s", "0.0.m4s", "2147483647.m4s", "2147483647.0.m4s", "init-99.mp4",
                                  "x.m4s", "playlist.mpd"])
def test_unknown_media_is_404_at_once(hls, name):
    reply = at_once(hls, lambda: hls.get(hls.path("auto", name)))
    assert reply.status == 404
    assert reply.body.strip(), "the body states the reason"


@pytest.mark.parametrize("path", ["/nothing/index.m3u8", "/nothing/manifest.mpd",
                                  "/nothing/0123456789abcdef/auto/playlist.m3u8"])
def test_unknown_stream_is_404(quick, path):
    status, _, body = quick.get(path)
    assert status == 404
    assert b"nothing" in body


@pytest.mark.parametrize("file", ["index.m3u8", "manifest.mpd"])
@pytest.mark.parametrize("name, word", [("mpeg2", b"MPEG-2"), ("off", b"segments.enabled")])
def test_streams_without_segments_say_why(quick, name, word, file):
    status, _, body = quick.get(f"/{name}/{file}")
    assert status == 404
    assert word in body and body.count(b"\n") == 1


# Headers of the responses.

def paths_of_all_kinds(player):
    segment = player.playlist("auto").segments[-1]
    return ["/live/index.m3u8", "/live/manifest.mpd", player.paths()["auto"],
            *(player.path("auto", name) for name in
              (segment.init, segment.uri, segment.parts[0].uri))]


# The clock for DASH players, and the list of streams for pages.
PAGES_FOR_ALL = ["/api/v1/time", "/api/v1/streams"]


def test_any_web_page_may_play(hls):
    for path in paths_of_all_kinds(hls) + PAGES_FOR_ALL:
        reply = hls.get(path, headers={"Origin": "https://example.com"})
        assert reply.headers["Access-Control-Allow-Origin"] == "*"
        assert "CMSD-Dynamic" in reply.headers["Access-Control-Expose-Headers"]
    reply = hls.get(path, "OPTIONS", {"Origin": "https://example.com",
                                      "Access-Control-Request-Method": "GET",
                                      "Access-Control-Request-Headers": "CMCD-Request"})
    assert reply.status in (200, 204)
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert "GET" in reply.headers["Access-Control-Allow-Methods"]
    assert reply.headers["Access-Control-Allow-Headers"] == "*"


ORIGINS = {"https://a.example": True, "http://b.example:8000": True,
           "http://a.example": False, "https://c.example": False}


def test_only_pages_of_configured_origins_may_play(serve):
    allowed = [origin for origin, may in ORIGINS.items() if may]
    config = QUICK_SEGMENTS + f"[server]\ncors_allow = {json.dumps(allowed)}\n"
    with HlsPlayer(serve("--source", SMALL, config=config)) as player:
        for path in paths_of_all_kinds(player) + PAGES_FOR_ALL:
            for method in ("GET", "OPTIONS"):
                for origin, allowed in ORIGINS.items():
                    reply = player.get(path, method, {"Origin": origin})
                    told = reply.headers["Access-Control-Allow-Origin"]
                    assert told == (origin if allowed else None)
                    assert reply.headers["Vary"] == "Origin"


def test_no_page_may_play(serve):
    daemon = serve("--source", SMALL, config=QUICK_SEGMENTS + "[server]\ncors_allow = []\n")
    with HlsPlayer(daemon) as player:
        for method in ("GET", "OPTIONS"):
            reply = player.get(player.paths()["auto"], method, {"Origin": "https://a.example"})
            assert reply.headers["Access-Control-Allow-Origin"] is None


def test_content_types_are_correct(hls):
    types = [hls.get(path).headers["Content-Type"] for path in paths_of_all_kinds(hls)]
    assert types == ["application/vnd.apple.mpegurl", "application/dash+xml",
                     "application/vnd.apple.mpegurl", "video/mp4", "video/mp4", "video/mp4"]
    init = hls.playlist("audio").segments[-1].init
    assert hls.get(hls.path("audio", init)).headers["Content-Type"] == "audio/mp4"


def test_responses_describe_the_path(hls):
    for path in paths_of_all_kinds(hls)[2:]:
        told = hls.get(path).headers["CMSD-Dynamic"]
        assert CMSD.fullmatch(told), told
    assert ";mb=" in told

    def cmsd_of_media():
        newest = hls.playlist("auto").last_part()[0].parts[-1].uri
        return hls.get(hls.path("auto", newest)).headers["CMSD-Dynamic"]

    wait_until(lambda: ";rtt=" in cmsd_of_media(), PATIENCE, "media was sent over this connection")


def test_head_has_the_headers_and_no_body(hls):
    for path in paths_of_all_kinds(hls)[2:]:
        reply = hls.get(path, "HEAD")
        assert (reply.status, reply.body) == (200, b"")
        assert reply.headers["Content-Type"]
