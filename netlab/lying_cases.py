"""Responses of HTTP sources that do something that no good source does. CASES: {path: (description, function)}."""

import random
import struct
import time
import zlib

from netlab.lying_bits import LIES, PPS, idr, packets_of, pat, pes, pid, pmt, sps, with_time
from netlab.lying_media import GOOD, GOOD_SECONDS
from netlab.lying_server import DASH, HLS, HOST, dash_of, hls_of

CASES = {}
TABLES, VIDEO, AUDIO = 0x1000, 0x100, 0x101  # PIDs of ffmpeg's muxer
H264, AAC, PRIVATE = 0x1b, 0x0f, 0x06  # stream types (ISO/IEC 13818-1, table 2-34)
KINDS = [2, 3, AAC, H264, 0x24, 0x81]  # others, too
LONG = 3600  # seconds


def case(path, what):
    def add(function):
        CASES[path] = (what, function)
        return function
    return add


def endless(reply, block, pause=0.0):
    """`block`: bytes, or a function that returns them."""
    while True:
        reply.write(block() if callable(block) else block)
        if pause:
            time.sleep(pause)


def good_packets(reply):
    return packets_of(reply.server.owner.media(GOOD))


class RealTime:
    """Good packets of the chosen PIDs, as many as are due, again and again on one clock."""

    def __init__(self, reply, *pids):
        self._packets = [p for p in good_packets(reply) if pid(p) in pids]
        self._begin, self._sent = time.monotonic(), 0

    def due(self):
        out = []
        while self._sent < (time.monotonic() - self._begin) * len(self._packets) / GOOD_SECONDS:
            turn, at = divmod(self._sent, len(self._packets))
            out.append(with_time(self._packets[at], lambda t, turn=turn: t + turn * GOOD_SECONDS * 90_000))
            self._sent += 1
        return out


# ---------------------------------------------------------------- anything at any speed

@case("/garbage", "random bytes as video/mp2t, 3 MB/s")
def garbage(reply):
    reply.head()
    endless(reply, lambda: random.randbytes(65536), 0.02)


@case("/garbage_full", "random bytes as fast as they are taken")
def garbage_full(reply):
    reply.head()
    endless(reply, lambda: random.randbytes(1 << 20))


@case("/zeros", "zeros as fast as they are taken")
def zeros(reply):
    reply.head()
    endless(reply, bytes(1 << 20))


@case("/zeros_slow", "zeros, 140 kB/s")
def zeros_slow(reply):
    reply.head()
    endless(reply, bytes(1400), 0.01)


@case("/nulls", "null packets as fast as they are taken")
def nulls(reply):
    reply.head()
    endless(reply, (b"\x47\x1f\xff\x10" + b"\xff" * 184) * 5000)


@case("/byte", "a good stream, one byte a second")
def byte_by_byte(reply):
    reply.head()
    for byte in reply.server.owner.media(GOOD):
        reply.write(bytes([byte]))
        time.sleep(1)


@case("/ts_full", "20 s of a good stream again and again, as fast as it is taken")
def ts_full(reply):
    reply.head()
    endless(reply, reply.server.owner.media(GOOD))


@case("/ts_full_mono", "the same with timestamps that go on")
def ts_full_mono(reply):
    reply.head()
    packets, turn = good_packets(reply), 0
    while True:
        for packet in packets:
            reply.write(with_time(packet, lambda t: t + turn * GOOD_SECONDS * 90_000))
        turn += 1


@case("/stall", "3 s of a good stream, then silence on an open connection")
def stall(reply):
    reply.head()
    reply.write(b"".join(good_packets(reply)[:400]))
    time.sleep(LONG)


# ---------------------------------------------------------------- MPEG-TS

@case("/pmt", "other tables before each packet")
def changing_tables(reply):
    reply.head()
    for v, packet in enumerate(good_packets(reply) * 10):
        tables = TABLES if v % 2 else TABLES + v % 200
        tracks = [(H264 if v % 3 else 2, VIDEO + v % 5), (AAC, AUDIO + v % 7)]
        tracks += [(random.choice([*KINDS, PRIVATE]), 0x200 + k) for k in range(v % 20)]
        reply.write(pat(tables, v) + pmt(tables, v, tracks, VIDEO + v % 5) + packet)
        time.sleep(0.0005)


@case("/pids", "thirty new H.264 tracks 200 times a second, none of which has a picture")
def tracks_without_pictures(reply):
    reply.head()
    v = 0
    while True:
        tracks = [(H264, 0x20 + (v * 37 + k) % 8000) for k in range(30)]
        reply.write(pat(TABLES, v) + pmt(TABLES, v, tracks, 0x20) + b"".join(pes(number) for _, number in tracks))
        v += 1
        time.sleep(0.005)


