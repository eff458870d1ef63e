"""Streams are labelled as they are sent: colours, shape and frame rate, in each format and in playlists and
manifests. Wide colours become those of BT.709. Each source is a clip with three grey bars."""

import collections
import json
import re
import struct
import subprocess
import urllib.request

import pytest

from netlab.daemon import Daemon, wait_until
from tests.integration.conftest import KEEP_GROUPS, QUICK

WIDTH, HEIGHT = 192, 108
SDR_SIGNALS = (0.25, 0.5, 0.75)  # of the bars

Clip = collections.namedtuple("Clip", "signals bars colour rate sar", defaults=("25", "1:1"))


def hdr(transfer):
    return ("bt2020", transfer, "bt2020nc")


def code(light):
    """The 8-bit code of BT.709 that a screen shows with this part of its white (BT.1886)."""
    return 16 + 219 * light ** (1 / 2.4)


# BT.2408-5, table 1: of 203 cd/m², 18 % grey has 26. BT.2390's EETF makes 161 of the reference white.
HDR_BARS = (code(26 / 203), code(161 / 203), 235)
SDR_BARS = tuple(16 + 219 * signal for signal in SDR_SIGNALS)
BT709 = ("bt709", "bt709", "bt709")
CLIPS = {
    "pq": Clip((0.38, 0.58, 0.9), HDR_BARS, hdr("smpte2084")),
    "hlg": Clip((0.38, 0.75, 1), HDR_BARS, hdr("arib-std-b67")),
    "bt2020": Clip(SDR_SIGNALS, SDR_BARS, hdr("bt2020-10")),
    "bt709": Clip(SDR_SIGNALS, SDR_BARS, BT709),
    "film": Clip(SDR_SIGNALS, SDR_BARS, BT709, rate="24000/1001", sar="64:45"),
    "slow": Clip(SDR_SIGNALS, SDR_BARS, BT709, rate="2"),
}
HLS_RATES = {"pq": "25.000", "film": "23.976", "slow": "2.000"}
DASH_RATES = {"pq": "25", "film": "24000/1001", "slow": "2"}
SHORT_SEGMENTS = QUICK + 'keyframe_interval = "500ms"\n'


def clip_command(path, clip):
    first, second, third = (64 + 876 * signal for signal in clip.signals)
    primaries, transfer, matrix = clip.colour
    bars = f"if(lt(X\\,{WIDTH // 3})\\,{first}\\,if(lt(X\\,{2 * WIDTH // 3})\\,{second}\\,{third}))"
    return ["ffmpeg", "-v", "error", "-f", "lavfi", "-i",
            f"color=s={WIDTH}x{HEIGHT}:r={clip.rate},format=yuv420p10le,geq=lum={bars}:cb=512:cr=512,"
            f"setsar={clip.sar.replace(':', '/')}",
            "-t", "2", "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "-x265-params",
            f"log-level=error:keyint=25:colorprim={primaries}:transfer={transfer}:colormatrix={matrix}"
            ":range=limited", "-color_primaries", primaries, "-color_trc", transfer,
            "-colorspace", matrix, "-color_range", "tv", str(path)]


def probe(path):
    """ffprobe's description of the video."""
    described = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_streams", "-of",
                                "json", str(path)], capture_output=True, check=True, text=True)
    return json.loads(described.stdout)["streams"][0]


