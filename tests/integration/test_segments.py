"""HLS and DASH over HTTP: playlists and manifests are valid and true, parts and segments are sent as
they are made, and sessions count as viewers."""

import bisect
import concurrent.futures
import dataclasses
import datetime
import itertools
import json
import math
import re
import shutil
import statistics
import subprocess
import threading
import time
import urllib.parse

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.viewer import Viewer
from tests.integration import hls_rules, mp4_boxes
from tests.integration.conftest import SMALL
from tests.integration.segment_requests import (MPD, PATIENCE, DashPlayer, HlsPlayer, Player, Rungs,
                                                at_once, hinted, pauses, undisturbed)

# Short segments, to see more of them in less time.
SEGMENT = 0.5  # seconds
PART = 0.2
PARTS = 3  # per segment: two full ones, and the rest
KEPT = 12  # segments of the window; a playlist lists half of them
QUICK = f"""
[encoder]
preset = "ultrafast"
keyframe_interval = "{1000 * SEGMENT:g}ms"
[segments]
part = "{1000 * PART:g}ms"
window = "{KEPT * SEGMENT:g}s"
"""
IDLE = 10  # seconds that a session lasts without a request
FRAME = 1 / 30  # seconds
CLOCK = 0.02  # seconds: dates are cut to milliseconds, and the wall clock is adjusted now and then

# At this rate every other frame is skipped.
HALVED = {"rate.min": "30k", "rate.max": "30k", "rate.start": "30k",
          "scaling.min_bits_per_pixel": 0.55,
          "encoder.keyframe_interval": "1s", "segments.part": "400ms"}
TINY = "test:?size=192x108&fps=10"
# The streams of one server: name -> source, settings. They do not disturb each other. Encoding audio
# takes most of their CPU time.
SILENT = {"audio.enabled": False}
STREAMS = {
    "live": ("test:?size=320x180&fps=30", {}),
    **{f"fps{rate}".replace(".", "-"): (f"test:?size=192x108&fps={rate}", SILENT)
       for rate in (24, 25, 29.97, 50)},
    "halved": ("test:?size=192x108&fps=25", HALVED | SILENT),
    "slow": ("test:?size=192x108&fps=4", {}),
    "other": ("test:?size=256x144&fps=10", SILENT),
    **{name: (TINY, SILENT) for name in ("fresh", "described", "reloaded", "active", "ended")},
    "paused": (TINY, SILENT | {"groups.linger": "0s"}),
    "mpeg2": (TINY, SILENT | {"encoder.codec": "mpeg2"}),
    "off": (TINY, SILENT | {"segments.enabled": False}),
}

# Rates at which 640x360 has three frame sizes, with noise, which spends the whole rate. At 10 frames per
# second four encoders keep up on a busy machine.
NOISE_RATE = 10
NOISE = f"test:?size=640x360&fps={NOISE_RATE}&content=noise"
TOP_RATE = 800_000
RUNGS = f"""
[encoder]
preset = "ultrafast"
keyframe_interval = "500ms"
[rate]
min = "100k"
start = "200k"
max = {TOP_RATE}
[scaling]
min_bits_per_pixel = 0.125
[groups]
max = 4
"""

CMSD = re.compile(r'"symcast"(;etp=\d+)?(;rtt=\d+)?(;mb=\d+)?(;du)?')


