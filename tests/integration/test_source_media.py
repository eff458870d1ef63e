"""Sources with trouble in their media play as far as they can, and the server says what the trouble is."""

import json
import re
import socket
import struct
import subprocess
import threading
import time

import pytest

from netlab.daemon import Daemon, free_port, wait_until
from tests.integration.conftest import QUICK
from tests.integration.far_ends import clip_command
from tests.integration.media_server import (
    FIRST_MAP, TS_PACKET, MediaServer, in_real_time, packets, pid, sliding_manifest,
    sliding_playlist, tables_across_packets)

PATIENT = '[source]\nsilence_timeout = "60s"\n' + QUICK  # a busy machine may have no pictures for seconds
PATIENCE = 60  # seconds
PIECE = 500  # bytes, which are no whole packets, and too few to show a transport stream
VIDEO, AUDIO = 0x100, 0x101  # PIDs that ffmpeg's muxer chooses


def ts(folder, name, **options):
    path = folder / f"{name}.ts"
    subprocess.run(clip_command(path, **options), check=True)
    return path.read_bytes()


def encrypted(data):
    """The same with all media marked as encrypted, which makes them unreadable."""
    result = []
    for packet in packets(data):
        if pid(packet) in (VIDEO, AUDIO):
            packet = packet[:3] + bytes([packet[3] | 0x80]) + packet[4:]
        result.append(packet)
    return result


def without(data, *pids):
    return b"".join(packet for packet in packets(data) if pid(packet) not in pids)


def multiplex(folder):
    """Two programmes with pictures and a radio programme."""
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=96x54:r=25:d=8",
                    "-f", "lavfi", "-i", "sine=d=8", "-map", "0", "-map", "0", "-map", "1", "-map", "1",
                    "-c:v", "mpeg2video", "-c:a", "mp2", "-program", "program_num=1:st=0:st=2",
                    "-program", "program_num=2:st=1", "-program", "program_num=3:st=3",
                    folder / "multiplex.ts"], check=True)
    return (folder / "multiplex.ts").read_bytes()


def with_other_tracks(folder):
    """Files of 2 s with pictures, audio, and tracks that are not for symcast, some of them broken."""
    (folder / "text.srt").write_text("1\n00:00:00,500 --> 00:00:01,000\n<i>Hello\n\n2\nnonsense\n")
    (folder / "text.ass").write_bytes(b"[Script Info]\nnonsense\n[Events]\nFormat: no\nDialogue: no,,\n\xff\xfe\n")
    (folder / "data").write_bytes(bytes(range(256)) * 16)
    pictures = ["-f", "lavfi", "-i", "testsrc2=s=96x54:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2"]
    font = ["-attach", folder / "text.srt", "-metadata:s:t", "mimetype=font/ttf"]
    for name, track, options in (
            ("text.mp4", ["-i", folder / "text.srt"], ["-c:s", "mov_text", "-timecode", "01:00:00:00"]),
            ("fragments.mp4", ["-i", folder / "text.srt"],
             ["-c:s", "mov_text", "-movflags", "frag_keyframe+empty_moov"]),
            ("text.mkv", ["-i", folder / "text.srt"], ["-c:s", "srt", *font]),
            ("broken.mkv", ["-i", folder / "text.ass"], ["-c:s", "copy"]),
            ("data.ts", ["-f", "data", "-i", folder / "data"], ["-c:d", "copy"])):
        subprocess.run(["ffmpeg", "-v", "error", "-y", *pictures, *track, "-map", "0", "-map", "1", "-map", "2",
                        "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", *options, folder / name],
                       check=True)
        yield name.replace(".", "-"), folder / name


def jpeg(folder):
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=96x54", "-frames:v", "1",
                    folder / "picture.jpg"], check=True)
    return (folder / "picture.jpg").read_bytes()


def parts_without_first_boundary(picture):
    """send() for motion JPEG as some cameras make it."""
    def send(write):
        while True:
            write(b"Content-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(picture) + picture
                  + b"\r\n--part\r\n")
            time.sleep(0.05)
    return send


