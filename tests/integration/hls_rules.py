"""Rules that HLS players rely on: parses playlists strictly, and checks them against RFC 8216 and its
second edition (draft-pantos-hls-rfc8216bis, here "bis") where that is possible from outside."""

import dataclasses
import datetime
import re

DECIMAL = r"\d+(\.\d+)?"
INTEGER = r"\d{1,20}"
QUOTED = r'"[^"\r\n]*"'
NONE = r"NONE"
YES = r"YES"

# Patterns for the attributes of each tag; attributes with a * are required.
ATTRIBUTES = {
    "EXT-X-SERVER-CONTROL": {"CAN-BLOCK-RELOAD": YES, "PART-HOLD-BACK": DECIMAL,
                             "HOLD-BACK": DECIMAL},
    "EXT-X-PART-INF": {"PART-TARGET*": DECIMAL},
    "EXT-X-MAP": {"URI*": QUOTED},
    "EXT-X-PART": {"DURATION*": DECIMAL, "URI*": QUOTED, "INDEPENDENT": YES},
    "EXT-X-PRELOAD-HINT": {"TYPE*": r"PART|MAP", "URI*": QUOTED},
    "EXT-X-RENDITION-REPORT": {"URI*": QUOTED, "LAST-MSN*": INTEGER, "LAST-PART": INTEGER},
    "EXT-X-MEDIA": {"TYPE*": r"AUDIO", "GROUP-ID*": QUOTED, "NAME*": QUOTED, "DEFAULT": r"YES|NO",
                    "AUTOSELECT": r"YES|NO", "CHANNELS": QUOTED, "URI": QUOTED},
    "EXT-X-STREAM-INF": {"BANDWIDTH*": INTEGER, "AVERAGE-BANDWIDTH": INTEGER, "CODECS*": QUOTED,
                         "RESOLUTION*": r"\d+x\d+", "FRAME-RATE": DECIMAL, "AUDIO": QUOTED,
                         "VIDEO-RANGE": r"SDR",
                         "CLOSED-CAPTIONS": NONE},
}
NUMBERS = {"EXT-X-VERSION", "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE",
           "EXT-X-DISCONTINUITY-SEQUENCE"}
FLAGS = {"EXT-X-INDEPENDENT-SEGMENTS", "EXT-X-DISCONTINUITY"}
ATTRIBUTE = re.compile(r'([A-Z0-9-]+)=("[^"\r\n]*"|[^",\s]+)(?:,|$)')

# Share of the target that a part lasts, unless it is independent or the last one (bis 4.4.4.9).
LEAST_OF_PART = 0.85
ROUNDED = 0.002  # seconds: dates are cut to milliseconds, durations to microseconds


class Malformed(AssertionError):
    """The text is not a playlist."""


@dataclasses.dataclass
class Part:
    uri: str
    duration: float
    independent: bool


@dataclasses.dataclass
class Segment:
    """A segment; the last one of a playlist may be incomplete, and then has no URI."""

    number: int
    date: datetime.datetime = None
    init: str = None
    discontinuity: bool = False
    parts: list = dataclasses.field(default_factory=list)
    duration: float = None
    uri: str = None

    def begun(self):
        return bool(self.parts or self.discontinuity or self.date)

    def part_end(self, index):
        """Time at which a part was completely captured, in seconds since 1970."""
        return self.date.timestamp() + sum(part.duration for part in self.parts[:index + 1])


def attributes(tag, text):
    """{name: value}, without quotes, for a tag whose attributes are known."""
    found, position = {}, 0
    while position < len(text):
        match = ATTRIBUTE.match(text, position)
        if not match or match[1] in found:
            raise Malformed(f"{tag}: {text[position:]!r}")
        found[match[1]] = match[2]
        position = match.end()
    check_attributes(tag, found)
    return {name: value.strip('"') for name, value in found.items()}