def stream(name, source, settings):
    """The configuration of a stream. One encoder suffices, and never closes another one."""
    lines = [f'name = "{name}"', f'source = "{source}"', "groups.max = 1"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    return "\n".join(["[[stream]]", *lines, ""])


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A server with STREAMS. `live` has a viewer all the time, so that its segments are made without
    a break."""
    directory = tmp_path_factory.mktemp("quick")
    config = QUICK + "".join(stream(name, *others) for name, others in STREAMS.items())
    with Daemon(directory=directory, config=config) as daemon:
        with Viewer(daemon.url(), directory=directory):
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
        seen.append(next_playlist(player, rendition, seen[-1][0]))
    return seen


def next_playlist(player, rendition, before):
    msn, part = hinted(before)
    reply = player.ask_playlist(rendition, msn=msn, part=part)
    assert reply.status == 200, reply.body
    return hls_rules.MediaPlaylist(reply.body.decode()), reply


def segment_of(playlist, number):
    found = [segment for segment in playlist.all() if segment.number == number]
    assert found, playlist.text
    return found[0]


# Playlists of HLS.

# (stream, query, rendition) of playlists.
FOLLOWED = [("live", "", "auto"), ("live", "", "audio"),
            *(("live", "?abr=player", rendition) for rendition in ("v0", "v3", "audio")),
            *((name, "", "auto") for name in ("fps24", "fps25", "fps29-97", "fps50", "halved"))]


@dataclasses.dataclass
class Record:
    """Playlists one part apart, which list only segments that began meanwhile."""

    playlists: list
    others: list  # as HlsPlayer.others
    uneven: set  # URIs of parts in which frames are missing
    frame_rate: str


def record(daemon, name, query, rendition):
    with HlsPlayer(daemon, query, name) as player:
        def observe():
            begin, playlist = time.time(), player.playlist(rendition)
            seen = []
            while len(seen) < 2 * PARTS + 1:
                if playlist.segments[0].date.timestamp() > begin:
                    seen.append(playlist)
                playlist, _ = next_playlist(player, rendition, playlist)
            return seen

        playlists = undisturbed(observe, daemon, name)
        return Record(playlists, player.others(rendition), uneven(player, rendition, playlists),
                      player.multivariant.variants[0]["FRAME-RATE"])


def uneven(player, rendition, playlists):
    """URIs of the parts in which frames are missing, since the machine was busy, or that have gone."""
    uris = {part.uri for playlist in playlists for segment in playlist.all() for part in segment.parts}
    replies = {uri: player.get(player.path(rendition, uri)) for uri in uris}
    longest = {uri: max(ticks for _, chunk, _ in mp4_boxes.chunks(reply.body) for ticks in chunk)
               for uri, reply in replies.items() if reply.status == 200}
    even = {uri for uri, ticks in longest.items() if ticks < 1.5 * min(longest.values())}
    assert len(even) >= PARTS, "frames are missing everywhere"
    return uris - even


@pytest.fixture(scope="module")
def records(quick):
    """{of FOLLOWED: future Record}, recorded at the same time."""
    with concurrent.futures.ThreadPoolExecutor(len(FOLLOWED)) as pool:
        yield {what: pool.submit(record, quick, *what) for what in FOLLOWED}


def test_multivariant_playlist_is_valid(hls, quick):
    assert hls.multivariant.violations() == []
    assert list(hls.paths()) == ["auto", "audio"]
    with HlsPlayer(quick, "?abr=player") as choosing:
        assert choosing.multivariant.violations() == []
        assert list(choosing.paths()) == ["v0", "v1", "v2", "v3", "audio"]


@pytest.mark.parametrize("what", FOLLOWED, ids=" ".join)
def test_media_playlist_is_valid(records, what):
    """At any frame rate, and when every other frame is skipped."""
    found = records[what].result()
    for playlist in found.playlists:
        assert playlist.violations(found.others, found.uneven) == [], playlist.text
    for before, after in zip(found.playlists, found.playlists[1:]):
        assert after.violations_since(before) == []


def test_every_other_frame_is_skipped(records):
    assert records["halved", "", "auto"].result().frame_rate == "12.500"


def test_window_slides(hls, quick):
    """Once a playlist lists as many segments as it may, each new one replaces the first."""
    listed = KEPT // 2

    def observe():
        return [playlist for playlist, _ in follow(hls, "auto", (listed + 1) * PARTS + 1)]

    playlists = undisturbed(observe, quick)
    assert playlists[-1].first > playlists[0].first
    assert max(len(playlist.all()) for playlist in playlists) == listed


def all_parts(player, rendition, number):
    """The bodies of a segment's parts."""
    parts = []
    while True:
        reply = player.get(player.path(rendition, f"{number}.{len(parts)}.m4s"))
        if reply.status != 200:
            assert reply.status == 404
            return parts
        parts.append(reply.body)


def test_removed_segments_stay_available(hls, quick, records):
    """For their own duration plus that of the longest playlist that listed them (RFC 8216, 6.2.2)."""
    playlists = records["live", "", "auto"].result().playlists
    longest = max(len(playlist.segments) for playlist in playlists)
    first = playlists[0].first

    def available():
        before = hls.playlist("auto").first
        number = before - 1 - longest
        if number < first:
            return False
        if hls.get(hls.path("auto", f"{number}.m4s")).status == 200:
            return True
        slid = hls.playlist("auto").first > before
        assert slid or pauses(quick), "it may go only when the window slides on"
        return False

    wait_until(available, PATIENCE, "a removed segment")


def test_old_parts_are_kept_as_long_as_segments(hls, records):
    first = records["live", "", "auto"].result().playlists[0].first
    number = wait_until(lambda: after(first, hls.playlist("auto").first), PATIENCE, "an old one") - 1
    parts = all_parts(hls, "auto", number)
    assert parts
    assert b"".join(parts) == hls.media(hls.path("auto", f"{number}.m4s"))


def after(first, number):
    return number if number > first else None


# Blocking reload, hints, parts.

@pytest.mark.parametrize("rendition", ["auto", "audio"])
def test_blocking_reload_answers_when_the_part_exists(hls, quick, rendition):
    """Not before, and before the next part exists. The latter may take several attempts on a busy
    machine, for each of a segment's parts."""
    answered_before_the_next = set()

    def all_parts_answered():
        seen = undisturbed(lambda: follow(hls, rendition, PARTS + 1), quick)
        for (before, _), (playlist, reply) in zip(seen, seen[1:]):
            number, part = hinted(before)
            segment = segment_of(playlist, number)
            assert segment.uri or part < len(segment.parts)
            assert reply.answered > segment.part_end(part) - CLOCK
            newest, newest_part = playlist.last_part()
            if (newest.number, newest_part) == (number, part):
                answered_before_the_next.add(part)
        return answered_before_the_next == set(range(PARTS))

    wait_until(all_parts_answered, PATIENCE, "a reply before the next part exists")


def test_blocking_reload_for_a_segment_waits_until_it_is_complete(hls, quick):
    def reload():
        number, _ = hinted(hls.playlist("auto"))
        reply = hls.ask_playlist("auto", msn=number)
        assert reply.status == 200, reply.body
        return number, reply

    number, reply = undisturbed(reload, quick)
    segment = segment_of(hls_rules.MediaPlaylist(reply.body.decode()), number)
    assert segment.uri, "the segment is complete"
    assert reply.answered > segment.date.timestamp() + segment.duration - CLOCK


def test_a_part_beyond_the_last_means_the_next_segments_first(hls):
    number, _ = hinted(hls.playlist("auto"))
    playlist = hls.playlist("auto", msn=number, part=PARTS)
    assert segment_of(playlist, number + 1).parts


def test_requests_for_existing_parts_are_answered_at_once(hls):
    for directives in ({"msn": "newest", "part": "newest"}, {"msn": "complete"}, {"msn": 0}, {}):
        def ask(directives=directives):
            playlist = hls.playlist("auto")
            segment, part = playlist.last_part()
            numbers = {("msn", "newest"): segment.number, ("part", "newest"): part,
                       ("msn", "complete"): playlist.segments[-1].number}
            return hls.ask_playlist("auto", **{name: numbers.get((name, value), value)
                                               for name, value in directives.items()})

        assert at_once(hls, ask).status == 200


@pytest.mark.parametrize("directives", [{"part": 0}, {"msn": 10**12}, {"ahead": 3}])
def test_wrong_directives_are_400(hls, directives):
    def ask():
        if "ahead" not in directives:
            return hls.ask_playlist("auto", **directives)
        newest, _ = hinted(hls.playlist("auto"))  # too far beyond it (bis 6.2.5.2)
        return hls.ask_playlist("auto", msn=newest + directives["ahead"])

    reply = at_once(hls, ask)
    assert reply.status == 400
    assert reply.body.strip(), "the body states the reason"


@pytest.mark.parametrize("rendition", ["auto", "audio"])
def test_a_hinted_part_arrives_all_at_once(hls, quick, rendition):
    def load_hinted():
        number, part = hinted(hls.playlist(rendition))
        reply = hls.get(hls.path(rendition, f"{number}.{part}.m4s"))
        assert reply.status == 200, reply.body
        return number, part, reply

    for _ in range(PARTS):
        number, part, reply = undisturbed(load_hinted, quick)
        # Its length is known when the head is sent: the part was complete.
        assert int(reply.headers["Content-Length"]) == len(reply.body)
        segment = segment_of(hls.playlist(rendition), number)
        assert reply.answered > segment.part_end(part) - CLOCK, "no byte before it is complete"


@pytest.mark.parametrize("rendition", ["auto", "audio"])
def test_parts_add_up_to_the_segment(hls, quick, rendition):
    scale = mp4_boxes.timescale(hls.media(hls.path(rendition, "init.mp4")))

    def newest_segments():
        """Two that begin after the call."""
        first, _ = hinted(hls.playlist(rendition))
        playlist = wait_until(lambda: has_complete(hls.playlist(rendition), first + 2), PATIENCE,
                              "two segments")
        return [segment_of(playlist, first + 1), segment_of(playlist, first + 2)]

    def in_parts():
        """A segment in which frames are missing, since the machine was busy, may have only one."""
        found = undisturbed(newest_segments, quick)
        return all(len(segment.parts) > 1 for segment in found) and found

    chunks = []
    for segment in wait_until(in_parts, PATIENCE, "segments in parts"):
        parts = all_parts(hls, rendition, segment.number)
        assert len(parts) == len(segment.parts)
        assert b"".join(parts) == hls.media(hls.path(rendition, segment.uri))
        for part, data in zip(segment.parts, parts):
            [(begin, ticks, sizes)] = mp4_boxes.chunks(data)
            assert sum(ticks) == pytest.approx(part.duration * scale, abs=1.5), "rounded, both ends"
            chunks.append((begin, ticks, sizes))
    assert mp4_boxes.gaps(chunks) == []


def has_complete(playlist, number):
    return playlist if playlist.segments[-1].number >= number else None


# Missing media and streams.

@pytest.mark.parametrize("name", ["0.m4s", "0.0.m4s", "2147483647.m4s", "2147483647.0.m4s", "init-99.mp4",
                                  "x.m4s", "playlist.mpd"])
def test_unknown_media_is_404_at_once(hls, name):
    wait_until(lambda: hls.playlist("auto").first > KEPT, PATIENCE, "segment 0 has gone", 0.2)
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


def test_a_session_belongs_to_its_stream(hls):
    path = hls.paths()["auto"].replace("/live/", "/other/")
    assert hls.media(path)
    init = hls.media(urllib.parse.urljoin(path, "init.mp4"))
    assert mp4_boxes.picture_size(init) == (256, 144)


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
    config = QUICK + f"[server]\ncors_allow = {json.dumps(allowed)}\n"
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


# Sessions.

def events(daemon, what, name):
    """The lines of the log about sessions of the stream `name`."""
    return [line for line in daemon.log().splitlines() if f" {what} " in line
            and f" stream={name} " in line]


def viewers(daemon, name):
    return daemon.metrics().sum("symcast_viewers", stream=name)


class Active:
    """An HLS session that requests playlists, one after the other, and a DASH session that requests the
    time, until they are stopped."""

    def __init__(self, daemon, name):
        self._player = HlsPlayer(daemon, stream=name)
        self._clock = DashPlayer(daemon, stream=name)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(SEGMENT):
            self._player.playlist("auto")
            self._clock.media(self._clock.path("time"))

    def stop(self):
        self._stop.set()
        self._thread.join()


@pytest.fixture(scope="module", autouse=True)
def sessions(quick, records):
    """Begins active sessions and some that send no request any more, so that those have ended when
    the last tests run. Returns the number of viewers of `active`, and a path with the token of each
    session of `ended`."""
    active = Active(quick, "active")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        idle, ended = pool.map(lambda name: DashPlayer(quick, stream=name), ("active", "ended"))
    joined = viewers(quick, "active")
    paths = [ended.path("auto/init.mp4")]
    ended.__exit__()
    with HlsPlayer(quick, stream="ended") as player:
        paths.append(player.path("auto", "init.mp4"))
    yield joined, paths
    active.stop()
    idle.__exit__()  # its connection has stayed open


def test_head_begins_no_session(quick):
    with Player(quick) as player:
        for path, kind in {"/described/index.m3u8": "application/vnd.apple.mpegurl",
                           "/described/manifest.mpd": "application/dash+xml"}.items():
            reply = player.get(path, "HEAD")
            assert (reply.status, reply.body, reply.headers["Content-Type"]) == (200, b"", kind)
    assert viewers(quick, "described") == 0 and not events(quick, "session_began", "described")


def test_a_session_counts_as_a_viewer_until_it_is_idle(quick, sessions):
    assert sessions[0] == 3
    wait_until(lambda: viewers(quick, "active") < 3, PATIENCE, "the idle session's end", 0.5)
    [end] = events(quick, "session_ended", "active")
    assert "format=dash" in end, "the idle one is gone"
    assert float(re.search(r" seconds=([\d.]+)", end)[1]) >= IDLE
    assert viewers(quick, "active") == 2, "the active sessions stay"


def test_a_player_continues_after_its_session_ended(quick, sessions):
    """Its URLs still work after its session has ended, or after the server was restarted."""
    wait_until(lambda: len(events(quick, "session_ended", "ended")) == 2, PATIENCE, "the end", 0.5)
    assert viewers(quick, "ended") == 0
    with Player(quick) as player:
        for path in sessions[1]:
            assert player.media(path)
    wait_until(lambda: len(events(quick, "session_began", "ended")) == 4, PATIENCE,
               "two sessions more in the log")
    began = events(quick, "session_began", "ended")
    assert [re.search(r"format=(\w+)", line)[1] for line in began] == 2 * ["dash", "hls"]
    assert viewers(quick, "ended") == 2


def test_after_a_pause_players_see_no_old_segments(quick, view):
    def closed(m):
        return not m.all("symcast_group_frames_total", stream="paused")

    viewer = view(quick.url("paused"))
    quick.wait_for(lambda m: m.sum("symcast_group_frames_total", stream="paused") > 2 * 10 * SEGMENT,
                   PATIENCE, "a segment is complete")
    viewer.finish()
    metrics = quick.wait_for(closed, PATIENCE, "the encoder has ended")
    ended, frames = time.time(), metrics.sum("symcast_source_frames_total", stream="paused")
    # The source may be behind by up to a second.
    quick.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="paused") > frames + 12,
                   PATIENCE, "time passes without an encoder")
    with HlsPlayer(quick, stream="paused") as player:
        assert player.playlist("auto").all()[0].date.timestamp() > ended - CLOCK