@case("/pids_ok", "good video, and thirty tracks whose PIDs change ten times a second")
def changing_pids(reply):
    reply.head()
    video, v = RealTime(reply, VIDEO), 0
    while True:
        tracks = [(H264, VIDEO)] + [(KINDS[(v + k) % 6], 0x200 + (v * 31 + k) % 7000) for k in range(30)]
        reply.write(pat(TABLES, v) + pmt(TABLES, v, tracks, VIDEO) + b"".join(video.due()) +
                    b"".join(pes(number) for _, number in tracks[1:]))
        v += 1
        time.sleep(0.1)


@case("/audio_ok", "good video, and a new audio track every 200 ms")
def changing_audio(reply):
    reply.head()
    media, v = RealTime(reply, VIDEO, AUDIO), 0
    while True:
        audio = 0x200 + v % 4000
        out = pat(TABLES, v) + pmt(TABLES, v, [(H264, VIDEO), (AAC, audio)], VIDEO)
        for p in media.due():
            out += bytes([0x47, p[1] & 0xe0 | audio >> 8, audio & 255]) + p[3:] if pid(p) == AUDIO else p
        reply.write(out)
        v += 1
        time.sleep(0.2)


def side_track(kind, stream_id):
    def serve(reply):
        reply.head()
        video, counter = RealTime(reply, VIDEO), 0
        reply.write(pat(TABLES, 1) + pmt(TABLES, 1, [(H264, VIDEO), (kind, 0x200)], VIDEO))
        head = b"\0\0\1" + bytes([stream_id]) + b"\0\0\x80\x80\5\x21\0\1\0\1"
        reply.write(b"\x47\x42\0\x10" + head.ljust(184, b"\xff"))
        while True:
            out = b"".join(video.due())
            for _ in range(1400):
                counter += 1
                out += bytes([0x47, 2, 0, 0x10 | counter & 15]) + b"\xff" * 184
            reply.write(out)
            time.sleep(0.05)
    return serve


case("/side_video", "good video, and a second H.264 track of one endless PES packet, 5 MB/s")(side_track(H264, 0xe1))
case("/side_audio", "good video, and an audio track of one endless PES packet, 5 MB/s")(side_track(AAC, 0xc0))
case("/side_data", "good video, and a data track of one endless PES packet, 5 MB/s")(side_track(PRIVATE, 0xbd))


def changed_times(reply, change_of):
    """change_of(number of the packet): a change of its timestamps."""
    reply.head()
    for i, packet in enumerate(good_packets(reply) * 5):
        reply.write(with_time(packet, change_of(i)))
        if i % 30 == 0:
            time.sleep(0.02)


@case("/ptsjump", "timestamps that jump by hours and days, forwards and backwards, 15 times a second")
def jumping_times(reply):
    jump = 0

    def change_of(i):
        nonlocal jump
        if i % 40 == 0:
            jump = random.choice([0, 2 ** 32, 2 ** 33 - 1, random.randrange(2 ** 33), 90_000 * 3600 * 24])
        return lambda t: t + jump
    changed_times(reply, change_of)


@case("/ptszero", "each timestamp is zero")
def no_times(reply):
    changed_times(reply, lambda _: lambda _: 0)


# ---------------------------------------------------------------- pictures

def jpeg_part(jpeg):
    return b"--x\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%b\r\n" % (len(jpeg), jpeg)


@case("/mjpeg", "motion JPEG, each picture of 65500x65500 by its header")
def huge_jpegs(reply):
    reply.head("multipart/x-mixed-replace;boundary=x")
    endless(reply, jpeg_part(reply.server.owner.media("bomb.jpg")), 0.1)


@case("/fps", "motion JPEG of 64x64, some ten thousand pictures a second")
def fast_jpegs(reply):
    reply.head("multipart/x-mixed-replace;boundary=x")
    endless(reply, jpeg_part(reply.server.owner.media("small.jpg")) * 50)


def parameter_sets(numbers):
    def serve(reply):
        reply.head("video/h264")
        n = 0
        while True:
            reply.write((LIES[numbers[n % len(numbers)]][1] + PPS + idr(n % 2)) * 3)
            n += 1
            time.sleep(0.05)
    return serve


case("/sps", "H.264 that lies about its size, rate, references: another lie in each picture")(
    parameter_sets(range(len(LIES))))
for _number, (_what, _) in enumerate(LIES):
    case(f"/sps{_number}", f"H.264 that says: {_what}")(parameter_sets([_number]))


@case("/sps_good", "H.264 that says nothing wrong before pictures of random bytes")
def random_pictures(reply):
    reply.head("video/h264")
    endless(reply, lambda: (sps() + PPS + idr(0)) * 3, 0.05)


# ---------------------------------------------------------------- addresses

