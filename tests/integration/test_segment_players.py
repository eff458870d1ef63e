"""Stock players read HLS and DASH without a complaint, gap or repeat: a steady stream, and one that
changes its encoder with every segment."""

import concurrent.futures
import contextlib
import dataclasses
import functools
import time

import pytest

from netlab.daemon import Daemon, wait_until
from netlab.viewer import Viewer
from tests.integration.players import PLAYERS, SECONDS, Stream, Vlc, check, made_by
from tests.integration.segment_requests import HlsPlayer
from tests.integration.switching.proxy import SwitchingProxy

# A late frame is a gap, so encoding has to be cheap.
CHEAP = """
[encoder]
preset = "ultrafast"
"""
# A player that is stopped for five seconds still finds its next segment in the playlist.
SHORT = CHEAP + """
keyframe_interval = "1s"
[segments]
window = "16s"
[groups]
max = 4
linger = "1h"
"""
# Rates at which 640x360 at 25/s has four sizes.
SWITCHING = SHORT + """
[rate]
min = "70k"
max = "560k"
"""
# By the kind of stream: four sizes also at 10/s, and a stream that changes its rate but not its size.
SCALING = {"switching": "[scaling]\nmin_bits_per_pixel = 0.125\n",
           "same_size": "[scaling]\nmin_bits_per_pixel = 0\n"}
FILES = {"hls": "index.m3u8", "dash": "manifest.mpd"}
# An encoder of 10 frames/s can wait for the CPU for 200 ms before a frame is late.
RATES = {"steady": 30, "switching": 10, "same_size": 10}
CASES = [*((kind, container, player) for container in FILES for kind in ["steady", "switching"]
           for player in PLAYERS),
         # VLC, because it cannot show every frame when the size changes.
         *(("same_size", container, "vlc") for container in FILES)]
AT_ONCE = 8  # players on two cores: most of the time they wait for the stream


def wait_for_window(server):
    """libavformat's DASH demuxer computes with unsigned numbers: while a stream is younger than its
    window, it considers each segment too old, and starts over."""
    with HlsPlayer(server) as player:
        first = player.playlist("auto").first
        wait_until(lambda: player.playlist("auto").first > first + 1, 60, "the window slides", 0.5)


@contextlib.contextmanager
def switch(directory, rate=25, scaling=""):
    source = f"live=test:?size=640x360&fps={rate}"
    with Daemon("--source", source, config=SWITCHING + scaling, directory=directory) as server:
        try:
            proxy = SwitchingProxy(server)
        except AssertionError:
            if made_by(server, rate).interruptions:
                pytest.skip("the machine was too busy to encode four rates")
            raise
        with proxy:
            yield proxy


@pytest.fixture(scope="module")
def switching(tmp_path_factory):
    with switch(tmp_path_factory.mktemp("switching")) as proxy:
        yield proxy


@dataclasses.dataclass
class Played:
    """The results of all players: futures by case, streams and sessions by kind of stream."""

    players: dict
    streams: dict[str, Stream]
    changes: dict[str, list]  # in each session, how often the group changed
    sizes: dict[str, set]  # the frame sizes that players received


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """All players on all streams, most of them at the same time."""
    new_directory = functools.partial(tmp_path_factory.mktemp, numbered=True)
    with contextlib.ExitStack() as running:
        # A viewer all the time; test_segment_manifests covers the first viewer of a stream.
        steady = running.enter_context(Daemon("--source", "live=test:?size=320x180&fps=30",
                                              directory=new_directory("steady"), config=SHORT))
        running.enter_context(Viewer(steady.url(), directory=steady.directory))
        proxies = {kind: running.enter_context(switch(new_directory(kind), RATES[kind], scaling))
                   for kind, scaling in SCALING.items()}
        servers = {"steady": steady, **{kind: proxy.daemon for kind, proxy in proxies.items()}}
        urls = {"steady": f"http://{steady.ip}:{steady.port}/live/",
                **{kind: proxy.url for kind, proxy in proxies.items()}}
        executor = running.enter_context(concurrent.futures.ThreadPoolExecutor(AT_ONCE))
        players = {}
        for container, file in FILES.items():
            if container == "dash":
                for server in servers.values():
                    wait_for_window(server)
            for kind, _, player in (case for case in CASES if case[1] == container):
                plays = Vlc(shows_all=kind != "switching") if player == "vlc" else PLAYERS[player]()
                if plays.installed:
                    players[kind, container, player] = executor.submit(
                        plays.play, urls[kind] + file, new_directory(player), RATES[kind])
        concurrent.futures.wait(players.values())
        yield Played(players,
                     {kind: made_by(server, RATES[kind]) for kind, server in servers.items()},
                     {kind: proxy.changes_by_session() for kind, proxy in proxies.items()},
                     {kind: proxy.sizes() for kind, proxy in proxies.items()})


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_plays_without_a_complaint(played, case):
    check(played, case)


def segments_of_the_first_playlist(daemon, stream, user_agent):
    headers = {"User-Agent": user_agent}
    index = daemon.get(f"/{stream}/index.m3u8", headers=headers)[2].decode()
    names = [line for line in index.splitlines() if line and not line.startswith("#")]
    return daemon.get(f"/{stream}/{names[0]}", headers=headers)[2].decode().count("#EXTINF")


def test_gstreamer_waits_for_the_second_segment(tmp_path):
    """That of a stream which begins with it."""
    with Daemon("--source", "live=test:?size=320x180&fps=30", directory=tmp_path, config=CHEAP) as daemon:
        assert segments_of_the_first_playlist(daemon, "live", "GStreamer souphttpsrc 1.22.0") >= 2


def test_gstreamer_plays_a_stream_from_its_start(tmp_path):
    """Whenever it joins, also while there is one complete segment."""
    ages = [1, 1.5, 2, 2.5, 3]  # seconds since the stream's first viewer; a segment lasts 2 s
    streams = [f"--source=age{number}=test:?size=320x180&fps=30" for number in range(len(ages))]

    def play(daemon, number):
        name = f"age{number}"
        directory = tmp_path / name
        directory.mkdir()
        with Viewer(daemon.url(name), directory=directory):
            time.sleep(ages[number])
            url = f"http://{daemon.ip}:{daemon.port}/{name}/index.m3u8"
            return PLAYERS["gstreamer"]().play(url, directory, 30).played()

    with Daemon(*streams, directory=tmp_path, config=CHEAP) as daemon:
        with concurrent.futures.ThreadPoolExecutor(len(ages)) as pool:
            played = list(pool.map(functools.partial(play, daemon), range(len(ages))))
    assert all(frames["video"] and frames["audio"] for frames in played)


@pytest.mark.parametrize("kind", ["switching", "same_size"])
def test_every_player_changed_its_group_with_every_segment(played, kind):
    """Otherwise the results above would mean nothing."""
    changes = played.changes[kind]
    players = [player for case, player in played.players.items() if case[0] == kind]
    with played.streams[kind].judging():
        assert sum(count >= SECONDS - 1 for count in changes) >= len(players), changes
        assert len(played.sizes[kind]) == (4 if kind == "switching" else 1)