def test_a_session_beyond_max_viewers_is_503(serve, view):
    daemon = serve("--source", SMALL, config=QUICK + "[server]\nmax_viewers = 2\n")
    with HlsPlayer(daemon) as player:
        assert player.media(player.path("auto", player.playlist("auto").segments[-1].uri)), "earns the place"
        viewer = view(daemon.url())
        daemon.wait_for(lambda m: m.sum("symcast_viewers") == 2, PATIENCE, "both are admitted")
        viewer.receive(1)
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
    "AdaptationSet": ["AudioChannelConfiguration", "SupplementalProperty", "ProducerReferenceTime",
                      "Resync", "SegmentTemplate", "Representation"],
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


def test_manifest_stays_the_same(quick):
    """Only its publish time and the session token differ, once the stream is as long as the window."""
    def depth():
        with DashPlayer(quick) as player:
            return seconds(player.mpd.get("timeShiftBufferDepth"))

    wait_until(lambda: depth() > (KEPT - 4) * SEGMENT, PATIENCE, "a whole window", 0.5)
    with DashPlayer(quick) as one, DashPlayer(quick) as other:
        before, after = dict(one.mpd.attrib), dict(other.mpd.attrib)
    assert before.pop("publishTime") <= after.pop("publishTime")
    assert before == after