@case("/loop.m3u8", "an HLS playlist that names itself as its variant")
def looping_playlist(reply):
    reply.whole(HLS, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n/loop.m3u8\n")


@case("/hugepl.m3u8", "an HLS playlist that does not end")
def endless_playlist(reply):
    reply.head(HLS)
    reply.write(b"#EXTM3U\n#EXT-X-TARGETDURATION:2\n")
    endless(reply, b"#EXTINF:2,\n/internal.ts\n" * 5000)


@case("/hls_file.m3u8", "HLS whose segments are a file of this machine")
def hls_file(reply):
    reply.whole(HLS, hls_of(reply.server.owner.secret.as_uri()))


@case("/hls_passwd.m3u8", "HLS whose segments are file:///etc/passwd")
def hls_passwd(reply):
    reply.whole(HLS, hls_of("file:///etc/passwd"))


@case("/hls_int.m3u8", "HLS with key and segments on another host of the inner network")
def hls_internal(reply):
    owner = reply.server.owner
    reply.whole(HLS, hls_of(owner.url("/internal.ts", "localhost"), owner.url("/internal_key")))


@case("/hls_fd.m3u8", "HLS whose segments are fd://0 to fd://4: descriptors of the process that plays it")
def hls_descriptors(reply):
    reply.whole(HLS, "#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXT-X-MEDIA-SEQUENCE:1\n" +
                "".join(f"#EXTINF:20,\nfd://{n}\n" for n in range(5)) + "#EXT-X-ENDLIST\n")


@case("/dash_file.mpd", "DASH whose BaseURL is file:///")
def dash_file(reply):
    secret = reply.server.owner.secret
    reply.whole(DASH, dash_of(f"{secret.parent.as_uri()}/", secret.name))


@case("/xxe.mpd", "DASH with ten to the ninth entities in one another")
def nested_entities(reply):
    entities = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    reply.whole(DASH, dash_of("&j;", "x.ts").replace("<MPD", f"<!DOCTYPE MPD [{entities}]><MPD", 1))


@case("/redirect", "a redirection to itself")
def redirect_to_itself(reply):
    reply.redirect("/redirect")


@case("/redir_file", "a redirection to file:///etc/passwd")
def redirect_to_file(reply):
    reply.redirect("file:///etc/passwd")


@case("/redir_int", "a redirection to another address of the inner network")
def redirect_inside(reply):
    reply.redirect(reply.server.owner.url("/internal.ts", "127.0.0.2"))


@case("/sdp", "a session description that names an RTSP server of the inner network")
def session_description(reply):
    reply.whole("application/sdp", f"v=0\r\no=- 1 1 IN IP4 {HOST}\r\ns=x\r\nc=IN IP4 {HOST}\r\nt=0 0\r\n"
                f"a=control:{reply.server.owner.inner}\r\nm=video 22950 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n")


@case("/urilist", "text/uri-list with file:///etc/passwd")
def uri_list(reply):
    reply.whole("text/uri-list", "file:///etc/passwd\n")


@case("/smil", "SMIL that names a file")
def smil(reply):
    reply.whole("application/smil", f'<smil><body><video src="{reply.server.owner.secret.as_uri()}"/></body></smil>')


@case("/qt_rtsp", "QuickTime's text file that names an RTSP server")
def quicktime_reference(reply):
    reply.whole("application/x-rtsp", f"rtsptext{reply.server.owner.inner.replace('rtsp', 'RTSP')}\r\n")


# ---------------------------------------------------------------- HTTP and containers

@case("/neverhead", "no response at all")
def no_response(_):
    time.sleep(LONG)


@case("/headdrip", "a head that never ends, 6 kB/s")
def slow_head(reply):
    reply.write(b"HTTP/1.0 200 OK\r\n")
    endless(reply, b"X: " + b"a" * 60 + b"\r\n", 0.01)


@case("/headflood", "a head that never ends, as fast as it is taken")
def fast_head(reply):
    reply.write(b"HTTP/1.0 200 OK\r\n")
    endless(reply, (b"X: " + b"a" * 1000 + b"\r\n") * 1000)


@case("/gzipbomb", "endless zeros with Content-Encoding: gzip, 1000:1")
def compressed_zeros(reply):
    reply.head(Content_Encoding="gzip")
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    endless(reply, lambda: packer.compress(bytes(1 << 22)))


@case("/mp4huge", "an MP4 whose header box is 256 GiB")
def huge_box(reply):
    reply.head("video/mp4", Content_Length=1 << 40)
    reply.write(struct.pack(">I4s4sI", 24, b"ftyp", b"isom", 0) + b"isomavc1")
    reply.write(struct.pack(">I4sQ", 1, b"moov", 1 << 38))
    endless(reply, bytes(1 << 20))


@case("/mkvhuge", "a Matroska whose track list is 2^56 bytes")
def huge_element(reply):
    reply.head("video/x-matroska")
    reply.write(bytes.fromhex("1a45dfa39f4286810142f7810142f2810442f381084282886d6174726f736b61"
                              "42878104428581021853806701ffffffffffffff1654ae6b01fffffffffffff0"))
    endless(reply, lambda: random.randbytes(1 << 20))


@case("/wav", "an endless WAV of 64 channels at 384 kHz, and no picture")
def many_channels(reply):
    reply.head("audio/x-wav")
    reply.write(b"RIFF\xff\xff\xff\xffWAVEfmt " +
                struct.pack("<IHHIIHH", 16, 1, 64, 384000, 384000 * 128, 128, 16) + b"data\xff\xff\xff\xff")
    endless(reply, bytes(1 << 20))