def in_rtp(data):
    """Datagrams with a CSRC list and an extension, of which each second pair is exchanged."""
    source, extension = struct.pack(">I", 77), struct.pack(">HHI", 0xbede, 1, 0)
    at = range(0, len(data), 7 * 188)
    result = [struct.pack(">BBHII", 0x91, 33, number % 65536, number * 100, 5) + source + extension
              + data[begin:begin + 7 * 188] for number, begin in enumerate(at)]
    for first in range(0, len(result) - 1, 4):
        result[first:first + 2] = reversed(result[first:first + 2])
    return result


def audio_stamped(data, seconds):
    """The same, with the PTS of the audio that much later, although it comes as before."""
    result = []
    for packet in packets(data):
        if pid(packet) == AUDIO and packet[1] & 0x40:
            at = 4 + (1 + packet[4] if packet[3] & 0x20 else 0)  # of the PES packet
            field = int.from_bytes(packet[at + 9:at + 14], "big")
            pts = (field >> 33 & 7) << 30 | (field >> 17 & 0x7fff) << 15 | field >> 1 & 0x7fff
            pts += seconds * 90000
            field = 2 << 36 | (pts >> 30 & 7) << 33 | (pts >> 15 & 0x7fff) << 17 | (pts & 0x7fff) << 1 | 0x100010001
            packet = packet[:at + 9] + field.to_bytes(5, "big") + packet[at + 14:]
        result.append(packet)
    return b"".join(result)


def with_error_correction(data):
    """Datagrams of packets of 204 bytes."""
    longer = [packet + bytes(16) for packet in packets(data)]
    return [b"".join(longer[at:at + 6]) for at in range(0, len(longer), 6)]


class DatagramSender:
    """Sends datagrams again and again, until others are to be sent."""

    def __init__(self, datagrams):
        self.datagrams = datagrams
        self.port = free_port(socket.SOCK_DGRAM)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            while not self._ended.is_set():
                datagrams = self.datagrams
                for datagram in datagrams:
                    if datagrams is not self.datagrams or self._ended.is_set():
                        break
                    out.sendto(datagram, ("127.0.0.1", self.port))
                    time.sleep(0.01)

    def end(self):
        self._ended.set()
        self._thread.join()