def test_reloading_the_manifest_keeps_the_session(quick):
    """Players reload it every minimumUpdatePeriod, from its Location."""
    with DashPlayer(quick, stream="reloaded") as player:
        player.media(player.init("auto"))
        location = player.mpd.find(f"{MPD}Location")
        if "minimumUpdatePeriod" in player.mpd.keys():
            path = "/reloaded/manifest.mpd" if location is None else location.text
            player.media(urllib.parse.urljoin("/reloaded/manifest.mpd", path))
        assert len(events(quick, "session_began", "reloaded")) == 1


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

    def available(self, number):
        """Wall time from which it may be requested."""
        return self.start + (number - self.first + 1) * self.length - self.offset

    def captured(self, media_time):
        """Wall time at which that time was captured."""
        return self.start + media_time - self._offset


def coming(dash, numbering, representation):
    """(number, reply) of the segment that begins next. An encoder that is late has not begun it yet."""
    def begun():
        number = numbering.newest(server_time(dash)) + 1
        reply = dash.get(dash.segment(representation, number))
        return reply.status == 200 and (number, reply)

    return wait_until(begun, PATIENCE, "the segment that the clock says is being made")


def test_server_tells_the_time(dash):
    before = time.time()
    told = server_time(dash)
    assert before - CLOCK < told < time.time() + CLOCK