def check_attributes(tag, found):
    known = {name.rstrip("*"): shape for name, shape in ATTRIBUTES[tag].items()}
    for name, value in found.items():
        if name not in known or not re.fullmatch(known[name], value):
            raise Malformed(f"{tag}: {name}={value}")
    missing = {name[:-1] for name in ATTRIBUTES[tag] if name.endswith("*")} - found.keys()
    if missing:
        raise Malformed(f"{tag} is missing {missing}")


def lines_of(text):
    """[(tag or None, rest of the line)]; a line without a tag is a URI."""
    lines = text.split("\n")
    if lines[0] != "#EXTM3U" or lines[-1] != "" or "\r" in text:
        raise Malformed("a playlist has to begin with #EXTM3U and to end with a newline")
    return [split_line(line) for line in lines[1:-1]]


def split_line(line):
    if not line.strip():
        raise Malformed("an empty line")
    if not line.startswith("#"):
        return None, line
    tag, _, value = line[1:].partition(":")
    if tag in ATTRIBUTES:
        return tag, attributes(tag, value)
    if tag in NUMBERS:
        return tag, as_number(tag, value)
    if tag in FLAGS and not value:
        return tag, None
    if tag in ("EXTINF", "EXT-X-PROGRAM-DATE-TIME"):
        return tag, value
    raise Malformed(f"an unknown tag: {line}")


def as_number(tag, value):
    if not re.fullmatch(INTEGER, value):
        raise Malformed(f"{tag}:{value}")
    return int(value)


class Playlist:
    """Common to both kinds of playlist. `once`: {tag: value} of tags that may occur only once."""

    def __init__(self, text):
        self.once = {}
        for tag, value in lines_of(text):
            self.take(tag, value)

    def take_once(self, tag, value):
        if tag in self.once:
            raise Malformed(f"{tag} occurs twice")
        self.once[tag] = value


class MultivariantPlaylist(Playlist):
    """`variants` and `media` hold attributes; a variant's URI is under "URI"."""

    def __init__(self, text):
        self.variants = []
        self.media = []
        self._pending = None
        super().__init__(text)

    def take(self, tag, value):
        if (tag is None) != (self._pending is not None):
            raise Malformed("a URI has to follow EXT-X-STREAM-INF, and may stand nowhere else")
        if tag is None:
            self.variants.append({**self._pending, "URI": value})
            self._pending = None
        elif tag == "EXT-X-STREAM-INF":
            self._pending = value
        elif tag == "EXT-X-MEDIA":
            self.media.append(value)
        else:
            self.take_once(tag, value)

    def uris(self):
        """The URIs of all media playlists."""
        return [item["URI"] for item in self.variants + self.media]

    def violations(self):
        groups = {item["GROUP-ID"] for item in self.media}
        wrong = []
        if not self.variants:
            wrong.append("no variant")
        if "EXT-X-INDEPENDENT-SEGMENTS" not in self.once:
            wrong.append("EXT-X-INDEPENDENT-SEGMENTS is missing")
        for variant in self.variants:
            if int(variant["BANDWIDTH"]) < int(variant.get("AVERAGE-BANDWIDTH", 0)):
                wrong.append(f"peak rate below the average: {variant}")
            if "AUDIO" in variant and variant["AUDIO"] not in groups:
                wrong.append(f"no such audio rendition: {variant}")
        return wrong


