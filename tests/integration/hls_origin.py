"""A live HLS origin that plays pieces again and again, with a discontinuity before each. Its playlists slide
over segments that ffmpeg has cut from clips."""

import dataclasses
import re
import subprocess
import time

from netlab import mp4_boxes
from tests.integration import packed_audio

SEGMENT = 1  # seconds
LISTED = 10  # segments in a playlist: a busy machine may be behind by seven
FIRST = 10  # seconds; muxers move times that would be negative
ENTRY = re.compile(r"#EXTINF:(\S+?),.*\n(\S+)")
# Of each container: the renditions {tracks: kind of segments}.
MUXED, VIDEO, AUDIO = "muxed", "video", "audio"
CONTAINERS = {
    "ts": {MUXED: "mpegts"},
    "fmp4": {MUXED: "fmp4"},
    "ts-ts": {VIDEO: "mpegts", AUDIO: "mpegts"},
    "fmp4-fmp4": {VIDEO: "fmp4", AUDIO: "fmp4"},
    "ts-packed": {VIDEO: "mpegts", AUDIO: "packed"},
    "fmp4-packed": {VIDEO: "fmp4", AUDIO: "packed"},
}
TRACKS = {MUXED: ("-map", "0"), VIDEO: ("-map", "0:v"), AUDIO: ("-map", "0:a")}


@dataclasses.dataclass
class Segment:
    name: str
    seconds: str
    header: str = ""  # the tag of its initialization section
    begins: bool = False  # a piece


def cut(clip, name, tracks, kind, offset):
    """The segments of a clip in MPEG-TS or fMP4, all times later by `offset` seconds. Those of pictures begin with
    keyframes, which may be a little earlier than they should."""
    playlist, init = clip.with_name(f"{name}.m3u8"), clip.with_name(f"{name}-init.mp4")
    by_ffmpeg = offset if kind == "mpegts" else FIRST
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", clip, *TRACKS[tracks], "-c", "copy", "-avoid_negative_ts",
                    "disabled", "-output_ts_offset", str(by_ffmpeg), "-f", "hls", "-hls_time",
                    str(SEGMENT if tracks == AUDIO else SEGMENT - 0.1), "-hls_list_size", "0", "-hls_playlist_type",
                    "vod", "-hls_segment_type", kind, "-hls_fmp4_init_filename", init.name, playlist],
                   check=True, cwd=clip.parent)
    header = f'#EXT-X-MAP:URI="{init.name}"' if kind == "fmp4" else ""
    segments = [Segment(uri, seconds, header) for seconds, uri in ENTRY.findall(playlist.read_text())]
    if len(segments) > 1 and float(segments[-1].seconds) < SEGMENT / 2:  # the audio is longer than the pictures
        last = segments.pop()
        whole = clip.with_name(segments[-1].name)
        whole.write_bytes(whole.read_bytes() + clip.with_name(last.name).read_bytes())
        segments[-1].seconds = f"{float(segments[-1].seconds) + float(last.seconds):.6f}"
    if offset != by_ffmpeg:  # which would write it into the initialization section
        for segment in segments:
            path = clip.with_name(segment.name)
            path.write_bytes(mp4_boxes.later(init.read_bytes(), path.read_bytes(), offset - by_ffmpeg))
    return segments


def shift_of(clip, segments):
    """How much later than in the clip the pictures are in segments that were cut from it."""
    whole = clip.with_name(f"{clip.stem}-whole")
    names = [segments[0].name]
    if segments[0].header:
        names.insert(0, segments[0].header.split('"')[1])
    whole.write_bytes(b"".join(clip.with_name(name).read_bytes() for name in names))
    return packed_audio.first_time(whole, "v") - packed_audio.first_time(clip, "v")


def package(clip, name, container, offset):
    """The segments of each rendition of a clip: {name: [Segment]}."""
    result = {}
    for tracks, kind in CONTAINERS[container].items():
        part = f"{name}-{tracks}"
        if kind == "packed":
            shift = shift_of(clip, result[VIDEO])
            result[tracks] = [Segment(uri, seconds)
                              for uri, seconds in packed_audio.cut(clip, part, shift, SEGMENT)]
        else:
            result[tracks] = cut(clip, part, tracks, kind, offset)
    for segments in result.values():
        segments[0].begins = True
    return result


class Origin:
    """pieces: [{rendition: [Segment]}]. It has played for as long as a playlist when it is constructed."""

    def __init__(self, name, folder, pieces):
        self.name, self._folder = name, folder
        self._tracks = {track: [segment for piece in pieces for segment in piece[track]] for track in pieces[0]}
        self._begin = time.monotonic() - LISTED * SEGMENT

    def restart(self):
        """As an encoder that was started again: counts segments from 0. It has one already."""
        self._begin = time.monotonic() - SEGMENT

    def paths(self):
        """The paths of a MediaServer."""
        files = {segment.name for segments in self._tracks.values() for segment in segments}
        files |= {segment.header.split('"')[1] for segments in self._tracks.values() for segment in segments
                  if segment.header}
        here = {f"/{name}": self._send_file(name) for name in files if (self._folder / name).exists()}
        here |= {f"/{self.name}-{track}-live.m3u8": self._send_playlist(track) for track in self._tracks}
        return here | {f"/{self.name}.m3u8": self._send_main}

    def _send_file(self, name):
        return lambda write: write((self._folder / name).read_bytes())

    def _send_main(self, write):
        if MUXED in self._tracks:
            return self._send_playlist(MUXED)(write)
        return write(('#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",DEFAULT=YES,AUTOSELECT=YES,'
                      f'URI="{self.name}-{AUDIO}-live.m3u8"\n'
                      '#EXT-X-STREAM-INF:BANDWIDTH=500000,AUDIO="a"\n'
                      f"{self.name}-{VIDEO}-live.m3u8\n").encode())

    def _range(self):
        """The numbers of the segments that are listed."""
        end = int((time.monotonic() - self._begin) / SEGMENT)
        return max(0, end - LISTED), end

    def _send_playlist(self, track):
        segments = self._tracks[track]

        def send(write):
            first, end = self._range()
            gone = sum(segments[number % len(segments)].begins for number in range(1, first))
            lines = ["#EXTM3U", "#EXT-X-VERSION:7", f"#EXT-X-TARGETDURATION:{SEGMENT + 1}",
                     f"#EXT-X-MEDIA-SEQUENCE:{first}", f"#EXT-X-DISCONTINUITY-SEQUENCE:{gone}"]
            header = ""
            for number in range(first, end):
                segment = segments[number % len(segments)]
                if number and segment.begins:
                    lines.append("#EXT-X-DISCONTINUITY")
                if segment.header != header:
                    header = segment.header
                    lines.append(header)
                lines += [f"#EXTINF:{segment.seconds},", segment.name]
            write(("\n".join(lines) + "\n").encode())
        return send
