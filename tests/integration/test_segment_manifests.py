"""DASH over HTTP: manifests are valid and true. Segments begin where they say, and are sent as they
are made."""

import bisect
import datetime
import itertools
import math
import re
import time

import pytest

from netlab import mp4_boxes
from netlab.daemon import wait_until
from tests.integration.quick_segments import CLOCK, KEPT, LIVE, PART, PARTS, SEGMENT, SILENT, TINY
from tests.integration.segment_requests import MPD, PATIENCE, DashPlayer, pauses, undisturbed

STREAMS = {"live": (LIVE, {}), "fresh": (TINY, SILENT)}
FRAME = 1 / 30  # seconds

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
    # A busy encoder may leave out most of one.
    assert any(len(chunks) > 1 for chunks in found.values())
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
