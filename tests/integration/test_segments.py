"""HLS and DASH over HTTP: playlists and manifests are valid and true, parts and segments arrive as
soon as they exist, and sessions count as viewers."""

import datetime
import json
import math
import re
import shutil
import statistics
import subprocess
import time
import urllib.parse

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.viewer import Viewer
from tests.integration import mp4_boxes
from tests.integration.conftest import SMALL
from tests.integration.segment_requests import (MPD, DashPlayer, HlsPlayer, Player, Rungs,
                                                wait_for_frames)

# Segments of one second, to see more of them in less time.
QUICK = """
[encoder]
preset = "ultrafast"
keyframe_interval = "1s"
"""
SEGMENT = 1  # seconds
PART = 0.4
PARTS = 3  # per segment: two full ones, and the rest
IDLE = 10  # seconds that a session lasts without a request

# Rates at which 640x360 at 25/s has three frame sizes, with noise, which spends the whole rate.
TOP_RATE = 800_000
RUNGS = QUICK + f"""
[rate]
min = "100k"
max = {TOP_RATE}
[groups]
max = 4
"""
NOISE = "live=test:?size=640x360&fps=25&content=noise"

# Allowance for a blocked answer: the next frame ends a part, and is then encoded and sent.
PROMPT = 0.1  # seconds
CMSD = re.compile(r'"symcast"(;etp=\d+)?(;rtt=\d+)?(;mb=\d+)?(;du)?')


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A stream with a viewer all the time, so that segments are made without a break."""
    directory = tmp_path_factory.mktemp("quick")
    with Daemon("--source", SMALL, directory=directory, config=QUICK) as daemon:
        with Viewer(daemon.url(), directory=directory), HlsPlayer(daemon) as player:
            wait_until(lambda: has_segments(player.playlist("audio"), 3), 10, "segments")
            yield daemon


@pytest.fixture
def hls(quick):
    with HlsPlayer(quick) as player:
        yield player


@pytest.fixture
def dash(quick):
    with DashPlayer(quick) as player:
        yield player


def follow(player, rendition, playlists):
    """Media playlists one part apart, each requested before it exists: [(playlist, reply)]."""
    seen = [(player.playlist(rendition), None)]
    while len(seen) < playlists:
        msn, part = hinted(seen[-1][0])
        reply = player.ask_playlist(rendition, msn=msn, part=part)
        assert reply.status == 200, reply.body
        seen.append((type(seen[0][0])(reply.body.decode()), reply))
    return seen


def hinted(playlist):
    """(segment number, part number) of the next part."""
    number, part, _ = playlist.hints[0]["URI"].split(".")
    return int(number), int(part)


def segment_of(playlist, number):
    return next(segment for segment in playlist.all() if segment.number == number)


# Playlists of HLS.

def test_multivariant_playlist_is_valid(hls, quick):
    assert hls.multivariant.violations() == []
    assert list(hls.paths()) == ["auto", "audio"]
    with HlsPlayer(quick, "?abr=player") as choosing:
        assert choosing.multivariant.violations() == []
        assert list(choosing.paths()) == ["v0", "v1", "v2", "v3", "audio"]


@pytest.mark.parametrize("rendition", ["auto", "audio"])
def test_media_playlist_is_valid(hls, rendition):
    seen = [playlist for playlist, _ in follow(hls, rendition, 2 * PARTS)]
    for playlist in seen:
        assert playlist.violations(hls.others(rendition)) == [], playlist.text
    for before, after in zip(seen, seen[1:]):
        assert after.violations_since(before) == []


@pytest.mark.parametrize("rendition", ["v0", "v3", "audio"])
def test_media_playlist_of_one_rung_among_many_is_valid(quick, rendition):
    with HlsPlayer(quick, "?abr=player") as player:
        playlist = player.playlist(rendition)
        assert playlist.violations(player.others(rendition)) == [], playlist.text


@pytest.mark.parametrize("rate", [24, 25, 29.97, 50])
def test_parts_are_valid_at_any_frame_rate(serve, rate):
    daemon = serve("--source", f"live=test:?size=320x180&fps={rate}", config=QUICK)
    with HlsPlayer(daemon) as player:
        playlist = follow(player, "auto", PARTS)[-1][0]
        assert playlist.violations(player.others("auto")) == [], playlist.text


def test_parts_are_valid_when_every_other_frame_is_skipped(serve):
    daemon = serve("--source", NOISE, config=QUICK + '[rate]\nmin = "30k"\nmax = "30k"\n')
    wait_for_frames(daemon)
    with HlsPlayer(daemon) as player:
        assert player.multivariant.variants[0]["FRAME-RATE"] == "12.500"
        playlist = follow(player, "auto", PARTS)[-1][0]
        assert playlist.violations(player.others("auto")) == [], playlist.text


def test_window_slides(serve):
    daemon = serve("--source", SMALL, config=QUICK + '[segments]\nwindow = "6s"\n')
    with HlsPlayer(daemon) as player:
        playlists = [playlist for playlist, _ in follow(player, "auto", 8 * PARTS)]
        for before, after in zip(playlists, playlists[1:]):
            assert after.violations_since(before) == []
        last = playlists[-1]
        assert last.first > playlists[0].first
        assert last.violations(player.others("auto")) == []
        # A removed segment stays available for its own duration plus that of the longest playlist
        # that listed it (RFC 8216, 6.2.2).
        longest = max(len(playlist.segments) for playlist in playlists)
        oldest = max(last.first - 1 - longest, playlists[0].first)
        for number in range(oldest, last.first):
            assert player.media(player.path("auto", f"{number}.m4s"))


def test_old_parts_are_kept_as_long_as_segments(hls):
    playlist = wait_until(lambda: has_segments(hls.playlist("auto"), 6), 10, "six segments")
    oldest = playlist.segments[0]
    assert oldest.parts == []
    parts = [hls.media(hls.path("auto", f"{oldest.number}.{part}.m4s")) for part in range(PARTS)]
    assert b"".join(parts) == hls.media(hls.path("auto", oldest.uri))


def has_segments(playlist, count):
    return playlist if len(playlist.segments) >= count else None


# Declared rates and codecs are true.

def segment_rates(player, rendition, first):
    """bit/s of each complete segment from number `first` on."""
    playlist = player.playlist(rendition)
    return [8 * len(player.media(player.path(rendition, segment.uri))) / segment.duration
            for segment in playlist.segments if segment.number >= first]


def test_the_declared_rates_of_a_new_source_are_true(serve):
    """They hold as soon as the source starts."""
    daemon = serve("--source", NOISE, config=RUNGS)
    with HlsPlayer(daemon, "?abr=player") as player:
        offered = [(variant["RESOLUTION"], variant["FRAME-RATE"])
                   for variant in player.multivariant.variants]
    assert offered == [("640x360", "25.000"), ("640x360", "25.000"), ("480x270", "25.000"),
                       ("320x180", "25.000")]


@pytest.mark.skipif(not shutil.which("ffprobe"), reason="ffprobe is not installed")
def test_declared_rates_and_codecs_are_true(serve):
    daemon = serve("--source", NOISE, config=RUNGS)
    rungs = Rungs(daemon)
    assert len({rungs.declared_size(rung) for rung in range(4)}) == 3
    first = rungs.players[0].playlist("v0").segments[-1].number + 1
    for rung, variant in enumerate(rungs.variants):
        found = probe(f"http://{daemon.ip}:{daemon.port}{rungs.path(rung)}")
        assert (found["width"], found["height"]) == rungs.declared_size(rung)
        assert found["r_frame_rate"] == "25/1" and variant["FRAME-RATE"] == "25.000"
        check_codec(variant["CODECS"], found)
    wait_until(lambda: rungs.players[0].playlist("v0").segments[-1].number >= first + 5, 10,
               "six segments")
    audio = segment_rates(rungs.players[0], "audio", first)
    for rung, variant in enumerate(rungs.variants):
        rates = segment_rates(rungs.players[rung], f"v{rung}", first)
        assert max(rates) + max(audio) <= int(variant["BANDWIDTH"])
        assert statistics.mean(rates) > 0.9 * TOP_RATE / 2**rung, "the rate was not used up"
        mean = statistics.mean(rates) + statistics.mean(audio)
        assert mean <= int(variant["AVERAGE-BANDWIDTH"])


def probe(url):
    """ffprobe's description of the video stream."""
    done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_streams",
                           "-of", "json", url], capture_output=True, timeout=30, check=True)
    return json.loads(done.stdout)["streams"][0]