def bars(path):
    """The luma in the middle of each bar and the chroma in the middle of the last picture."""
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), "-f", "rawvideo", "-"],
                         capture_output=True, check=True).stdout
    picture = raw[-WIDTH * HEIGHT * 3 // 2:]
    middle, chroma = HEIGHT // 2 * WIDTH, WIDTH * HEIGHT + HEIGHT // 4 * WIDTH // 2 + WIDTH // 4
    luma = [picture[middle + WIDTH * part // 6] for part in (1, 3, 5)]
    return luma, [picture[chroma], picture[chroma + WIDTH * HEIGHT // 4]]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    directory = tmp_path_factory.mktemp("labels")
    paths = {kind: directory / f"{kind}.mp4" for kind in CLIPS}
    makers = [subprocess.Popen(clip_command(paths[kind], clip)) for kind, clip in CLIPS.items()]
    assert [maker.wait(60) for maker in makers] == [0] * len(makers)
    sources = [word for kind in CLIPS for word in ("--source", f"{kind}=file:{paths[kind]}")]
    with Daemon(*sources, directory=directory, config=KEEP_GROUPS + SHORT_SEGMENTS) as server:
        yield server


@pytest.fixture(scope="module")
def recordings(daemon, tmp_path_factory):
    """recordings[kind, format]: the path of a few frames."""
    directory = tmp_path_factory.mktemp("recordings")
    paths = {(kind, suffix): directory / f"{kind}.{suffix}" for kind in CLIPS for suffix in ("ts", "mp4")}
    recorders = [subprocess.Popen(["ffmpeg", "-v", "error", "-i", daemon.url(kind, container=suffix), "-c", "copy",
                                   "-frames:v", "20", str(path)])
                 for (kind, suffix), path in paths.items()]
    assert [recorder.wait(60) for recorder in recorders] == [0] * len(recorders)
    return paths


@pytest.fixture(scope="module")
def lists(recordings, daemon):
    """lists[kind, file]: playlist and manifest, once the server has what it needs for them."""
    def ready(kind, file):
        status, _, body = daemon.get(f"/{kind}/{file}")
        return status == 200 and body.decode()

    return {(kind, file): wait_until(lambda: ready(kind, file), 60, f"{file} of {kind}")
            for kind in HLS_RATES for file in ("index.m3u8", "manifest.mpd")}


@pytest.mark.parametrize("suffix", ["ts", "mp4"])
@pytest.mark.parametrize("kind", CLIPS)
def test_is_flagged_bt709(recordings, kind, suffix):
    stream = probe(recordings[kind, suffix])
    assert (stream["color_primaries"], stream["color_transfer"], stream["color_space"]) == BT709
    assert stream["color_range"] == "tv"
    assert stream["pix_fmt"] == "yuv420p"


@pytest.mark.parametrize("kind", CLIPS)
def test_has_the_brightness_that_the_labels_mean(recordings, kind):
    """The codec is lossy, and the tables have steps."""
    luma, chroma = bars(recordings[kind, "ts"])
    assert luma == pytest.approx(CLIPS[kind].bars, abs=4)
    assert chroma == pytest.approx([128, 128], abs=2)


@pytest.mark.parametrize("suffix", ["ts", "mp4"])
def test_keeps_the_shape(recordings, suffix):
    stream = probe(recordings["film", suffix])
    assert stream["sample_aspect_ratio"] == CLIPS["film"].sar
    assert (stream["width"], stream["height"]) == (WIDTH, HEIGHT)


def test_the_mp4_header_has_colour_and_shape(daemon):
    """For players that read no parameter sets: ISO/IEC 14496-12, 12.1.4 and 12.1.5."""
    with urllib.request.urlopen(daemon.url("film", container="mp4")) as response:
        header = response.read(1500)
    assert b"colrnclx" + struct.pack(">HHHB", 1, 1, 1, 0) in header
    assert b"pasp" + struct.pack(">II", *map(int, CLIPS["film"].sar.split(":"))) in header


@pytest.mark.parametrize("kind", HLS_RATES)
def test_the_playlist_describes_the_frames(lists, kind):
    playlist = lists[kind, "index.m3u8"]
    assert f"RESOLUTION={WIDTH}x{HEIGHT},FRAME-RATE={HLS_RATES[kind]},VIDEO-RANGE=SDR," in playlist


@pytest.mark.parametrize("kind", DASH_RATES)
def test_the_manifest_describes_the_frames(lists, kind):
    manifest = lists[kind, "manifest.mpd"]
    assert f'width="{WIDTH}" height="{HEIGHT}" frameRate="{DASH_RATES[kind]}"' in manifest
    assert f'sar="{CLIPS[kind].sar}"' in manifest
    for name in ("ColourPrimaries", "TransferCharacteristics", "MatrixCoefficients"):
        assert f'<SupplementalProperty schemeIdUri="urn:mpeg:mpegB:cicp:{name}" value="1"/>' in manifest


@pytest.mark.parametrize("kind", DASH_RATES)
def test_the_codec_is_that_of_the_parameter_sets(recordings, lists, kind):
    """RFC 6381, 3.3: profile, constraints and level."""
    stream = recordings[kind, "ts"].read_bytes()
    [sps] = set(re.findall(b"\x00\x00\x01\x67(...)", stream, re.DOTALL))
    assert f'codecs="avc3.{sps.hex()}"' in lists[kind, "manifest.mpd"]
    assert f'CODECS="avc3.{sps.hex()},' in lists[kind, "index.m3u8"]