@pytest.mark.parametrize("rendition", ["auto", "audio"])
def test_playlist_manifest_and_clock_agree_on_dates(hls, dash, rendition):
    """PROGRAM-DATE-TIME, availabilityStartTime and /api/v1/time, within a frame."""
    numbering = Numbering(dash, rendition)
    scale = mp4_boxes.timescale(dash.media(dash.init(rendition)))
    segments = hls.playlist(rendition).segments[-3:]
    for segment in segments:
        [(begin, *_), *_] = mp4_boxes.chunks(hls.media(hls.path(rendition, segment.uri)))
        assert abs(segment.date.timestamp() - numbering.captured(begin / scale)) < FRAME
    made = segments[-1].date.timestamp() + segments[-1].duration
    assert made < server_time(dash) + FRAME


@pytest.mark.parametrize("representation", ["auto", "audio"])
def test_segments_begin_where_the_manifest_says(dash, quick, representation):
    numbering = Numbering(dash, representation)
    assert numbering.length == SEGMENT
    scale = mp4_boxes.timescale(dash.media(dash.init(representation)))

    def load():
        """{number: chunks} of three segments that begin after the call."""
        first, reply = coming(dash, numbering, representation)
        found = {first: mp4_boxes.chunks(reply.body)}
        for number in range(first + 1, first + 3):
            found[number] = mp4_boxes.chunks(dash.media(dash.segment(representation, number)))
        return found

    found = undisturbed(load, quick)
    for number, chunks in found.items():
        begin = chunks[0][0] / scale - numbering.media_time(number)
        assert abs(begin) < numbering.length / 2, "DASH-IF's drift of simple addressing"
        assert len(chunks) > 1
    assert mp4_boxes.gaps([chunk for chunks in found.values() for chunk in chunks]) == []