def check_codec(codecs, found):
    """RFC 6381: profile, constraints and level in hexadecimal. The declared ones are upper bounds."""
    video, audio = codecs.split(",")
    profile, level = re.fullmatch(r"avc3\.([0-9a-f]{2})[0-9a-f]{2}([0-9a-f]{2})", video).groups()
    profiles = {"Constrained Baseline": 66, "Main": 77, "High": 100}
    assert profiles[found["profile"]] <= int(profile, 16)
    assert found["level"] <= int(level, 16)
    assert audio == "mp4a.40.2"


# Blocking reload, hints, parts.

@pytest.mark.parametrize("rendition", ["auto", "audio"])
def test_blocking_reload_answers_when_the_part_exists(hls, rendition):
    lateness = []
    for (before, _), (playlist, reply) in zip(seen := follow(hls, rendition, 12), seen[1:]):
        number, part = hinted(before)
        segment = segment_of(playlist, number)
        lateness.append(reply.answered - segment.part_end(part))
    # Dates are cut to milliseconds, so the answer may seem a little early; the machine is shared.
    assert min(lateness) > -0.005, lateness
    assert statistics.median(lateness) < PROMPT, lateness


def test_blocking_reload_for_a_segment_waits_until_it_is_complete(hls):
    number = hls.playlist("auto").all()[-1].number + 1
    reply = hls.ask_playlist("auto", msn=number)
    playlist = type(hls.playlist("auto"))(reply.body.decode())
    segment = segment_of(playlist, number)
    assert segment.uri, "the segment is complete"
    assert reply.answered >= segment.date.timestamp() + segment.duration - 0.005


