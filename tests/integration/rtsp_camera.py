"""An RTSP camera (RFC 2326) whose every statement about time can be chosen: H.264, and AAC or G.711, as RTP
over UDP or interleaved. One client at a time. Media time counts from PLAY, and both tracks share it."""

import contextlib
import heapq
import itertools
import pathlib
import random
import re
import socket
import struct
import subprocess
import threading
import time
from dataclasses import dataclass, field

from tests.integration import flash_and_beep
from tests.integration.packed_audio import adts_frames

REPORT_INTERVAL = 1  # second; cameras often take 5
PERIOD = 8  # seconds of media, which repeat. Both AAC frames and keyframes fit.
MOST_BYTES = 1200  # of a payload
ADTS_HEADER = 7
NTP_OF_UNIX = 2208988800  # RFC 5905, figure 4


@dataclass
class Packet:
    """A picture or audio frame: the payloads of its RTP packets."""
    time: float  # of the media, in seconds
    payloads: list[bytes]


@dataclass
class Track:
    format: int  # RTP payload type
    rate: int  # RTP ticks per second
    description: str  # lines of the SDP
    packets: list[Packet]  # of one period
    ssrc: int = field(default_factory=lambda: random.getrandbits(32))
    base: int = field(default_factory=lambda: random.getrandbits(32))  # RTP time of media time 0
    sequence: int = field(default_factory=lambda: random.getrandbits(15))

    def rtp_time(self, seconds):
        return (self.base + round(seconds * self.rate)) % 2**32


@dataclass
class Habits:
    """A camera's statements about time, and their moments. In seconds."""
    udp: bool = False
    codec: str = "pcmu"  # or aac
    audio_begins: float = 0.0  # the first audio after the first picture
    picture_delay: float = 0.0  # how long pictures take to the network
    audio_delay: float = 0.0
    burst: float = 0.0  # pictures from before PLAY that are sent at once
    rtp_info: str = "none"  # or true; first: each track's own first packet; zero; late: audio 0.2 s off
    reports: str = "none"  # or at once; later: from allow_reports() on
    ntp_apart: float = 0.0  # audio's NTP clock less that of the pictures
    named: bool = True  # reports with a CNAME


def annex_b(path):
    return subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-bsf:v",
                           "h264_mp4toannexb,h264_metadata=aud=insert", "-f", "h264", "-"], check=True,
                          stdout=subprocess.PIPE).stdout


def picture_payloads(units):
    """RFC 6184, 5.6 and 5.8."""
    result = []
    for unit in units:
        if len(unit) <= MOST_BYTES:
            result.append(unit)
            continue
        pieces = [unit[at:at + MOST_BYTES] for at in range(1, len(unit), MOST_BYTES)]
        for number, piece in enumerate(pieces):
            flags = 0x80 * (number == 0) | 0x40 * (number == len(pieces) - 1)
            result.append(bytes([unit[0] & 0x60 | 28, flags | unit[0] & 0x1f]) + piece)
    return result


def picture_track(clip):
    units = re.split(rb"\x00\x00\x00?\x01", annex_b(clip))[1:]
    pictures = []
    for unit in units:
        if unit[0] & 0x1f == 9:  # an access unit delimiter begins a picture
            pictures.append([])
        else:
            pictures[-1].append(unit)
    count = PERIOD * flash_and_beep.RATE
    return Track(96, 90000, "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\n",
                 [Packet(n / flash_and_beep.RATE, picture_payloads(units)) for n, units in
                  enumerate(pictures[:count])])


def encoded_audio(clip, *options):
    return subprocess.run(["ffmpeg", "-v", "error", "-i", clip, "-map", "0:a", *options, "-"], check=True,
                          stdout=subprocess.PIPE).stdout


def pcmu_track(clip):
    data, size = encoded_audio(clip, "-ar", "8000", "-ac", "1", "-f", "mulaw"), 160
    return Track(0, 8000, "a=rtpmap:0 PCMU/8000\r\n",
                 [Packet(at / 8000, [data[at:at + size]]) for at in range(0, PERIOD * 8000, size)])