class Sources:
    """A server with a source of each kind, and their far ends."""

    def __init__(self, folder):
        plain = ts(folder, "plain", seconds=6, size="96x54")
        sparse = ts(folder, "sparse", seconds=20, size="96x54",
                    video=("-g", "375", "-keyint_min", "375", "-sc_threshold", "0"))
        other_codec = ts(folder, "other", seconds=6, size="96x54", video=("-c:v", "mpeg2video"))
        subprocess.run(clip_command(folder / "four.mov", seconds=2, size="96x54",
                                    audio=("-af", "pan=4c|c0=c0|c1=c0|c2=c0|c3=c0", "-c:a", "pcm_s16le")),
                       check=True)
        subprocess.run(clip_command(folder / "list.m3u8", seconds=5, size="96x54", video=(
            "-f", "hls", "-hls_time", "1", "-hls_list_size", "0", "-hls_segment_type", "fmp4")), check=True)
        subprocess.run(clip_command(folder / "list.mpd", seconds=5, size="96x54", video=(
            "-f", "dash", "-seg_duration", "1", "-init_seg_name", "init-$RepresentationID$.m4s",
            "-media_seg_name", "$RepresentationID$-$Number$.m4s")), check=True)
        two_audios = ts(folder, "two", seconds=20, size="96x54", audio=(
            "-map", "0", "-map", "1", "-map", "1", "-c:a", "mp2"))
        far = audio_stamped(ts(folder, "far", seconds=20, size="96x54", video=("-output_ts_offset", "20")), -3)
        many = multiplex(folder)
        self.audio_may_come = threading.Event()
        self.brief = []  # (begin, end) of each connection
        segments = [f"list{number}.m4s" for number in range(5)]
        paths = {f"/{name}": (lambda write, name=name: write((folder / name).read_bytes()))
                 for name in [*segments, "init.mp4", *(path.name for path in folder.glob("*-*.m4s"))]}
        self.media = MediaServer(paths | {
            "/list.m3u8": sliding_playlist(segments, '#EXT-X-MAP:URI="init.mp4"', 1),
            "/list.mpd": sliding_manifest(5, 1, {0: "video/mp4", 1: "audio/mp4"}),
            "/sparse.ts": in_real_time(sparse, 20, begin=1),
            "/codecs.ts": in_real_time(plain + other_codec, 12),
            "/late.ts": self._send_audio_late(plain),
            "/brief.ts": self._send_briefly(plain),
            "/cut_data.ts": in_real_time(without(many, VIDEO, VIDEO + 2), 8),
            "/cut_maps.ts": in_real_time(without(many, FIRST_MAP, FIRST_MAP + 1), 8),
            "/dead.ts": in_real_time(without(two_audios, AUDIO), 20),
            "/ahead.ts": lambda write: write(without(two_audios, AUDIO)),
            "/far.ts": in_real_time(far, 20),
            "/borders.ts": in_real_time(tables_across_packets(plain), 6),
            "/camera": parts_without_first_boundary(jpeg(folder)),
        }, {"/camera": "multipart/x-mixed-replace; boundary=part"})
        port = free_port(socket.SOCK_DGRAM)
        self._scrambled = encrypted(plain), ("127.0.0.1", port)
        self._ended = threading.Event()
        self.uris = {name: self.media.uri(path) for name, path in {
            "hls": "/list.m3u8", "dash": "/list.mpd", "sparse": "/sparse.ts", "codecs": "/codecs.ts", "late": "/late.ts",
            "brief": "/brief.ts", "camera": "/camera",
            "cut_data": "/cut_data.ts", "cut_maps": "/cut_maps.ts", "borders": "/borders.ts",
            "far": "/far.ts", "dead": "/dead.ts", "ahead": "/ahead.ts"}.items()}
        self.rtp = DatagramSender(in_rtp(plain))
        self.pieces = DatagramSender([plain[at:at + PIECE] for at in range(0, len(plain), PIECE)])
        self.wrong = DatagramSender([b"GET / HTTP/1.1\r\n\r\n"])
        self.right = with_error_correction(plain)
        self.uris |= {"rtp": f"rtp://127.0.0.1:{self.rtp.port}", "pieces": f"udp://127.0.0.1:{self.pieces.port}",
                      "wrong": f"udp://127.0.0.1:{self.wrong.port}"}
        self.uris |= {"scrambled": f"udp://127.0.0.1:{port}", "four": f"file:{folder}/four.mov"}
        self._sender = threading.Thread(target=self._send_scrambled)
        self._sender.start()

    def _send_audio_late(self, data):
        """Two seconds of video, 50 frames, and then nothing until audio may come."""
        def send(write):
            video = [packet for packet in packets(data) if pid(packet) != AUDIO]
            write(b"".join(video[:len(video) // 3]))
            self.audio_may_come.wait()
            in_real_time(data, 6, begin=2)(write)
        return send

    def _send_briefly(self, data):
        """The first two seconds."""
        def send(write):
            begin = time.monotonic()
            in_real_time(data[:len(data) // 3 // TS_PACKET * TS_PACKET], 2)(write)
            self.brief.append((begin, time.monotonic()))
        return send

    def _send_scrambled(self):
        data, address = self._scrambled
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            while not self._ended.is_set():
                for at in range(0, len(data), 7):
                    out.sendto(b"".join(data[at:at + 7]), address)
                    time.sleep(0.01)

    def end(self):
        self.audio_may_come.set()
        self._ended.set()
        self._sender.join()
        self.rtp.end()
        self.pieces.end()
        self.wrong.end()
        self.media.end()


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    all_of_them = Sources(tmp_path_factory.mktemp("sources"))
    yield all_of_them
    all_of_them.end()


@pytest.fixture(scope="module")
def server(tmp_path_factory, sources):
    words = [word for name, uri in sources.uris.items() for word in ("--source", f"{name}={uri}")]
    with Daemon(*words, directory=tmp_path_factory.mktemp("server"), config=PATIENT,
                sources_play=False) as daemon:
        yield daemon


def wait_for_frames(server, stream, count):
    server.wait_for(lambda m: m.sum("symcast_source_frames_total", stream=stream) >= count, PATIENCE,
                    f"{count} frames of {stream}")


def restarts(server, stream):
    return server.metrics().sum("symcast_source_restarts_total", stream=stream)


def test_each_trouble_is_told_on_every_surface(server):
    """Also by a source that waits for a sender."""
    server.wait_for(lambda m: m.sum("symcast_source_trouble", stream="scrambled", trouble="scrambled"),
                    PATIENCE, "the trouble")
    streams = json.loads(server.get("/api/v1/streams")[2])["streams"]
    assert {s["name"]: s["troubles"] for s in streams}["scrambled"] == ["scrambled"]
    assert re.search(r"<h2>scrambled</h2>.*?source connecting, scrambled", server.get("/status")[2].decode(), re.S)
    wait_until(lambda: "source_trouble stream=scrambled" in server.log(), PATIENCE, "the line")
    assert server.log().count("source_trouble stream=scrambled") == 1


def test_audio_that_is_too_far_from_its_pictures_is_told(server):
    """It comes in time, with time stamps 3 s before those of the pictures. tsdemux takes those before the first
    PCR for times after the clock's wrap, 26 h later."""
    wait_for_frames(server, "far", 40)
    server.wait_for(lambda m: m.sum("symcast_source_trouble", stream="far", trouble="audio_off"), PATIENCE,
                    "the trouble")
    streams = json.loads(server.get("/api/v1/streams")[2])["streams"]
    assert {s["name"]: s["troubles"] for s in streams}["far"] == ["audio_off"]
    wait_until(lambda: "source_trouble stream=far trouble=audio_off" in server.log(), PATIENCE, "the line")
    assert server.log().count("source_trouble stream=far") == 1


def test_audio_that_comes_late_holds_no_pictures_back(server, sources):
    wait_for_frames(server, "late", 40)
    sources.audio_may_come.set()
    server.wait_for(lambda m: m.sum("symcast_source_audio", stream="late"), PATIENCE, "audio")


def test_motion_jpeg_plays_without_the_first_boundary(server):
    wait_for_frames(server, "camera", 20)
    assert restarts(server, "camera") == 0


def test_channels_without_positions_are_heard(server):
    wait_for_frames(server, "four", 50)
    assert server.metrics().sum("symcast_source_audio", stream="four") == 1
    assert restarts(server, "four") == 0


def test_a_new_codec_plays_without_a_new_version_of_the_programme_map(server):
    """Few of the 300 frames are lost at the change."""
    wait_for_frames(server, "codecs", 270)
    assert restarts(server, "codecs") == 0


@pytest.mark.parametrize("stream", ["cut_data", "cut_maps"])
def test_a_multiplex_plays_of_which_only_some_programmes_are_delivered(server, stream):
    """Those come last: one with pictures, and one of radio, which gets black ones."""
    wait_for_frames(server, stream, 25)


def test_tables_may_begin_in_mid_packet_and_span_packets(server):
    wait_for_frames(server, "borders", 50)


def test_another_audio_track_is_heard_if_the_main_one_is_dead(server):
    server.wait_for(lambda m: m.sum("symcast_source_audio", stream="dead"), PATIENCE, "audio")
    wait_until(lambda: "source_trouble stream=dead trouble=audio_replaced" in server.log(), PATIENCE, "the line")
    lines = [line for line in server.log().splitlines() if "stream=dead" in line]
    assert sum("source_trouble" in line for line in lines) == 1, lines


def test_a_dead_audio_track_of_a_file_is_known_although_it_is_read_ahead(server):
    wait_until(lambda: "source_trouble stream=ahead trouble=audio_replaced" in server.log(), PATIENCE,
               "the line")


def test_a_transport_stream_in_rtp_plays(server):
    wait_for_frames(server, "rtp", 100)
    assert restarts(server, "rtp") == 0


def test_a_transport_stream_in_pieces_plays(server):
    """ffmpeg cuts one into datagrams without regard to its packets, and into small ones if little is sent."""
    wait_for_frames(server, "pieces", 50)
    assert restarts(server, "pieces") == 0
    assert "stream=pieces trouble=wrong_data" not in server.log()


def test_says_what_a_wrong_sender_sends_and_plays_the_right_one(server, sources, tmp_path):
    def trouble_lines():
        return [line for line in server.log().splitlines() if "stream=wrong trouble=wrong_data" in line]

    for datagrams, kind in (([b"GET / HTTP/1.1\r\n\r\n"], "HTTP"), ([jpeg(tmp_path)], "JPEG"),
                            ([b"\x80\x60" + bytes(10) + bytes(range(60))], "RTP of payload type 96")):
        sources.wrong.datagrams = datagrams
        wait_until(lambda: any(kind in line for line in trouble_lines()), PATIENCE, kind)  # noqa: B023
    sources.wrong.datagrams = sources.right
    wait_for_frames(server, "wrong", 50)
    assert len(trouble_lines()) == 3
    assert restarts(server, "wrong") == 0


@pytest.mark.parametrize("stream", ["hls", "dash"])
def test_plays_on_after_discontinuities_in_fragmented_mp4(server, stream):
    """dashdemux of GStreamer 1.22 may crash if it reads a new manifest while a period begins: it keeps pointers into
    the old one for tracks that it prepares. On a busy machine some runs see that, and the source begins again."""
    wait_for_frames(server, stream, 350)
    crashes = len(re.findall(rf"source_lost stream={stream} .*its process crashed", server.log()))
    assert restarts(server, stream) == (crashes if stream == "dash" else 0)
    assert server.metrics().sum("symcast_source_audio", stream=stream) == 1, "the audio goes on, too"


def test_waits_for_the_next_keyframe_while_data_arrive(server):
    """The source is joined 14 s before its next keyframe."""
    wait_for_frames(server, "sparse", 1)
    before, _, _ = server.log().partition("source_connected stream=sparse")
    assert "source_lost stream=sparse" not in before
    assert before.count("source_trouble stream=sparse trouble=no_keyframe") == 1
    server.wait_for(lambda m: m.sum("symcast_source_trouble", stream="sparse") == 0, PATIENCE, "its end")
    server.wait_for(lambda m: m.sum("symcast_source_audio", stream="sparse"), PATIENCE, "audio")


def test_a_source_that_has_played_is_tried_again_at_once(sources, server):
    """Each time. Back-off that doubled would wait for 6 s or longer after the fifth end."""
    wait_until(lambda: len(sources.brief) > 5, PATIENCE, "six connections")
    waits = [begin - end for (_, end), (begin, _) in zip(sources.brief, sources.brief[1:])]
    assert waits[4] < 5, waits


def test_pictures_play_without_a_decoder_for_the_audio(tmp_path):
    """With one warning."""
    (tmp_path / "clip.ts").write_bytes(ts(tmp_path, "clip", seconds=4, size="96x54"))
    no_decoder = "GST_PLUGIN_FEATURE_RANK=avdec_aac:NONE,avdec_aac_fixed:NONE,faad:NONE,fdkaacdec:NONE"
    with Daemon("--source", f"mute=file:{tmp_path}/clip.ts", directory=tmp_path, config=PATIENT,
                wrapper=("env", no_decoder)) as daemon:
        daemon.wait_for(lambda m: m.sum("symcast_source_trouble", stream="mute",
                                        trouble="audio_no_decoder"), PATIENCE, "the trouble")
        wait_for_frames(daemon, "mute", 60)
        assert restarts(daemon, "mute") == 0
        assert daemon.log().count("source_trouble stream=mute") == 1


def test_subtitles_data_and_attachments_change_nothing(serve, tmp_path):
    files = dict(with_other_tracks(tmp_path))
    words = [word for name, path in files.items() for word in ("--source", f"{name}=file:{path}")]
    server = serve(*words, config=PATIENT)
    for name in files:
        wait_for_frames(server, name, 120)  # beyond its end, twice
        assert server.metrics().sum("symcast_source_audio", stream=name) == 1
        assert restarts(server, name) == 0