def test_a_part_beyond_the_last_means_the_next_segments_first(hls):
    number = hls.playlist("auto").all()[-1].number
    playlist = hls.playlist("auto", msn=number, part=PARTS)
    assert segment_of(playlist, number + 1).parts


def test_requests_for_existing_parts_are_answered_at_once(hls):
    playlist = hls.playlist("auto")
    segment, part = playlist.last_part()
    for directives in ({"msn": segment.number, "part": part}, {"msn": playlist.segments[-1].number},
                       {"msn": 0}, {}):
        reply = hls.ask_playlist("auto", **directives)
        assert reply.status == 200 and reply.answered - reply.asked < PROMPT


@pytest.mark.parametrize("directives", [{"part": 0}, {"msn": 10**9}, {"ahead": 3}])
def test_wrong_directives_are_400(hls, directives):
    if "ahead" in directives:  # too far beyond the newest segment (bis 6.2.5.2)
        directives = {"msn": hls.playlist("auto").all()[-1].number + directives["ahead"]}
    reply = hls.ask_playlist("auto", **directives)
    assert reply.status == 400
    assert reply.body.strip(), "the body states the reason"


@pytest.mark.parametrize("rendition", ["auto", "audio"])
def test_a_hinted_part_arrives_all_at_once(hls, rendition):
    for _ in range(3):
        number, part = hinted(hls.playlist(rendition))
        reply = hls.get(hls.path(rendition, f"{number}.{part}.m4s"))
        assert reply.status == 200 and int(reply.headers["Content-Length"]) == len(reply.body)
        segment = segment_of(hls.playlist(rendition), number)
        assert reply.answered >= segment.part_end(part) - 0.005, "no byte before it is complete"
        assert reply.last - reply.answered < 0.05, "then all bytes follow at once"


@pytest.mark.parametrize("rendition", ["auto", "audio"])
def test_parts_add_up_to_the_segment(hls, rendition):
    playlist = follow(hls, rendition, 2 * PARTS)[-1][0]
    scale = mp4_boxes.timescale(hls.media(hls.path(rendition, playlist.segments[-1].init)))
    chunks = []
    for segment in playlist.segments[-2:]:
        parts = [hls.media(hls.path(rendition, part.uri)) for part in segment.parts]
        assert len(parts) == PARTS
        assert b"".join(parts) == hls.media(hls.path(rendition, segment.uri))
        for part, data in zip(segment.parts, parts):
            [(begin, durations, sizes)] = mp4_boxes.chunks(data)
            assert sum(durations) / scale == pytest.approx(part.duration, abs=1e-5)
            chunks.append((begin, durations, sizes))
    assert mp4_boxes.gaps(chunks) == []