def aac_track(clip):
    """RFC 3640, 3.3.6. The first frame is what the encoder puts before the media."""
    data = encoded_audio(clip, "-c:a", "aac", "-ar", "48000", "-ac", "2", "-f", "adts")
    frames = [frame[ADTS_HEADER:] for frame in adts_frames(data)]
    count = PERIOD * 48000 // 1024
    return Track(97, 48000, "a=rtpmap:97 MPEG4-GENERIC/48000/2\r\na=fmtp:97 streamtype=5;profile-level-id=1;"
                 "mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3;config=1190\r\n",
                 [Packet(n * 1024 / 48000, [struct.pack(">HH", 16, len(frame) << 3) + frame])
                  for n, frame in enumerate(frames[1:count + 1])])


def clip(folder):
    """The clip that all cameras show. It is longer than the period: of AAC, the last frame needs the one after it."""
    return flash_and_beep.clip(pathlib.Path(folder) / "camera.mkv", "-c:v", "libx264", "-preset", "veryfast",
                               "-tune", "zerolatency", "-g", "25", "-c:a", "pcm_s16le", seconds=PERIOD + 1)


class Camera:
    def __init__(self, path, habits):
        self._habits = habits
        audio = {"pcmu": pcmu_track, "aac": aac_track}[habits.codec]
        self._tracks = [picture_track(path), audio(path)]
        self._reports_allowed = threading.Event()
        if habits.reports == "at once":
            self.allow_reports()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.uri = f"rtsp://127.0.0.1:{self._listener.getsockname()[1]}/camera"
        threading.Thread(target=self._accept, daemon=True).start()

    def allow_reports(self):
        self._reports_allowed.set()

    def end(self):
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            Session(connection, self.uri, self._habits, self._tracks, self._reports_allowed).run()


