"""HLS over HTTP: playlists are valid and true, and are sent as soon as the part that a player asks
for exists. Parts add up to segments."""

import concurrent.futures
import dataclasses
import time

import pytest

from netlab import mp4_boxes
from netlab.daemon import wait_until
from tests.integration import hls_rules
from tests.integration.quick_segments import CLOCK, KEPT, LIVE, PARTS, SILENT
from tests.integration.segment_requests import (PATIENCE, HlsPlayer, at_once, hinted, pauses,
                                                undisturbed)

# At this rate every other frame is skipped.
HALVED = {"rate.min": "30k", "rate.max": "30k", "rate.start": "30k",
          "scaling.min_bits_per_pixel": 0.55,
          "encoder.keyframe_interval": "1s", "segments.part": "400ms"}
STREAMS = {
    "live": (LIVE, {}),
    **{f"fps{rate}".replace(".", "-"): (f"test:?size=192x108&fps={rate}", SILENT)
       for rate in (24, 25, 29.97, 50)},
    "halved": ("test:?size=192x108&fps=25", HALVED | SILENT),
    "slow": ("test:?size=192x108&fps=4", {}),
}


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


def test_audio_begins_with_the_video(quick):
    """Players wait for the track that begins later. With four frames per second the first frame
    begins a segment even if it is far from the segment's boundary; audio does not."""
    quick.wait_for(lambda m: m.sum("symcast_source_frames_total", stream="slow") > 12, PATIENCE,
                   "a measured rate")
    with HlsPlayer(quick, stream="slow") as player:
        firsts = [player.playlist(rendition).segments[0].number
                  for rendition in ("auto", "audio", "auto")]
    assert firsts == sorted(firsts), "audio begins with the video, unless the window slides"


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


def test_old_parts_are_kept_as_long_as_segments(hls):
    listed = set()

    def parts_of_a_removed_one():
        playlist = hls.playlist("auto")
        removed = [number for number in listed if number < playlist.first]
        listed.update(segment.number for segment in playlist.segments)
        if not removed:
            return None
        parts = all_parts(hls, "auto", max(removed))
        whole = hls.get(hls.path("auto", f"{max(removed)}.m4s"))
        return (parts, whole.body) if whole.status == 200 else None  # it may have gone on a busy machine

    parts, whole = wait_until(parts_of_a_removed_one, PATIENCE, "a removed segment")
    assert b"".join(parts) == whole


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