# Missing media and streams.

@pytest.mark.parametrize("name", ["0.m4s", "0.0.m4s", "1000000.m4s", "1000000.0.m4s", "init-99.mp4",
                                  "x.m4s", "playlist.mpd"])
def test_unknown_media_is_404_at_once(hls, name):
    wait_until(lambda: hls.playlist("auto").first > 0 or None, 20, "segment 0 has gone", 1)
    reply = hls.get(hls.path("auto", name))
    assert reply.status == 404
    assert reply.body.strip(), "the body states the reason"
    assert reply.answered - reply.asked < SEGMENT


def test_a_part_that_a_segment_does_not_have_is_404(hls):
    segment = hls.playlist("auto").segments[-1]
    assert hls.get(hls.path("auto", f"{segment.number}.{PARTS}.m4s")).status == 404


@pytest.mark.parametrize("path", ["/nothing/index.m3u8", "/nothing/manifest.mpd",
                                  "/nothing/0123456789abcdef/auto/playlist.m3u8"])
def test_unknown_stream_is_404(quick, path):
    status, _, body = quick.get(path)
    assert status == 404
    assert b"nothing" in body


@pytest.mark.parametrize("file", ["index.m3u8", "manifest.mpd"])
@pytest.mark.parametrize("config, word", [('[encoder]\ncodec = "mpeg2"\n', b"MPEG-2"),
                                          ("[segments]\nenabled = false\n", b"segments.enabled")])
def test_streams_without_segments_say_why(serve, config, word, file):
    status, _, body = serve("--source", SMALL, config=config).get(f"/live/{file}")
    assert status == 404
    assert word in body and body.count(b"\n") == 1


def test_a_session_belongs_to_its_stream(serve):
    daemon = serve("--source", "one=test:?size=320x180&fps=25",
                   "--source", "two=test:?size=192x108&fps=25", config=QUICK)
    with HlsPlayer(daemon, stream="one") as player:
        path = player.paths()["auto"].replace("/one/", "/two/")
        assert player.get(path).status == 200
        init = player.media(urllib.parse.urljoin(path, "init.mp4"))
        assert mp4_boxes.picture_size(init) == (192, 108)


# Headers of the responses.

def paths_of_all_kinds(player):
    playlist = player.playlist("auto")
    segment = playlist.segments[-1]
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
    config = QUICK + '[server]\ncors_allow = ["https://a.example", "http://b.example:8000"]\n'
    with HlsPlayer(serve("--source", SMALL, config=config)) as player:
        for path in paths_of_all_kinds(player) + PAGES_FOR_ALL:
            for method in ("GET", "OPTIONS"):
                for origin, allowed in ORIGINS.items():
                    reply = player.get(path, method, {"Origin": origin})
                    told = reply.headers["Access-Control-Allow-Origin"]
                    assert told == (origin if allowed else None)
                    assert reply.headers["Vary"] == "Origin"


def test_no_page_may_play(serve):
    daemon = serve("--source", SMALL, config=QUICK + "[server]\ncors_allow = []\n")
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
    follow(hls, "auto", PARTS)
    for path in paths_of_all_kinds(hls)[2:]:
        told = hls.get(path).headers["CMSD-Dynamic"]
        assert CMSD.fullmatch(told), told
    assert ";mb=" in told

    def cmsd_of_media():
        newest = hls.playlist("auto").last_part()[0].parts[-1].uri
        return hls.get(hls.path("auto", newest)).headers["CMSD-Dynamic"]

    wait_until(lambda: ";rtt=" in cmsd_of_media(), 5, "media was sent over this connection")


def test_head_has_the_headers_and_no_body(hls):
    for path in paths_of_all_kinds(hls)[2:]:
        reply = hls.get(path, "HEAD")
        assert (reply.status, reply.body) == (200, b"")
        assert reply.headers["Content-Type"]


# Sessions.

