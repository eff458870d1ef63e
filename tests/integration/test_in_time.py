"""Audio and pictures stay together: as far apart at the viewer as in the source, whatever the format."""

import collections
import concurrent.futures
import random
import statistics
import subprocess

import pytest

from netlab.daemon import Daemon
from tests.integration import flash_and_beep, packed_audio
from tests.integration.conftest import ALL_PICTURES, KEEP_GROUPS, QUICK
from tests.integration.media_server import MediaServer, packets, pid

PATIENCE = 120  # seconds
SECONDS = 8  # that a viewer receives
DAMAGED_SECONDS = 60  # that a damaged source plays, so that it does not end before its viewer has had
DAMAGED_RECEIVED = 20
DAMAGED_SKIPPED = 3  # of them: a busy server begins with pauses
# Such a server may have no pictures for seconds.
CONFIG = '[source]\nsilence_timeout = "60s"\n' + KEEP_GROUPS + ALL_PICTURES + QUICK
STRATUM = 200  # packets of a track, of which one is missing, and one is damaged
MOST_SILENCE = 1000  # milliseconds that a pause counts: damage makes shorter ones, a busy server may stop for longer
BATCH = 4  # sources at a time, because they, their viewers and the server share a few cores
MOST = 45  # milliseconds: ITU-R BT.1359 has viewers notice 45 ms of early audio
H264 = ("-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", "25")
PCM = ("-c:a", "pcm_s16le")
XVID = ("-c:v", "mpeg4", "-vtag", "XVID", "-bf", "2", "-g", "25", "-q:v", "3")
AAC = ("-c:a", "aac")
MP3 = ("-c:a", "libmp3lame")
HLS = ("-hls_time", "2", "-hls_list_size", "0", "-hls_playlist_type", "vod")

def h264(b_pictures, pyramid="none"):
    return ("-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-bf", str(b_pictures), "-x264-params",
            f"b-adapt=0:b-pyramid={pyramid}")


# AVI has no times: players know from the pictures how much later than decoded they are shown. Played in
# rounds, and by HTTP. With PCM, because of empty chunks of compressed audio no two players make the same.
AVI = {"in-order": (*h264(0), *PCM), "one-b": (*h264(1), *PCM), "two-b": (*h264(2), *PCM),
       "three-b": (*h264(3), *PCM), "pyramid": (*h264(3, "normal"), *PCM),
       "packed": ("-c:v", "libxvid", "-bf", "2", "-g", "25", "-q:v", "3", *PCM),
       "mjpeg": ("-c:v", "mjpeg", *PCM)}
PULLED_AVI = ["in-order", "two-b", "pyramid", "packed"]
AVI_SECONDS = 30  # that they play by HTTP, so that they do not end before a busy server's viewer has had

# The codecs of each container. Each is played in rounds of 3 s.
LOOPED = {"avi": (*XVID, *MP3), "mp4": (*H264, *AAC), "mkv": (*H264, *AAC), "mov": (*H264, *AAC),
          "ts": (*H264, *AAC), "flv": ("-ar", "44100", *H264, *AAC), "mpg": ("-bf", "2", "-c:a", "mp2"),
          "webm": ("-c:v", "libvpx", "-c:a", "libopus"), "asf": ("-c:v", "wmv2", "-c:a", "wmav2"),
          "3gp": (*H264, *AAC)}


def hls(folder, name, segment_type):
    """Writes a multivariant playlist whose audio is a rendition of its own. Returns the whole clip."""
    whole = flash_and_beep.clip(folder / f"{name}.mkv", *H264, *AAC, seconds=12)
    for track in "va":
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", whole, "-map", f"0:{track}", "-c", "copy",
                        "-avoid_negative_ts", "disabled", "-output_ts_offset", "10", "-f", "hls", *HLS,
                        "-hls_segment_type", segment_type, "-hls_fmp4_init_filename", f"{name}-{track}-init.mp4",
                        f"{name}-{track}.m3u8"], check=True, cwd=folder)
    write_master(folder, name)
    return whole


def packed_hls(folder, name):
    """The same, with pictures in a transport stream and packed audio."""
    whole = hls(folder, name, "mpegts")
    shift = packed_audio.first_time(folder / f"{name}-v0.ts", "v") - packed_audio.first_time(whole, "v")
    packed_audio.write_playlist(folder / f"{name}-a.m3u8", whole, shift)
    return whole


def write_master(folder, name):
    (folder / f"{name}.m3u8").write_text(
        '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",DEFAULT=YES,AUTOSELECT=YES,'
        f'URI="{name}-a.m3u8"\n'
        '#EXT-X-STREAM-INF:BANDWIDTH=500000,CODECS="avc1.64000b,mp4a.40.2",RESOLUTION=160x90,AUDIO="a"\n'
        f"{name}-v.m3u8\n")


def network_clips(folder):
    """Clips that are pulled by HTTP: {name of the stream: (path, file to compare with)}."""
    muxed = flash_and_beep.clip(folder / "muxed.m3u8", *H264, *AAC, "-f", "hls", *HLS, "-hls_segment_type",
                                "fmp4", "-hls_fmp4_init_filename", "muxed-init.mp4", seconds=12)
    dash = flash_and_beep.clip(folder / "dash.mpd", *H264, *AAC, "-f", "dash", "-seg_duration", "2",
                               seconds=12)
    fragments = flash_and_beep.clip(folder / "fragments.mp4", *H264, *AAC, "-movflags", "frag_keyframe", seconds=12)
    xvid = flash_and_beep.clip(folder / "xvid.avi", *XVID, *MP3, seconds=12)
    return {"hls-ts": ("hls-ts.m3u8", hls(folder, "hls-ts", "mpegts")),
            "hls-packed": ("hls-packed.m3u8", packed_hls(folder, "hls-packed")),
            "hls-fmp4": ("hls-fmp4.m3u8", hls(folder, "hls-fmp4", "fmp4")),
            "hls-fmp4-muxed": ("muxed.m3u8", muxed), "dash": ("dash.mpd", dash), "xvid": ("xvid.avi", xvid),
            "fragments": ("fragments.mp4", fragments),
            **avi_clips(folder)}