def test_the_whole_window_is_available(dash, quick):
    """It reaches back by timeShiftBufferDepth, or to the beginning of the stream."""
    numbering = Numbering(dash, "auto")
    depth = seconds(dash.mpd.get("timeShiftBufferDepth"))

    def oldest():
        # A segment's availability ends that long after it began (ISO/IEC 23009-1, A.3.2).
        now = server_time(dash) - numbering.start - depth - 2 * numbering.length
        return numbering.first + math.ceil(now / numbering.length)

    def available():
        number = oldest()
        if dash.get(dash.segment("auto", number)).status == 200:
            return True
        assert oldest() > number or pauses(quick), "it may go only when its time is over"
        return False

    wait_until(lambda: oldest() > numbering.newest(numbering.start) + KEPT, PATIENCE, "a window", 0.5)
    wait_until(available, PATIENCE, "the oldest segment")


def test_the_first_viewer_finds_the_segments_that_the_manifest_offers(quick):
    """Nobody has watched before. The first segment is the one at which players start to keep the
    suggested delay."""
    quick.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="fresh") > 3 * SEGMENT * 10,
                   PATIENCE, "frames that nobody watches")
    with DashPlayer(quick, stream="fresh") as player:
        numbering = Numbering(player, "auto")
        late = server_time(player) - seconds(player.mpd.get("suggestedPresentationDelay"))
        first = max(int((late - numbering.start) / SEGMENT), 0) + numbering.first
        for number in range(first, first + 4):
            assert player.media(player.segment("auto", number))