def test_head_begins_no_session(serve):
    daemon = serve("--source", SMALL, config=QUICK)
    with Player(daemon) as player:
        for path, kind in {"/live/index.m3u8": "application/vnd.apple.mpegurl",
                           "/live/manifest.mpd": "application/dash+xml"}.items():
            reply = player.get(path, "HEAD")
            assert (reply.status, reply.body, reply.headers["Content-Type"]) == (200, b"", kind)
    assert viewers(daemon) == 0


def viewers(daemon):
    return daemon.metrics().sum("symcast_viewers", stream="live")


def test_a_session_counts_as_a_viewer_until_it_is_idle(serve):
    daemon = serve("--source", SMALL, config=QUICK)
    with HlsPlayer(daemon) as player:
        player.playlist("auto")
        with DashPlayer(daemon):  # its connection stays open, without requests
            assert viewers(daemon) == 2
            began = time.monotonic()
            while time.monotonic() < began + IDLE + 2:
                player.playlist("auto", msn=player.playlist("auto").all()[-1].number)
            assert viewers(daemon) == 1, "the active session stays, the idle one is gone"
    last = time.monotonic()
    wait_until(lambda: viewers(daemon) == 0, IDLE + 3, "the session's end")
    assert time.monotonic() - last > IDLE - 1
    assert daemon.log().count("session_ended") == 2


@pytest.mark.parametrize("player_of", [HlsPlayer, DashPlayer])
def test_a_player_continues_after_its_session_ended(serve, player_of):
    """Its URLs still work after its session has ended, or after the server was restarted."""
    daemon = serve("--source", SMALL, config=QUICK)
    with player_of(daemon) as player:
        token = (player.path("auto", "x") if player_of is HlsPlayer else player.path("x")).split("/")[2]
    wait_until(lambda: viewers(daemon) == 0, IDLE + 3, "the session's end", 0.5)
    with Player(daemon) as player:
        assert player.get(f"/live/{token}/auto/init.mp4").status == 200
    joined = [line for line in daemon.log().splitlines() if " session_began " in line]
    formats = [re.search(r"format=(\w+)", line)[1] for line in joined]
    assert len(formats) == 2 and formats[0] == formats[1]
    metrics = daemon.metrics()
    assert metrics.sum("symcast_viewers_joined_total") == 2
    assert metrics.sum("symcast_viewers_left_total") == 1


def test_after_a_pause_players_see_no_old_segments(serve, view):
    daemon = serve("--source", SMALL, config=QUICK + '[groups]\nlinger = "0s"\n')
    viewer = view(daemon.url())
    viewer.watch(3)
    viewer.finish()
    daemon.wait_for(lambda m: m.sum("symcast_group_rate_target_bits_per_second") == 0, 5,
                    "the encoder has ended")
    began = time.time()
    with HlsPlayer(daemon) as player:
        assert player.playlist("auto").all()[0].date.timestamp() > began - SEGMENT


def test_a_new_player_begins_at_the_start_rate(serve):
    """It does not get the highest rate that exists."""
    daemon = serve("--source", NOISE, config=RUNGS.replace("max = 8", 'start = "200k"\nmax = 8'))
    rungs = Rungs(daemon)
    for player, rung in zip(rungs.players, range(4)):
        wait_until(lambda: has_segments(player.playlist(f"v{rung}"), 4), 10, "segments")
    with HlsPlayer(daemon) as player:
        oldest = player.playlist("auto").segments[0]
        size = len(player.media(player.path("auto", oldest.uri)))
    assert size * 8 / oldest.duration < 300_000


def test_a_session_beyond_max_viewers_is_503(serve, view):
    daemon = serve("--source", SMALL, config=QUICK + "[server]\nmax_viewers = 2\n")
    with HlsPlayer(daemon) as player:
        viewer = view(daemon.url())
        daemon.wait_for(lambda m: m.sum("symcast_viewers") == 2, 5, "both are admitted")
        for path in ("/live/index.m3u8", "/live/manifest.mpd", "/live.mp4"):
            status, _, body = daemon.get(path)
            assert status == 503
            assert body.strip(), "the body states the reason"
        assert player.playlist("auto") and viewer.watching()


# DASH.