class Session:
    def __init__(self, connection, uri, habits, tracks, reports_allowed):
        self._reports_allowed = reports_allowed
        self._connection = connection
        self._uri = uri
        self._habits = habits
        self._tracks = tracks
        self._outlets = {}  # send(is_report, bytes), by the track's number
        self._lock = threading.Lock()
        self._left = False

    def run(self):
        stream = self._connection.makefile("rb")
        try:
            while first := stream.read(1):
                if first == b"$":  # a report of the client
                    _, size = struct.unpack(">BH", stream.read(3))
                    stream.read(size)
                else:
                    self._answer((first + stream.readline()).decode(), stream)
        finally:
            self._left = True

    def _answer(self, request, stream):
        method, address, _ = request.split()
        fields = {}
        while line := stream.readline().decode().strip():
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        stream.read(int(fields.get("content-length", 0)))
        status, lines, body = "200 OK", [], ""
        if method == "OPTIONS":
            lines = ["Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER"]
        elif method == "DESCRIBE":
            lines, body = ["Content-Type: application/sdp", f"Content-Base: {self._uri}/"], self._sdp()
        elif method == "SETUP":
            status, lines = self._set_up(int(address[-1]), fields["transport"])
        elif method == "PLAY":
            lines = ["Range: npt=now-", *self._rtp_info()]
        lines += [f"CSeq: {fields['cseq']}", "Session: 12345678", f"Content-Length: {len(body)}"]
        with self._lock:
            self._connection.sendall("\r\n".join([f"RTSP/1.0 {status}", *lines, "", body]).encode())
        if method == "PLAY":
            threading.Thread(target=self._play, args=(time.monotonic(),), daemon=True).start()

    def _sdp(self):
        media = [f"m={kind} 0 RTP/AVP {track.format}\r\n{track.description}a=control:track{number}\r\n"
                 for number, (kind, track) in enumerate(zip(("video", "audio"), self._tracks))]
        return ("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=camera\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\na=control:*\r\n"
                "a=range:npt=now-\r\n" + "".join(media))

    def _set_up(self, number, transport):
        if ("RTP/AVP/TCP" in transport) == self._habits.udp:
            return "461 Unsupported Transport", []
        if not self._habits.udp:
            channel = int(re.search(r"interleaved=(\d+)", transport)[1])
            self._outlets[number] = lambda report, data: self._interleave(channel + report, data)
            return "200 OK", [f"Transport: RTP/AVP/TCP;unicast;interleaved={channel}-{channel + 1}"]
        ports = [int(port) for port in re.search(r"client_port=(\d+)-(\d+)", transport).groups()]
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in ports]
        for sender in sockets:
            sender.bind(("127.0.0.1", 0))
        self._outlets[number] = lambda report, data: sockets[report].sendto(data, ("127.0.0.1", ports[report]))
        own = "-".join(str(sender.getsockname()[1]) for sender in sockets)
        return "200 OK", [f"Transport: RTP/AVP;unicast;client_port={ports[0]}-{ports[1]};server_port={own}"]

    def _interleave(self, channel, data):
        with self._lock:
            self._connection.sendall(struct.pack(">cBH", b"$", channel, len(data)) + data)

    def _begin(self, number):
        """The media time of a track's first packet."""
        return self._habits.audio_begins if number else -self._habits.burst

    def _rtp_info(self):
        said = {"true": lambda number: 0, "first": self._begin, "late": lambda number: 0.2 * number}
        if self._habits.rtp_info == "none":
            return []
        parts = []
        for number, track in enumerate(self._tracks):
            at = track.rtp_time(said[self._habits.rtp_info](number)) if self._habits.rtp_info in said else 0
            parts.append(f"url={self._uri}/track{number};seq={track.sequence};rtptime={at}")
        return ["RTP-Info: " + ",".join(parts)]

    def _due(self, number):
        """(seconds after PLAY, send) of all that a track sends."""
        track = self._tracks[number]
        delay = self._habits.audio_delay if number else self._habits.picture_delay
        for round_ in itertools.count(-1):
            for packet in track.packets:
                at = round_ * PERIOD + packet.time
                if at >= self._begin(number) - 1e-6:
                    yield max(at, 0) + delay, number, lambda p=packet, at=at: self._send(number, p, at)

    def _reports(self, number):
        for at in itertools.count(0.2, REPORT_INTERVAL):
            yield at, number, lambda at=at: self._report(number, at)

    def _play(self, start):
        self._unix = time.time()
        numbers = sorted(self._outlets)
        due = [self._due(number) for number in numbers]
        if self._habits.reports != "none":
            due += [self._reports(number) for number in numbers]
        with contextlib.suppress(OSError):
            for at, _, send in heapq.merge(*due, key=lambda entry: entry[0]):
                time.sleep(max(0, start + at - time.monotonic()))
                if self._left:
                    return
                send()

    def _send(self, number, packet, at):
        track = self._tracks[number]
        for n, payload in enumerate(packet.payloads):
            marker = 0x80 * (n == len(packet.payloads) - 1)
            self._outlets[number](False, struct.pack(
                ">BBHII", 0x80, marker | track.format, track.sequence, track.rtp_time(at), track.ssrc) + payload)
            track.sequence = (track.sequence + 1) % 2**16

    def _report(self, number, at):
        """RFC 3550, 6.4.1 and 6.5."""
        if not self._reports_allowed.is_set():
            return
        track = self._tracks[number]
        ntp = self._unix + NTP_OF_UNIX + at + self._habits.ntp_apart * number
        report = struct.pack(">BBHIIIIII", 0x80, 200, 6, track.ssrc, int(ntp), int(ntp % 1 * 2**32),
                             track.rtp_time(at), 1, 1)
        if self._habits.named:
            report += struct.pack(">BBHIBB10s", 0x81, 202, 4, track.ssrc, 1, 8, b"camera@1\0\0")
        self._outlets[number](True, report)
