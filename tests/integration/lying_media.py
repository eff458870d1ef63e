"""Media that say what is not true, or send what nobody needs: pictures, H.264 and MPEG-TS, made byte by byte."""

import random
import struct
import zlib

from netlab import lying_bits
from netlab.lying_bits import PPS, Bits, pat, pmt


def png(width, height):
    """The beginning of a grey picture: its size, and some rows."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = zlib.compress(bytes((1 + width) * 64), 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def resized_jpeg(jpeg, width, height):
    """The picture with another size in its header, which it lacks the data for."""
    at = jpeg.find(b"\xff\xc0")
    return jpeg[:at + 5] + struct.pack(">HH", height, width) + jpeg[at + 9:]


def sps(width, height, cut=None):
    """A sequence parameter set of H.264 High. `cut` is the size within it that is shown."""
    crop = (0, (width - cut[0]) // 2, 0, (height - cut[1]) // 2) if cut else None
    return lying_bits.sps(width // 16, height // 16, level=62, crop=crop)


def keyframe(number=0):
    """The beginning of an IDR picture, and noise."""
    noise = bytes(byte or 1 for byte in random.Random(number).randbytes(2000))
    return Bits().u(8, 0x65).ue(0, 7, 0).u(4, 0).ue(number % 2).u(4, 0).u(2, 0).ue(0).nal() + noise


MAP_PID = 0x1000


def tables(tracks, version=0):
    """PAT and PMT of one programme. `tracks` are (stream type, PID); the first has the clock."""
    return pat(MAP_PID, version) + pmt(MAP_PID, version, tracks, tracks[0][1])


def with_pid(packet, pid):
    return bytes([0x47, packet[1] & 0xe0 | pid >> 8, pid & 255]) + packet[3:]


def pes_packets(pid, stream_id, payload, pts, counter=0):
    """The packets of one PES packet with a clock, and its time in 90 kHz."""
    def stamp(value, first):
        return bytes([first << 4 | (value >> 30 & 7) << 1 | 1, value >> 22 & 255, (value >> 15 & 127) << 1 | 1,
                      value >> 7 & 255, (value & 127) << 1 | 1])

    data = b"\0\0\1" + bytes([stream_id, 0, 0, 0x84, 0x80, 5]) + stamp(pts, 2) + payload
    clock = pts - 9000
    field = bytes([0x10, clock >> 25 & 255, clock >> 17 & 255, clock >> 9 & 255, clock >> 1 & 255,
                   (clock & 1) << 7 | 0x7e, 0])
    out, first = b"", True
    while data:
        adaptation = field if first else b""
        room = 184 - (1 + len(adaptation) if adaptation else 0)
        part, data = data[:room], data[room:]
        fill = room - len(part)
        if fill and not adaptation:
            adaptation = b"" if fill == 1 else b"\0"
            fill -= 1 + len(adaptation)
            head = bytes([len(adaptation) + fill]) + adaptation + b"\xff" * fill
        elif adaptation:
            head = bytes([len(adaptation) + fill]) + adaptation + b"\xff" * fill
        else:
            head = b""
        control = 0x30 if head else 0x10
        out += bytes([0x47, (0x40 if first else 0) | pid >> 8, pid & 255, control | counter & 15]) + head + part
        counter, first = counter + 1, False
    return out


def video_stream(parameter_sets, pictures=50, pid=0x100):
    """A transport stream of H.264 with the parameter sets in turn, at 25 pictures per second."""
    out, counter = tables([(0x1b, pid)]), 0
    for number in range(pictures):
        unit = parameter_sets[number % len(parameter_sets)] + PPS + keyframe(number)
        packets = pes_packets(pid, 0xe0, unit, 90000 + 3600 * number, counter)
        counter += len(packets) // 188
        out += packets
    return out