REQUIRED = {
    "MPD": {"profiles", "type", "availabilityStartTime", "publishTime", "minimumUpdatePeriod",
            "minBufferTime", "timeShiftBufferDepth", "maxSegmentDuration",
            "suggestedPresentationDelay"},
    "Period": {"id", "start"},
    "AdaptationSet": {"contentType", "mimeType", "segmentAlignment", "startWithSAP"},
    "SegmentTemplate": {"timescale", "duration", "startNumber", "media", "initialization",
                        "availabilityTimeOffset", "availabilityTimeComplete"},
    "Representation": {"id", "bandwidth", "codecs"},
    "Latency": {"target", "referenceId"},
    "ProducerReferenceTime": {"id", "type", "wallClockTime", "presentationTime"},
    "UTCTiming": {"schemeIdUri", "value"},
    "Resync": {"dT"},
}
# Elements and attributes, as in the schema.
ORDER = {
    "MPD": ["BaseURL", "Location", "ServiceDescription", "Period", "UTCTiming"],
    "AdaptationSet": ["AudioChannelConfiguration", "ProducerReferenceTime", "Resync",
                      "SegmentTemplate", "Representation"],
    "ServiceDescription": ["Latency", "PlaybackRate"],
}


def name_of(element):
    assert element.tag.startswith(MPD), element.tag
    return element.tag.removeprefix(MPD)


def test_manifest_is_valid(dash):
    for element in dash.mpd.iter():
        name = name_of(element)
        assert REQUIRED.get(name, set()) <= set(element.keys()), name
        children = [name_of(child) for child in element]
        if name in ORDER:
            order = ORDER[name]
            assert children == sorted(children, key=order.index), name
    assert dash.mpd.get("type") == "dynamic"
    assert list(dash.representations()) == ["auto", "audio"]


def test_manifest_of_a_ladder_has_all_rungs(quick):
    with DashPlayer(quick, "?abr=player") as player:
        assert list(player.representations()) == ["v0", "v1", "v2", "v3", "audio"]
        rates = [int(it.get("bandwidth")) for _, it in player.representations().values()]
        assert rates == sorted(rates, reverse=True)


def test_manifest_stays_the_same(dash, quick):
    """Only its publish time and the session token differ."""
    with DashPlayer(quick) as other:
        before, after = dict(dash.mpd.attrib), dict(other.mpd.attrib)
        assert before.pop("publishTime") <= after.pop("publishTime")
        assert before == after


def test_reloading_the_manifest_keeps_the_session(serve):
    """Players reload it every minimumUpdatePeriod, from its Location."""
    daemon = serve("--source", SMALL, config=QUICK)
    with DashPlayer(daemon) as player:
        player.media(player.init("auto"))
        location = player.mpd.find(f"{MPD}Location")
        if "minimumUpdatePeriod" in player.mpd.keys():
            path = "/live/manifest.mpd" if location is None else location.text
            player.media(urllib.parse.urljoin("/live/manifest.mpd", path))
        assert viewers(daemon) == 1


def seconds(duration):
    """Seconds of an xs:duration below a minute."""
    return float(re.fullmatch(r"PT([\d.]+)S", duration)[1])


def server_time(dash):
    """The server's time, as players obtain it."""
    [timing] = dash.mpd.findall(f"{MPD}UTCTiming")
    assert timing.get("schemeIdUri") == "urn:mpeg:dash:utc:http-xsdate:2014"
    return wall_time(dash.media(dash.path(timing.get("value"))).decode())


