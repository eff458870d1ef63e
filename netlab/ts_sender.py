"""Sends an MPEG-TS file by UDP, frame by frame: in real time, in bursts, with timestamps that wobble."""

import random
import socket
import threading
import time

PACKET = 188
VIDEO_PID, AUDIO_PID = 0x100, 0x101  # the first PIDs of ffmpeg's muxer, and of the server's
CLOCK = 90_000  # ticks per second (ISO/IEC 13818-1, 2.4.3.6)
DATAGRAM = 7 * PACKET


def pid(packet):
    return (packet[1] & 0x1F) << 8 | packet[2]


def begins_unit(packet):
    return bool(packet[1] & 0x40)


def payload(packet):
    """The offset of the payload: after the adaptation field, if there is one."""
    return 5 + packet[4] if packet[3] & 0x20 else 4


def frames(stream):
    """The bytes of each frame, from the packet with its beginning to the next frame's."""
    packets = [bytearray(stream[at:at + PACKET]) for at in range(0, len(stream), PACKET)]
    starts = [i for i, packet in enumerate(packets)
              if pid(packet) == VIDEO_PID and begins_unit(packet)]
    starts[0] = 0  # with the tables
    return [packets[a:b] for a, b in zip(starts, [*starts[1:], len(packets)])]


def timestamp(packet):
    """The PTS at the beginning of a PES packet, in ticks (2.4.3.6): three parts with marker bits."""
    at = payload(packet) + 9
    pts = (packet[at] >> 1 & 7) << 30 | packet[at + 1] << 22 | (packet[at + 2] >> 1) << 15
    return pts | packet[at + 3] << 7 | packet[at + 4] >> 1


def shift(frame, ticks):
    """Adds `ticks` to the PTS of a frame that has no DTS."""
    packet = next(p for p in frame if pid(p) == VIDEO_PID and begins_unit(p))
    at = payload(packet) + 9
    assert packet[at - 2] >> 6 == 2, "the frame has a DTS; encode without B-frames"
    pts = timestamp(packet) + ticks
    packet[at:at + 5] = bytes([0x21 | pts >> 29 & 0x0E, pts >> 22 & 0xFF, pts >> 14 & 0xFE | 1,
                               pts >> 7 & 0xFF, pts << 1 & 0xFE | 1])


class TsSender:
    """Sends the frames of `path`, which has `rate` of them per second and no B-frames, to a port of this
    machine, on a thread. `burst`: how many frames leave at a time. `wobble`: seconds by which timestamps
    are off, either way, at random but the same each time."""

    def __init__(self, path, port, rate, burst=1, wobble=0.0):
        self._frames = frames(path.read_bytes())
        dice = random.Random(1)
        for frame in self._frames:
            shift(frame, round(CLOCK * dice.uniform(-wobble, wobble)))
        self._address = ("127.0.0.1", port)
        self._rate, self._burst = rate, burst
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        self._thread.join()

    def _run(self):
        begin = time.monotonic()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            for first in range(0, len(self._frames), self._burst):
                due = begin + first / self._rate
                if self._ending.wait(max(0, due - time.monotonic())):
                    return
                data = b"".join(packet for frame in self._frames[first:first + self._burst]
                                for packet in frame)
                for at in range(0, len(data), DATAGRAM):
                    out.sendto(data[at:at + DATAGRAM], self._address)