def test_audio_begins_with_the_video(quick):
    """Players wait for the track that begins later. With four frames per second the first frame
    begins a segment even if it is far from the segment's boundary; audio does not."""
    quick.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="slow") > 12, PATIENCE,
                   "a measured rate")
    with HlsPlayer(quick, stream="slow") as player:
        firsts = [player.playlist(rendition).segments[0].number
                  for rendition in ("auto", "audio", "auto")]
    assert firsts == sorted(firsts), "audio begins with the video, unless the window slides"


def sent_chunks(numbering, scale, reply):
    """[(capture of its first frame, of its end, arrival)] of the chunks of a segment, in wall time."""
    chunks = mp4_boxes.chunks(reply.body)
    times = [numbering.captured(chunk[0] / scale) for chunk in chunks]
    times.append(numbering.captured((chunks[-1][0] + sum(chunks[-1][1])) / scale))
    ends = itertools.accumulate(mp4_boxes.chunk_lengths(reply.body))
    received = list(itertools.accumulate(len(piece) for _, piece in reply.arrivals))
    arrivals = [reply.arrivals[bisect.bisect_left(received, end)][0] for end in ends]
    return list(zip(times, times[1:], arrivals))


@pytest.mark.parametrize("representation", ["auto", "audio"])
def test_a_segment_is_sent_while_it_is_made(dash, representation):
    """Each chunk is sent as soon as it is made: before the next one is. On a busy machine that may
    take several attempts."""
    numbering = Numbering(dash, representation)
    scale = mp4_boxes.timescale(dash.media(dash.init(representation)))

    def sent_while_made():
        _, reply = coming(dash, numbering, representation)
        chunks = sent_chunks(numbering, scale, reply)
        for _, end, arrival in chunks:
            assert arrival > end - CLOCK, "no chunk before its end was captured"
        return (reply.headers["Transfer-Encoding"] == "chunked" and len(chunks) == PARTS
                and all(arrival < end for (_, _, arrival), (_, end, _) in zip(chunks, chunks[1:])))

    wait_until(sent_while_made, PATIENCE, "each chunk arrives before the next one exists")


def test_availability_time_offsets_are_true(dash, quick):
    """A segment's first chunk exists when the segment becomes available, or less than a part later: its
    first frame may be captured a frame after its beginning, and on a busy machine frames are missing."""
    numbering = Numbering(dash, "auto")
    scale = mp4_boxes.timescale(dash.media(dash.init("auto")))

    for _ in range(3):
        number, reply = undisturbed(lambda: coming(dash, numbering, "auto"), quick)
        (_, end, _), *_ = sent_chunks(numbering, scale, reply)
        assert -PART < end - numbering.available(number) < PART


# Declared rates and codecs are true.

@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    """(server, its multivariant playlist from directly after the start)."""
    with Daemon("--source", f"live={NOISE}", directory=tmp_path_factory.mktemp("ladder"),
                config=RUNGS) as daemon:
        with HlsPlayer(daemon, "?abr=player") as player:
            yield daemon, player.multivariant


@pytest.fixture(scope="module")
def rungs(ladder):
    return Rungs(ladder[0])


def test_the_declared_rates_of_a_new_source_are_true(ladder):
    """They hold as soon as the source starts."""
    sizes = [variant["RESOLUTION"] for variant in ladder[1].variants]
    assert sizes == ["640x360", "640x360", "480x270", "320x180"]
    check_frame_rates(ladder[1].variants)


def check_frame_rates(variants):
    """All have that of the source, measured over 12 to 32 frames. On a busy machine some are missing."""
    declared = {variant["FRAME-RATE"] for variant in variants}
    assert len(declared) == 1
    assert declared <= {f"{NOISE_RATE * frames / (frames + missing):.3f}"
                        for frames in range(12, 33) for missing in range(frames)}


