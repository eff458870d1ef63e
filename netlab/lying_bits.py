"""Writes MPEG-TS tables and packets, and H.264 parameter sets, that say anything."""

import random
import struct

from netlab.ts_sender import PACKET, pid

__all__ = ["LIES", "PPS", "Bits", "idr", "packets_of", "pat", "pes", "pid", "pmt", "sps", "with_time"]

TIMES = 2 ** 33  # timestamps begin again there (ISO/IEC 13818-1, 2.4.3.7)


def packets_of(stream):
    return [stream[at:at + PACKET] for at in range(0, len(stream) - PACKET + 1, PACKET)]


def crc32_mpeg(data):
    """ISO/IEC 13818-1, annex A."""
    crc = 0xffffffff
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ 0x04c11db7 if crc & 0x80000000 else crc << 1) & 0xffffffff
    return crc


def _address(number):
    """A PID with the three bits before it set, as in tables."""
    return bytes([0xe0 | number >> 8, number & 255])


def _table_packet(number, table, counter):
    table += struct.pack(">I", crc32_mpeg(table))
    return (bytes([0x47, 0x40 | number >> 8, number & 255, 0x10 | counter & 15, 0]) + table).ljust(PACKET, b"\xff")


def pat(pmt_pid, version):
    return _table_packet(0, bytes([0, 0xb0, 13, 0, 1, 0xc1 | (version & 31) << 1, 0, 0, 0, 1]) + _address(pmt_pid),
                         version)


def pmt(pmt_pid, version, tracks, clock_pid):
    """`tracks`: [(stream type, PID)]."""
    body = bytes([0, 1, 0xc1 | (version & 31) << 1, 0, 0]) + _address(clock_pid) + b"\xf0\0"
    body += b"".join(bytes([kind]) + _address(number) + b"\xf0\0" for kind, number in tracks)
    length = len(body) + 4
    return _table_packet(pmt_pid, bytes([2, 0xb0 | length >> 8, length & 255]) + body, version)


def pes(number):
    """A packet of random bytes that says that it begins a picture."""
    head = b"\0\0\1\xe0\0\0\x80\x80\5\x21\0\1\0\1"
    return bytes([0x47, 0x40 | number >> 8, number & 255, 0x10]) + head + random.randbytes(PACKET - 4 - len(head))


def _with_clock(p, change):
    time = p[6] << 25 | p[7] << 17 | p[8] << 9 | p[9] << 1 | p[10] >> 7
    time = change(time) % TIMES
    p[6:11] = bytes([time >> 25 & 255, time >> 17 & 255, time >> 9 & 255, time >> 1 & 255,
                     (time & 1) << 7 | p[10] & 0x7f])


def _stamp(first, time):
    return bytes([first | (time >> 30 & 7) << 1 | 1, time >> 22 & 255, (time >> 15 & 127) << 1 | 1,
                  time >> 7 & 255, (time & 127) << 1 | 1])


def _with_stamps(p, at, change):
    """`at`: the beginning of a PES packet with a PTS."""
    e = at + 9
    time = (p[e] >> 1 & 7) << 30 | p[e + 1] << 22 | p[e + 2] >> 1 << 15 | p[e + 3] << 7 | p[e + 4] >> 1
    time = change(time) % TIMES
    p[e:e + 5] = _stamp(p[e] & 0xf0, time)
    if p[at + 7] & 0x40:
        p[e + 5:e + 10] = _stamp(0x10, time)  # the DTS


def with_time(packet, change):
    """The packet with change(t) for each PCR, PTS and DTS t in it."""
    p = bytearray(packet)
    at, control = 4, p[3] >> 4 & 3
    if control & 2:
        if p[4] >= 7 and p[5] & 0x10:
            _with_clock(p, change)
        at = 5 + p[4]
    begins = p[1] & 0x40 and control & 1 and at < 170 and p[at:at + 3] == b"\0\0\1"
    if begins and p[at + 7] & 0x80:
        _with_stamps(p, at, change)
    return bytes(p)