def avi_clips(folder):
    clips = {name: flash_and_beep.clip(folder / f"{name}.avi", *AVI[name], seconds=AVI_SECONDS)
             for name in PULLED_AVI}
    return {f"avi-{name}": (path.name, path) for name, path in clips.items()}


def damaged(data, seed):
    """A transport stream without 0.5 % of its packets, and with other bytes in 0.5 % of them. Each part of it has
    about as much damage."""
    chance, ahead, result = random.Random(seed), collections.defaultdict(list), bytearray()
    for packet in packets(data):
        fates = ahead[pid(packet)]
        if not fates:
            fates += ["missing", "damaged", *("whole" for _ in range(STRATUM - 2))]
            chance.shuffle(fates)
        fate = fates.pop()
        if fate == "damaged":
            packet = bytearray(packet)
            for _ in range(chance.randint(1, 20)):
                packet[chance.randrange(len(packet))] = chance.randrange(256)
        if fate != "missing":
            result += packet
    return result


def damaged_clips(folder):
    """Three damaged copies of a clip with a tone: {name of the stream: path}."""
    whole = flash_and_beep.clip(folder / "tone.ts", *H264, *AAC, seconds=DAMAGED_SECONDS,
                                beep="sine=frequency=1000:sample_rate=48000,volume=4").read_bytes()
    copies = {f"damaged-{seed}": folder / f"damaged-{seed}.ts" for seed in range(1, 4)}
    for seed, path in enumerate(copies.values(), 1):
        path.write_bytes(damaged(whole, seed))
    return copies


def send(path):
    return lambda write: write(path.read_bytes())


def record(daemon, stream, folder):
    """The file with what a viewer received in the stream's first seconds."""
    daemon.wait_for(lambda m: m.sum("symcast_source_status", stream=stream, status="playing"), PATIENCE,
                    f"{stream} plays")
    path = folder / f"received-{stream}.ts"
    seconds = DAMAGED_RECEIVED if "damaged" in stream else SECONDS
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", daemon.url(stream), "-t", str(seconds), "-c", "copy",
                    "-f", "mpegts", path], check=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    return path


class Received:
    """The recordings of viewers of all sources, of which some are watched at the same time."""

    def __init__(self, folder):
        pulled = network_clips(folder)
        pulled |= {name: (path.name, path) for name, path in damaged_clips(folder).items()}
        looped = {f"looped-{kind}": flash_and_beep.clip(folder / f"looped.{kind}", *codecs, seconds=3)
                  for kind, codecs in LOOPED.items()}
        looped |= {f"looped-{name}": flash_and_beep.clip(folder / f"looped-{name}.avi", *codecs, seconds=3)
                   for name, codecs in AVI.items()}
        self.sent = {name: whole for name, (_, whole) in pulled.items()} | looped
        media = MediaServer({f"/{path.name}": send(path) for path in folder.iterdir()}, {})
        uris = {name: media.uri(f"/{path}") for name, (path, _) in pulled.items()}
        uris |= {name: f"file:{path}" for name, path in looped.items()}
        self._files, everything = {}, list(uris.items())
        for at in range(0, len(everything), BATCH):
            self._watch(dict(everything[at:at + BATCH]), folder)
        media.end()

    def _watch(self, uris, folder):
        words = [word for name, uri in uris.items() for word in ("--source", f"{name}={uri}")]
        with Daemon(*words, directory=folder, config=CONFIG, sources_play=False) as daemon, \
                concurrent.futures.ThreadPoolExecutor(len(uris)) as pool:
            self._files |= {name: pool.submit(record, daemon, name, folder) for name in uris}

    def file(self, name):
        return self._files[name].result()


@pytest.fixture(scope="module")
def received(tmp_path_factory):
    return Received(tmp_path_factory.mktemp("received"))


def check_together(sent, got):
    """By half of the flashes, as a busy server also leaves audio out."""
    expected, found = flash_and_beep.offset(sent), flash_and_beep.offset_ranges(got)
    assert found, "no flash with a beep"
    errors = [max(least - expected, expected - most, 0) for least, most in found]
    assert statistics.median_low(errors) < MOST, (found, expected)


@pytest.mark.parametrize("stream", ["hls-ts", "hls-packed", "hls-fmp4", "hls-fmp4-muxed", "dash", "xvid", "fragments",
                                    *(f"avi-{name}" for name in PULLED_AVI), *(f"looped-{kind}" for kind in LOOPED),
                                    *(f"looped-{name}" for name in AVI)])
def test_audio_and_pictures_are_as_far_apart_as_in_the_source(received, stream):
    check_together(received.sent[stream], received.file(stream))


def test_damage_costs_no_more_audio_than_in_ffmpeg(received):
    """Of all copies together, per second: a viewer receives a part of each. A busy server adds some
    silence. Without repairs it is twice as much as in ffmpeg."""
    names = [f"damaged-{seed}" for seed in range(1, 4)]
    lost = [flash_and_beep.silence(received.file(name), MOST_SILENCE, DAMAGED_SKIPPED) for name in names]
    expected = [1000 * DAMAGED_SECONDS - len(flash_and_beep.heard(received.sent[name])) for name in names]
    assert sum(lost) / (DAMAGED_RECEIVED - DAMAGED_SKIPPED) <= 1.5 * sum(expected) / DAMAGED_SECONDS, (lost, expected)
