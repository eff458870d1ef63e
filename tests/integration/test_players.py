"""Stock players read the stream without one complaint."""

import concurrent.futures
import contextlib
import dataclasses
import functools
import os
import re
import subprocess
import urllib.request

import pytest

from netlab.daemon import Daemon, free_port, wait_until
from netlab.viewer import assert_clean
from tests.integration.players import PLAYERS, SECONDS, Stream, check, made_by, needs, run

# Closed groups would not report how many frames are missing.
KEPT = """
[groups]
linger = "1h"
"""
# One encoder of full size is enough for two cores.
DEFAULT = KEPT + "max = 1"
CHEAP = KEPT + """
[encoder]
preset = "ultrafast"
"""

# From 200 kbit/s the rate climbs by half a megabit per second, and the frame size grows with it.
CLIMBING = CHEAP + """
[control]
policy = "itcp"
[itcp]
hold = "200ms"
restore_interval = "200ms"
restore_step = 0.05
[rate]
min = "100k"
start = "200k"
max = "2M"
"""


MPEG2 = """
[encoder]
codec = "mpeg2"
[video]
max_width = 176
[rate]
max = "2M"
"""


SCALES = ["0.5", "0.66", "1", "1"]
SWITCH_SECONDS = 0.5
RATES = {"default": 30, "climbing": 30, "steady": 30, "switching": 25}

CONTAINERS = ["ts", "flv", "mp4"]
SERVERS = {"default": ([], DEFAULT),
           "climbing": (["--source", "live=test:?size=640x360&fps=30"], CLIMBING),
           "steady": (["--source", "live=test:?size=320x180&fps=30"], CHEAP)}
# The default full-size test source of `symcast serve`; a small one; one whose operating point changes
# while it plays; and one with changes of group, and so of frame size.
STREAMS = [("default", "ts"), ("climbing", "ts"),
           *((kind, container) for kind in ["steady", "switching"] for container in CONTAINERS)]
CASES = [(kind, container, player) for kind, container in STREAMS for player in PLAYERS]
AT_ONCE = 8  # players on two cores: most of the time they wait for the stream


class SwitchingServer:
    """A real server whose viewers change between four encode groups, twice a second."""

    def __init__(self, container="ts"):
        self._port = free_port()
        self.source = self.url(container)
        self.stream = None  # the Stream that it served, once it has ended

    def url(self, container):
        return f"http://127.0.0.1:{self._port}/live.{container}"

    def __enter__(self):
        self._process = subprocess.Popen(
            [os.environ["SWITCHING_SERVER"], f"127.0.0.1:{self._port}", str(SWITCH_SECONDS),
             *SCALES],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(self._plays, 20, "switching_server serves")
        return self

    def _plays(self):
        try:
            return len(request_bytes(self.source, 5000)) == 5000
        except OSError:
            return False

    def __exit__(self, kind, *_):
        out, err = self._process.communicate(timeout=20)
        assert kind or self._process.returncode == 0, err
        _, self.changes, *missing = map(int, re.findall(r"\d+", out))
        self.stream = Stream(RATES["switching"], *missing)
        # A viewer that watches for SECONDS has twice as many opportunities.
        assert kind or self.changes >= SECONDS / SWITCH_SECONDS / 2, out


def request_bytes(url, count):
    with urllib.request.urlopen(url, timeout=5) as response:
        return response.read(count)


@dataclasses.dataclass
class Played:
    """The results of all players: futures by case, and streams by kind."""

    players: dict
    streams: dict[str, Stream]
    retargets: dict[str, float]  # changes of an encoder's rate
    switching: SwitchingServer


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """All players on all streams, most of them at the same time."""
    new_directory = functools.partial(tmp_path_factory.mktemp, numbered=True)
    with contextlib.ExitStack() as running:
        servers = {kind: running.enter_context(
            Daemon(*arguments, directory=new_directory(kind), config=config))
            for kind, (arguments, config) in SERVERS.items()}
        executor = running.enter_context(concurrent.futures.ThreadPoolExecutor(AT_ONCE))
        players = {}
        with SwitchingServer() as switching:
            for case in CASES:
                kind, container, player = case
                plays = PLAYERS[player]()
                if plays.installed:
                    server = servers.get(kind, switching)
                    players[case] = executor.submit(plays.play, server.url(container=container),
                                                    new_directory(player), RATES[kind])
            streams, retargets = {}, {}
            for kind, server in servers.items():
                concurrent.futures.wait(of_kind(players, kind))
                streams[kind] = made_by(server, RATES[kind])
                retargets[kind] = server.metrics().sum("symcast_group_retargets_total")
                server.end()  # saves its CPU time
            concurrent.futures.wait(players.values())
        streams["switching"] = switching.stream
        yield Played(players, streams, retargets, switching)


def of_kind(players, kind):
    return [player for case, player in players.items() if case[0] == kind]


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_plays_without_a_complaint(played, case):
    check(played, case)


def test_the_streams_changed(played):
    """Otherwise the results above would mean nothing."""
    assert played.retargets["climbing"] > SECONDS
    # Each viewer had the opportunity to change twice as often.
    viewers = len(of_kind(played.players, "switching"))
    assert played.switching.changes >= viewers * SECONDS / SWITCH_SECONDS / 2


@needs("ffprobe")
@needs("ffmpeg")
def test_mpeg2_is_detected_and_decodes(serve, view):
    daemon = serve("--source", "live=test:?size=352x240&fps=30", config=MPEG2)
    viewer = view(daemon.url())
    with concurrent.futures.ThreadPoolExecutor() as executor:
        probe = executor.submit(run, ["ffprobe", "-v", "warning", "-show_entries",
                                      "stream=codec_name,width,height", "-select_streams", "v",
                                      "-of", "default=noprint_wrappers=1", daemon.url()])
        decode = executor.submit(run, ["ffmpeg", "-v", "warning", "-xerror", "-t", "2",
                                       "-i", daemon.url(), "-f", "null", "-"])
    code, out, err = probe.result()
    assert (code, err) == (0, "")
    assert set(out.split()) == {"codec_name=mpeg2video", "width=176", "height=120"}
    code, _, err = decode.result()
    assert (code, err) == (0, "")
    summary = viewer.finish()
    assert_clean(summary)
    keyframes = [picture["keyframe"] for picture in viewer.pictures()]
    assert keyframes[0] and 0 < sum(keyframes) < len(keyframes) / 10