@pytest.mark.skipif(not shutil.which("ffprobe"), reason="ffprobe is not installed")
def test_declared_rates_and_codecs_are_true(rungs, tmp_path):
    check_frame_rates(rungs.variants)
    assert len({rungs.declared_size(rung) for rung in range(4)}) == 3
    first = rungs.playlist(0).segments[-1].number + 1
    audio = rungs.players[0]
    video_bodies, audio_bodies = [{} for _ in rungs.players], {}

    def enough():
        for rung, bodies in enumerate(video_bodies):
            add_rung_segments(rungs, rung, first, bodies)
        for segment in audio.playlist("audio").segments:
            if segment.number >= first and segment.number not in audio_bodies:
                audio_bodies[segment.number] = audio.media(audio.path("audio", segment.uri))
        return min(map(len, [*video_bodies, audio_bodies])) >= 4

    wait_until(enough, 2 * PATIENCE, "four segments of each rendition", 0.5)
    audio_rates = rates(audio_bodies, audio.media(audio.path("audio", "init.mp4")))
    for rung, (variant, bodies) in enumerate(zip(rungs.variants, video_bodies)):
        init = rungs.players[rung].media(rungs.path(rung, rungs.playlist(rung).segments[-1].init))
        video_rates = rates(bodies, init)
        assert max(video_rates) + max(audio_rates) <= int(variant["BANDWIDTH"])
        assert statistics.mean(video_rates) > 0.9 * TOP_RATE / 2**rung, "the rate was not used up"
        mean = statistics.mean(video_rates) + statistics.mean(audio_rates)
        assert mean <= int(variant["AVERAGE-BANDWIDTH"])
        found = probe(init + b"".join(bodies.values()), tmp_path / f"{rung}.mp4")
        assert (found["width"], found["height"]) == rungs.declared_size(rung)
        assert found["r_frame_rate"] == f"{NOISE_RATE}/1"
        check_codec(variant["CODECS"], found)


def add_rung_segments(rungs, rung, first, bodies):
    """Adds the rung's segments from `first` on that have all their frames, at their declared size:
    on a busy machine frames are missing, and another rung's encoder may have made a segment."""
    player = rungs.players[rung]
    for segment in rungs.playlist(rung).segments:
        if segment.number < first or segment.number in bodies:
            continue
        init = player.media(rungs.path(rung, segment.init))
        body = player.media(rungs.path(rung, segment.uri))
        if mp4_boxes.picture_size(init) == rungs.declared_size(rung) and is_whole(init, body):
            bodies[segment.number] = body


def durations(init, body):
    """Seconds that each frame lasts."""
    scale = mp4_boxes.timescale(init)
    return [ticks / scale for _, chunk, _ in mp4_boxes.chunks(body) for ticks in chunk]


def is_whole(init, body):
    """Whether no frame is missing in a segment. Its last frame is no longer if those behind it are."""
    frames = durations(init, body)
    return len(frames) >= SEGMENT * NOISE_RATE and max(frames) < 1.5 / NOISE_RATE


def rates(bodies, init):
    """bit/s of each segment."""
    return [8 * len(body) / sum(durations(init, body)) for body in bodies.values()]


def probe(media, path):
    """ffprobe's description of the video stream."""
    path.write_bytes(media)
    done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_streams",
                           "-of", "json", path], capture_output=True, timeout=PATIENCE, check=True)
    return json.loads(done.stdout)["streams"][0]


def check_codec(codecs, found):
    """RFC 6381: profile, constraints and level in hexadecimal. The declared ones are upper bounds."""
    video, audio = codecs.split(",")
    profile, level = re.fullmatch(r"avc3\.([0-9a-f]{2})[0-9a-f]{2}([0-9a-f]{2})", video).groups()
    profiles = {"Constrained Baseline": 66, "Main": 77, "High": 100}
    assert profiles[found["profile"]] <= int(profile, 16)
    assert found["level"] <= int(level, 16)
    assert audio == "mp4a.40.2"


def test_a_new_player_begins_at_the_start_rate(ladder, rungs):
    """It does not get the highest rate that exists."""
    wait_until(lambda: all([len(rungs.playlist(rung).segments) >= 4 for rung in range(4)]), PATIENCE,
               "segments")
    with HlsPlayer(ladder[0]) as player:
        oldest = player.playlist("auto").segments[0]
        size = len(player.media(player.path("auto", oldest.uri)))
    assert size * 8 / oldest.duration < 300_000
