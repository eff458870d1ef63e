"""Fragmented MP4 as players see it: reads an initialization section and its chunks."""

import itertools
import struct


def boxes(data):
    """[(kind, payload)] of the boxes that make up `data`."""
    found, at = [], 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        assert 8 <= size <= len(data) - at, f"a box of {size} bytes in {len(data) - at}"
        found.append((kind, data[at + 8:at + size]))
        at += size
    return found


def find(data, *path):
    """The payload of the first box at that path."""
    for kind in path:
        data = next(payload for have, payload in boxes(data) if have == kind)
    return data


def picture_size(init):
    """(width, height) from the sample entry."""
    table = find(init, b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd")
    [(kind, entry)] = boxes(table[8:])
    assert kind == b"avc3", kind
    return struct.unpack_from(">HH", entry, 24)


def timescale(init):
    header = find(init, b"moov", b"trak", b"mdia", b"mdhd")
    return struct.unpack_from(">I", header, 20 if header[0] else 12)[0]


def chunks(data):
    """[(begin, durations, sizes)] of each moof and mdat, in the track's timescale."""
    pairs = [(kind, payload) for kind, payload in boxes(data) if kind in (b"moof", b"mdat")]
    assert [kind for kind, _ in pairs] == [b"moof", b"mdat"] * (len(pairs) // 2)
    found = []
    for (_, head), (_, samples) in zip(pairs[::2], pairs[1::2]):
        begin, durations, sizes = chunk(head)
        assert sum(sizes) == len(samples), "mdat has bytes that belong to no sample"
        found.append((begin, durations, sizes))
    return found


def times(data):
    """The decoding time of each frame, in the track's timescale."""
    return [time for begin, durations, _ in chunks(data)
            for time in itertools.accumulate(durations[:-1], initial=begin)]


def chunk_lengths(data):
    """Bytes of each moof and mdat, with the boxes before them."""
    lengths = [0]
    for kind, payload in boxes(data):
        lengths[-1] += 8 + len(payload)
        if kind == b"mdat":
            lengths.append(0)
    return lengths[:-1]


def chunk(moof):
    begin, run = find(moof, b"traf", b"tfdt"), find(moof, b"traf", b"trun")
    flags, count = struct.unpack_from(">II", run)
    assert flags & 0xffffff == 0x701, "each sample needs a duration, a size and flags"
    samples = list(struct.iter_unpack(">III", run[12:]))
    assert len(samples) == count
    return (struct.unpack_from(">Q" if begin[0] else ">I", begin, 4)[0],
            [duration for duration, _, _ in samples], [size for _, size, _ in samples])


def gaps(chunk_list):
    """[(index, ticks)] of chunks that do not begin where the one before them ends."""
    ends = [begin + sum(durations) for begin, durations, _ in chunk_list]
    return [(index, begin - end) for index, ((begin, _, _), end) in
            enumerate(zip(chunk_list[1:], ends), 1) if begin != end]


def later(init, segment, seconds):
    """The segment with the decoding times of all fragments later by `seconds`."""
    scales = {}
    for kind, track in boxes(find(init, b"moov")):
        if kind == b"trak":
            number = struct.unpack_from(">I", find(track, b"tkhd"), 12)[0]
            header = find(track, b"mdia", b"mdhd")
            scales[number] = struct.unpack_from(">I", header, 20 if header[0] else 12)[0]
    result = bytearray(segment)
    at = 0
    for kind, payload in boxes(segment):
        if kind == b"moof":
            move_fragment(result, at + 8, payload, scales, seconds)
        at += 8 + len(payload)
    return bytes(result)


def move_fragment(result, at, moof, scales, seconds):
    """`at`: where the payload `moof` is in `result`."""
    for kind, payload in boxes(moof):
        if kind == b"traf":
            track = struct.unpack_from(">I", find(payload, b"tfhd"), 4)[0]
            place = at + 8
            for inner, content in boxes(payload):
                if inner == b"tfdt":
                    assert content[0] == 1, "times have 32 bits"
                    time = struct.unpack_from(">Q", content, 4)[0] + round(seconds * scales[track])
                    struct.pack_into(">Q", result, place + 12, time)
                place += 8 + len(content)
        at += 8 + len(payload)