class Bits:
    """A NAL unit. Methods have the names of the descriptors in ITU-T H.264, 7.2."""

    def __init__(self):
        self._text = ""

    def u(self, bits, value):
        self._text += format(value, f"0{bits}b")
        return self

    def ue(self, *values):
        for value in values:
            digits = format(value + 1, "b")
            self._text += "0" * (len(digits) - 1) + digits
        return self

    def se(self, *values):
        return self.ue(*(2 * v - 1 if v > 0 else -2 * v for v in values))

    def nal(self):
        bits = self._text + "1"
        bits += "0" * (-len(bits) % 8)
        out, zeros = bytearray(), 0
        for byte in int(bits, 2).to_bytes(len(bits) // 8, "big"):
            if zeros >= 2 and byte <= 3:
                out.append(3)
                zeros = 0
            out.append(byte)
            zeros = zeros + 1 if byte == 0 else 0
        return b"\0\0\0\1" + bytes(out)


def sps(width=20, height=12, refs=1, profile=100, level=40, poc=0, crop=None, timing=None, shape=None, cycle=0):
    """A sequence parameter set (7.3.2.1.1); width and height in macroblocks of 16."""
    b = Bits().u(8, 0x67).u(8, profile).u(8, 0).u(8, level).ue(0)
    if profile == 100:
        b.ue(1, 0, 0).u(2, 0)
    b.ue(0, poc)
    if poc == 0:
        b.ue(0)
    if poc == 1:
        b.u(1, 0).se(0, 0).ue(cycle)
        for _ in range(min(cycle, 300)):
            b.se(-(2 ** 31 - 2))
    b.ue(refs).u(1, 0).ue(width - 1, height - 1).u(2, 3)
    b.u(1, 1).ue(*crop) if crop else b.u(1, 0)
    if timing:
        b.u(1, 1).u(4, 0).u(1, 1).u(32, timing[0]).u(32, timing[1]).u(1, 1).u(4, 0)
    elif shape:
        b.u(1, 1).u(1, 1).u(8, 255).u(16, shape[0]).u(16, shape[1]).u(8, 0)
    else:
        b.u(1, 0)
    return b.nal()


PPS = Bits().u(8, 0x68).ue(0, 0).u(2, 0).ue(0, 0, 0).u(3, 0).se(0, 0, 0).u(3, 0).nal()


def idr(number):
    """The head of a picture, and then anything."""
    head = Bits().u(8, 0x65).ue(0, 7, 0).u(4, 0).ue(number).u(4, 0).u(2, 0).se(0).nal()
    return head + random.randbytes(2000).replace(b"\0", b"\1")


LIES = [
    ("16000x16000", sps(1000, 1000)), ("64000x64000", sps(4000, 4000)),
    ("a million wide and high", sps(65536, 65536)), ("16 million", sps(1 << 20, 1 << 20)),
    ("16 reference pictures", sps(refs=16)), ("a million reference pictures", sps(refs=1 << 20)),
    ("a cycle of 255 order counts", sps(poc=1, cycle=255)), ("one of a million", sps(poc=1, cycle=1 << 20)),
    ("cropped to less than nothing", sps(crop=(1000,) * 4)), ("cropped by 2^31", sps(crop=(2 ** 31 - 2,) * 4)),
    ("cropped to nothing", sps(crop=(0, 159, 0, 0))), ("2^31 pictures a second", sps(timing=(1, 2 ** 32 - 1))),
    ("0/0 pictures a second", sps(timing=(0, 0))), ("a picture in 68 years", sps(timing=(2 ** 32 - 1, 1))),
    ("pixels 65535:1", sps(shape=(65535, 1))), ("pixels 1:65535", sps(shape=(1, 65535))),
    ("16x16", sps(1, 1)), ("16x64000", sps(1, 4000)), ("64000x16", sps(4000, 1)),
    ("profile 255", sps(profile=255)), ("level 255", sps(level=255)),
]
