"""Two servers of one source number its segments alike, so that a player may go on at the other one."""

import contextlib

import pytest

from netlab import proxies
from netlab.browser.chromium import Browser
from netlab.daemon import Daemon, wait_until
from tests.integration import playing
from tests.integration.segment_requests import PATIENCE, HlsPlayer

CONFIG = """
[encoder]
preset = "ultrafast"
"""
CASES = ["ffmpeg-hls", "mpv-dash", "vlc-hls", "gstreamer-dash", "browser-hls", "browser-dash"]


def serve(directory):
    directory.mkdir()
    return Daemon("--source", f"live=test:?size=192x108&fps={playing.RATE}", config=CONFIG, directory=directory)


def complete(player, rendition):
    """Some segments."""
    return wait_until(lambda: player.playlist(rendition).segments[1:], PATIENCE, "segments")


def common(one, other, rendition):
    """Pairs of complete segments of the same number."""
    listed = {segment.number: segment for segment in one.playlist(rendition).segments}
    return [(listed[segment.number], segment) for segment in other.playlist(rendition).segments
            if segment.number in listed]


@pytest.mark.parametrize("rendition", ["auto", "audio"])
def test_numbers_dates_and_headers_are_the_same(tmp_path, rendition):
    with serve(tmp_path / "first") as first, serve(tmp_path / "second") as second, \
            HlsPlayer(first) as one, HlsPlayer(second) as other:
        pairs = wait_until(lambda: common(one, other, rendition)[1:], PATIENCE, "segments of both")
        for a, b in pairs:
            assert abs(a.date.timestamp() - b.date.timestamp()) <= 1 / playing.RATE
            assert a.init.rsplit("/", 1)[-1] == b.init.rsplit("/", 1)[-1]


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """{case: None, or why it does not play on} after a balancer had to take the other server."""
    folder = tmp_path_factory.mktemp("moved")
    with contextlib.ExitStack() as running:
        first, second = serve(folder / "first"), running.enter_context(serve(folder / "second"))
        running.callback(first.process.kill)
        front = running.enter_context(proxies.standby(folder / "proxy", first, second))
        browser = running.enter_context(Browser()) if playing.INSTALLED["browser"] else None
        for server in (first, second):  # GStreamer 1.22.0 never plays a playlist that had one segment at first
            with HlsPlayer(server) as player:
                for rendition in ("auto", "audio"):
                    complete(player, rendition)
        players = playing.Players(front, CASES, folder, browser)
        running.callback(players.end)
        players.until_they_play()
        first.process.kill()
        first.process.wait()
        players.notice()
        return players.results()


@pytest.mark.parametrize("case", CASES)
def test_plays_on_at_the_other_server(moved, case):
    if case not in moved:
        pytest.skip(f"{playing.player_of(case)} is not installed")
    assert moved[case] is None