def wall_time(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class Numbering:
    """When each segment number becomes available, according to the manifest."""

    def __init__(self, dash, representation):
        template, _ = dash.representations()[representation]
        period = float(dash.mpd.find(f"{MPD}Period").get("start")[2:-1])
        self.start = wall_time(dash.mpd.get("availabilityStartTime")) + period
        self.length = int(template.get("duration")) / int(template.get("timescale"))
        self.offset = float(template.get("availabilityTimeOffset"))
        self.first = int(template.get("startNumber"))
        self._offset = int(template.get("presentationTimeOffset", 0)) / int(template.get("timescale"))

    def media_time(self, number):
        return self._offset + (number - self.first) * self.length

    def newest(self, now):
        return self.first + int((now - self.start + self.offset) / self.length) - 1

    def end(self, number):
        """Wall time at which the segment's last frame has been captured."""
        return self.start + (number - self.first + 1) * self.length


def test_server_tells_the_time(dash):
    assert server_time(dash) == pytest.approx(time.time(), abs=0.05)


@pytest.mark.parametrize("representation", ["auto", "audio"])
def test_segments_begin_where_the_manifest_says(dash, representation):
    numbering = Numbering(dash, representation)
    assert numbering.length == SEGMENT
    scale = mp4_boxes.timescale(dash.media(dash.init(representation)))
    chunks = []
    for number in range(newest := numbering.newest(server_time(dash)), newest + 3):
        reply = dash.get(dash.segment(representation, number))
        assert reply.status == 200
        chunks += mp4_boxes.chunks(reply.body)
        begin = chunks[-PARTS][0] / scale - numbering.media_time(number)
        assert abs(begin) < numbering.length / 2, "DASH-IF's drift of simple addressing"
    assert len(chunks) == 3 * PARTS
    assert mp4_boxes.gaps(chunks) == []


def test_the_whole_window_is_available(dash):
    """It reaches back by timeShiftBufferDepth, or to the beginning of the stream."""
    numbering = Numbering(dash, "auto")
    depth = seconds(dash.mpd.get("timeShiftBufferDepth"))
    wait_until(lambda: server_time(dash) > numbering.start + depth + 4, 30, "a window", 1)
    # A segment's availability ends that long after it began (ISO/IEC 23009-1, A.3.2).
    now = server_time(dash) - numbering.start - depth - 2 * numbering.length
    oldest = numbering.first + math.ceil((now + 0.1) / numbering.length)
    assert dash.get(dash.segment("auto", oldest)).status == 200


def test_the_first_viewer_finds_the_segments_that_the_manifest_offers(serve):
    """Nobody has watched before. The first segment is the one at which players start to keep the
    suggested delay."""
    daemon = serve("--source", SMALL, config=QUICK)
    time.sleep(3 * SEGMENT)
    with DashPlayer(daemon) as player:
        numbering = Numbering(player, "auto")
        late = server_time(player) - seconds(player.mpd.get("suggestedPresentationDelay"))
        first = max(int((late - numbering.start) / SEGMENT), 0) + numbering.first
        for number in range(first, first + 4):
            assert player.get(player.segment("auto", number)).status == 200


def test_audio_begins_with_the_video(serve):
    """Players wait for the track that begins later. With two frames per second the first frame
    begins a segment even if it is far from the segment's boundary; audio does not."""
    daemon = serve("--source", "live=test:?size=320x180&fps=2", config=QUICK)
    daemon.wait_for(lambda m: m.sum("symcast_source_frames_total") > 12, 10, "a measured rate")
    with HlsPlayer(daemon) as player:
        video, audio = player.playlist("auto"), player.playlist("audio")
        assert video.segments[0].number == audio.segments[0].number


@pytest.mark.parametrize("representation", ["auto", "audio"])
def test_a_segment_is_sent_while_it_is_made(dash, representation):
    numbering = Numbering(dash, representation)
    number = numbering.newest(server_time(dash)) + 1
    reply = dash.get(dash.segment(representation, number))
    assert reply.headers["Transfer-Encoding"] == "chunked"
    end = numbering.end(number)
    assert reply.first < end - 0.5 * SEGMENT, "the first chunk is sent before the last one is made"
    assert end - 0.1 < reply.last < end + PROMPT
    # Each chunk is sent as soon as it is made.
    times = [when for when, _ in reply.arrivals]
    pauses = [after - before for before, after in zip(times, times[1:]) if after - before > 0.05]
    assert len(pauses) == PARTS - 1 and max(pauses) < 2 * PART


def test_availability_time_offsets_are_true(dash):
    """Requests for available segments are answered at once."""
    numbering = Numbering(dash, "auto")
    for _ in range(3):
        now = server_time(dash)
        number = numbering.newest(now) + 1
        time.sleep(numbering.end(number) - numbering.offset - now)
        reply = dash.get(dash.segment("auto", number))
        assert reply.status == 200
        assert reply.answered - reply.asked < PROMPT
