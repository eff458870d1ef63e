"""Packed audio of HLS: segments of ADTS with an ID3 tag that says their time (RFC 8216, 3.4)."""

import itertools
import struct
import subprocess

OWNER = b"com.apple.streaming.transportStreamTimestamp\0"
FRAME = 1024 / 48000  # seconds
SEGMENT_FRAMES = 94
RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050]  # by their index in ADTS


def adts_frames(data):
    """The frames of AAC in ADTS, with their headers."""
    result = []
    while data:
        size = (data[3] & 3) << 11 | data[4] << 3 | data[5] >> 5
        result.append(data[:size])
        data = data[size:]
    return result


def tag(seconds):
    """An ID3 tag of version 2.4 with one frame. Its sizes are below 128, so that they look the same in
    seven bits per byte."""
    content = OWNER + (round(seconds * 90000) % 2**33).to_bytes(8, "big")
    frame = b"PRIV" + struct.pack(">IH", len(content), 0) + content
    return b"ID3\4\0\0" + struct.pack(">I", len(frame)) + frame


def first_time(path, track):
    text = subprocess.run(["ffprobe", "-v", "error", "-select_streams", track, "-show_entries",
                           "packet=pts_time", "-of", "csv=p=0", path], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    return min(float(line.strip(",")) for line in text.split())


def frames_of(clip):
    data = subprocess.run(["ffmpeg", "-v", "error", "-i", clip, "-map", "0:a", "-c", "copy", "-f", "adts", "-"],
                          check=True, stdout=subprocess.PIPE).stdout
    return adts_frames(data)


def cut(clip, name, shift, seconds):
    """Writes the clip's AAC as packed audio beside it, its times later by `shift` seconds, in segments of about
    `seconds`. Returns [(file name, duration)]."""
    frames, begin, result = frames_of(clip), first_time(clip, "a") + shift, []
    frame = 1024 / RATES[frames[0][2] >> 2 & 15]
    count = round(len(frames) * frame / seconds)
    borders = [round(number * seconds / frame) for number in range(count)] + [len(frames)]
    for number, (first, end) in enumerate(itertools.pairwise(borders)):
        segment = clip.with_name(f"{name}-{number}.aac")
        segment.write_bytes(tag(begin + first * frame) + b"".join(frames[first:end]))
        result.append((segment.name, f"{(end - first) * frame:.6f}"))
    return result


def write_playlist(path, clip, shift):
    """Writes the clip's AAC as packed audio, its times later by `shift` seconds."""
    frames, begin = frames_of(clip), first_time(clip, "a") + shift
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:3", "#EXT-X-PLAYLIST-TYPE:VOD"]
    for at in range(0, len(frames), SEGMENT_FRAMES):
        segment = path.with_name(f"{path.stem}-{at}.aac")
        segment.write_bytes(tag(begin + at * FRAME) + b"".join(frames[at:at + SEGMENT_FRAMES]))
        lines += [f"#EXTINF:{len(frames[at:at + SEGMENT_FRAMES]) * FRAME:.3f},", segment.name]
    path.write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))