class MediaPlaylist(Playlist):
    """`segments` are complete; `open` is the incomplete one at the end, or None."""

    def __init__(self, text):
        self.text = text
        self.segments = []
        self.hints = []
        self.reports = []
        self._next = None  # the segment being parsed
        self._init = None
        super().__init__(text)
        self.open = self._next if self._next and self._next.begun() else None
        self.target = self.once.get("EXT-X-TARGETDURATION")
        self.control = self.once.get("EXT-X-SERVER-CONTROL", {})
        self.part_target = float(self.once.get("EXT-X-PART-INF", {}).get("PART-TARGET", 0))
        self.first = self.once.get("EXT-X-MEDIA-SEQUENCE", 0)

    def take(self, tag, value):
        if tag is None:
            self._end_segment(value)
        elif tag in ("EXTINF", "EXT-X-PROGRAM-DATE-TIME", "EXT-X-DISCONTINUITY", "EXT-X-MAP",
                     "EXT-X-PART"):
            self._take_of_segment(tag, value)
        elif tag == "EXT-X-PRELOAD-HINT":
            self.hints.append(value)
        elif tag == "EXT-X-RENDITION-REPORT":
            self.reports.append(value)
        elif self._next:
            raise Malformed(f"{tag} is not allowed among the segments")
        else:
            self.take_once(tag, value)

    def _take_of_segment(self, tag, value):
        if not self._next:
            self._next = Segment(self.once.get("EXT-X-MEDIA-SEQUENCE", 0))
        segment = self._next
        if tag == "EXT-X-PART":
            segment.init = self._init
            segment.parts.append(Part(value["URI"], float(value["DURATION"]),
                                      "INDEPENDENT" in value))
        elif tag == "EXTINF":
            segment.init = self._init
            segment.duration = duration_of(value)
        elif segment.parts:
            raise Malformed(f"{tag} follows a part of its segment")
        elif tag == "EXT-X-MAP":
            self._init = value["URI"]
        elif tag == "EXT-X-DISCONTINUITY":
            segment.discontinuity = True
        else:
            segment.date = date_of(value)

    def _end_segment(self, uri):
        if not self._next or self._next.duration is None:
            raise Malformed(f"{uri} has no EXTINF")
        self._next.uri = uri
        self.segments.append(self._next)
        self._next = Segment(self._next.number + 1)

    def all(self):
        """All segments, including the incomplete one."""
        return self.segments + ([self.open] if self.open else [])

    def last_part(self):
        """(segment, index) of the newest part."""
        segment = next(segment for segment in reversed(self.all()) if segment.parts)
        return segment, len(segment.parts) - 1

    def violations(self, others=(), uneven=()):
        """`others`: URIs of the presentation's other media playlists, relative to this one. `uneven`:
        URIs of parts in which frames are missing, so that they may have any length."""
        return [*self._head_violations(), *self._segment_violations(), *self._date_violations(),
                *self._part_violations(uneven), *self._edge_violations(set(others))]

    def _head_violations(self):
        if not self.target:
            return ["no EXT-X-TARGETDURATION"]
        wrong = []
        if self.once.get("EXT-X-VERSION", 1) < 6:
            wrong.append("EXT-X-MAP needs version 6 (bis 8)")
        if self.control.get("CAN-BLOCK-RELOAD") != "YES":
            wrong.append("CAN-BLOCK-RELOAD is missing (bis B.1)")
        if float(self.control.get("HOLD-BACK", 3 * self.target)) < 3 * self.target:
            wrong.append("HOLD-BACK is below three target durations (bis 4.4.3.8)")
        # Two are a MUST. Three are a SHOULD, which Apple's authoring specification makes a MUST (14.3).
        if float(self.control.get("PART-HOLD-BACK", 0)) < round(3 * self.part_target, 6):
            wrong.append("PART-HOLD-BACK is below three part targets (bis 4.4.3.8)")
        return wrong

    def _segment_violations(self):
        wrong = []
        if sum(segment.duration for segment in self.segments) > 3600:
            wrong.append("segments of more than an hour are listed")
        for segment in self.segments:
            if int(segment.duration + 0.5) > self.target:
                wrong.append(f"{segment.uri} lasts {segment.duration} s, longer than the target")
        for segment in self.all():
            if not segment.init:
                wrong.append(f"{segment.number} has no EXT-X-MAP")
        uris = [segment.uri for segment in self.segments]
        uris += [part.uri for segment in self.all() for part in segment.parts]
        if len(set(uris)) != len(uris):
            wrong.append("a URI occurs twice")
        return wrong

    def _date_violations(self):
        """Each segment has a date (bis B.1), and begins when the one before it ends."""
        wrong = [f"{segment.number} has no date" for segment in self.all() if not segment.date]
        for before, after in zip(self.all(), self.all()[1:]):
            if wrong or after.discontinuity:
                continue
            gap = after.date.timestamp() - before.date.timestamp() - before.duration
            if abs(gap) > ROUNDED:
                wrong.append(f"{gap:.3f} s between {before.number} and {after.number}")
        return wrong

    def _part_violations(self, uneven):
        wrong = []
        for segment in self.all():
            complete = segment.uri is not None
            for index, part in enumerate(segment.parts):
                last = complete and index + 1 == len(segment.parts)
                least = 0 if last or part.independent else LEAST_OF_PART * self.part_target
                even = part.uri not in uneven
                if even and not least <= part.duration <= self.part_target:
                    wrong.append(f"{part.uri} lasts {part.duration} s, target {self.part_target}")
            if segment.parts and not segment.parts[0].independent:
                wrong.append(f"{segment.parts[0].uri} is not independent")
            whole = sum(part.duration for part in segment.parts)
            if complete and segment.parts and abs(whole - segment.duration) > ROUNDED:
                wrong.append(f"the parts of {segment.uri} add up to {whole} s")
        return wrong + self._listed_violations()

    def _listed_violations(self):
        """Parts are listed for the last three target durations, and no longer (bis 6.2.2)."""
        wrong = []
        behind = sum(part.duration for part in self.open.parts) if self.open else 0
        for segment in reversed(self.segments):
            behind += segment.duration
            if segment.parts and behind > 4 * self.target + self.part_target:
                wrong.append(f"{segment.uri} is {behind:.1f} s old, and still has parts")
            if not segment.parts and behind <= 3 * self.target:
                wrong.append(f"{segment.uri} is {behind:.1f} s old, and has no parts")
        return wrong

    def _edge_violations(self, others):
        wrong = []
        listed = {part.uri for segment in self.all() for part in segment.parts}
        if [hint["TYPE"] for hint in self.hints] != ["PART"]:
            wrong.append(f"there has to be one hint, for a part: {self.hints}")
        elif self.hints[0]["URI"] in listed:
            wrong.append("the hint names a part that already exists")
        told = [report["URI"] for report in self.reports]
        if sorted(told) != sorted(others):
            wrong.append(f"reports on {told} instead of {sorted(others)} (bis B.1)")
        if any("LAST-PART" not in report for report in self.reports):
            wrong.append("a report has no LAST-PART (bis 4.4.5.4)")
        return wrong

    def violations_since(self, before):
        """Changes that a later playlist may not make (bis 6.2.1, 6.2.2)."""
        wrong = []
        for tag in ("EXT-X-TARGETDURATION", "EXT-X-VERSION", "EXT-X-PART-INF"):
            if self.once.get(tag) != before.once.get(tag):
                wrong.append(f"{tag} has changed")
        if self.first < before.first:
            wrong.append("EXT-X-MEDIA-SEQUENCE has gone down")
        if self.all()[-1].number < before.all()[-1].number:
            wrong.append("the last segment is older than before")
        known = {segment.number: segment for segment in self.all()}
        for old in before.all():
            if old.number >= self.first:
                wrong += changes(old, known.get(old.number))
        return wrong


def changes(old, new):
    if new is None:
        return [f"{old.number} is missing in the middle"]
    wrong = []
    if (old.date, old.init, old.discontinuity) != (new.date, new.init, new.discontinuity):
        wrong.append(f"{old.number} has changed its tags: {old}, {new}")
    if old.uri and (old.uri, old.duration) != (new.uri, new.duration):
        wrong.append(f"{old.number} has changed: {old}, {new}")
    if new.parts and new.parts[:len(old.parts)] != old.parts:
        wrong.append(f"{old.number} has other parts: {old}, {new}")
    return wrong


def duration_of(text):
    match = re.fullmatch(rf"({DECIMAL}),.*", text)
    if not match:
        raise Malformed(f"EXTINF:{text}")
    return float(match[1])


def date_of(text):
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text):
        raise Malformed(f"EXT-X-PROGRAM-DATE-TIME:{text}")
    return datetime.datetime.fromisoformat(text)
