"""After the server's clock was set, or its machine suspended, current players continue, and new ones play
with dates by the new clock."""

import contextlib
import datetime
import os
import pathlib
import tempfile
import threading
import time
import urllib.request
import xml.etree.ElementTree as ElementTree

import pytest

from netlab.browser.chromium import Browser, origin
from netlab.clocks import Clocks
from netlab.daemon import Daemon, wait_until
from netlab.viewer import Viewer, assert_clean
from tests.integration.playing import AHEAD, CASES, INSTALLED, PATIENCE, PLAYED_AFTER, RATE, Players, player_of
from tests.integration.segment_requests import MPD, DashPlayer, HlsPlayer

SEGMENT = 1  # seconds
CONFIG = f"""
[encoder]
preset = "ultrafast"
keyframe_interval = "{SEGMENT}s"
[groups]
linger = "1h"
[segments]
window = "2m"  # players that a busy machine holds up still find their place
"""
HOURS = 7200  # seconds
NEAR = 10  # seconds: a busy machine's delays are far below the steps
# {name: (by how many seconds the clock is behind at first, whether a suspend corrects it)}
CHANGES = {"backwards": (-HOURS, False), "from 1970": (56 * 365 * 24 * 3600, False), "suspend": (HOURS, True)}
if os.environ.get("SYMCAST_TEST_LONG"):
    CHANGES["forwards"] = (HOURS, False)


def wall_time(text):
    return datetime.datetime.fromisoformat(text).timestamp()


def api_time(server):
    with urllib.request.urlopen(f"{origin(server)}/api/v1/time", timeout=PATIENCE) as answer:
        return wall_time(answer.read().decode())


def session_time(player):
    """The time that a DASH session's manifest refers to."""
    timing = player.mpd.find(f"{MPD}UTCTiming").get("value")
    return wall_time(player.media(player.path(timing)).decode())


def newest(player):
    """(number, date) of the newest segment of an HLS session."""
    segment = player.playlist("auto").segments[-1]
    return segment.number, segment.date.timestamp()


def computed(player):
    """The segment number that a DASH session's manifest computes for its present time, and the reply
    to a request for the one before, which is complete."""
    template, _ = player.representations()["auto"]
    begin = wall_time(player.mpd.get("availabilityStartTime"))
    length = int(template.get("duration")) / int(template.get("timescale"))
    number = int(template.get("startNumber")) + int((session_time(player) - begin) / length)
    return number, player.get_in_time(player.segment("auto", number - 1)).status


@contextlib.contextmanager
def asked_often(server, hls, dash):
    """A session that asks for nothing for 10 s ends, and on a busy machine one step of a test can take
    longer."""
    timing = dash.mpd.find(f"{MPD}UTCTiming").get("value")
    paths = hls.playlist_path("auto"), dash.path(timing)
    over = threading.Event()

    def ask():
        while not over.wait(1):
            for path in paths:
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(origin(server) + path, timeout=PATIENCE).close()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def public_clocks(stack):
    """Clocks of players, which may run as another user."""
    directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
    directory.chmod(0o755)
    return Clocks(directory)


class Change:
    """A server whose clock is wrong at first, with players of all kinds that play over the correction."""

    def __init__(self, name, directory, stack):
        self.behind, self.suspend = CHANGES[name]
        self._clocks = Clocks(directory)
        self._clocks.set(-self.behind)
        self.server = stack.enter_context(Daemon(
            "--source", f"live=test:?size=192x108&fps={RATE}", config=CONFIG, directory=directory,
            wrapper=self._clocks.wrapper))
        self.viewer = stack.enter_context(Viewer(self.server.url(), directory=directory))
        self.hls = stack.enter_context(HlsPlayer(self.server))
        # GStreamer 1.22.0 never plays a playlist that had one segment at first.
        for rendition in ("auto", "audio"):
            wait_until(lambda: len(self.hls.playlist(rendition).segments) > 1,  # noqa: B023
                       PATIENCE, "segments")
        self.dash = stack.enter_context(DashPlayer(self.server))
        stack.enter_context(asked_often(self.server, self.hls, self.dash))
        self._playing = stack.enter_context(contextlib.ExitStack())
        self._play(directory)
        self.old_time = session_time(self.dash) - time.time()
        self.number = newest(self.hls)[0]
        self._happen()

    def _play(self, directory):
        """libavformat and VLC compute DASH segments by their own clocks, so these are as wrong as the
        server's. Browsers ask the server."""
        clocks = public_clocks(self._playing)
        clocks.set(-self.behind)
        browsers = public_clocks(self._playing)
        browsers.set(-self.behind if self.suspend else 0)
        self._player_clocks = [clocks, browsers]
        browser = (self._playing.enter_context(Browser(wrapper=browsers.wrapper))
                   if INSTALLED["browser"] else None)
        self.players = Players(self.server, CASES, directory, browser, clocks.wrapper)
        self._playing.callback(self.players.end)
        self.players.until_they_play()
        self.viewer.receive(1)

    def _happen(self):
        """While the server's machine is suspended, time passes for the players. Chromium keeps its monotonic
        clock, by which it would end what has taken too long."""
        self.players.notice()
        self.received = len(self.viewer.pictures())
        if self.suspend:
            self._clocks.suspend(self.behind)
            programs, browsers = self._player_clocks
            programs.pass_time(self.behind)
            browsers.set(self.behind)
        else:
            self._clocks.set(self.behind)

    def end_players(self):
        self._playing.close()


@pytest.fixture(scope="module", params=CHANGES)
def change(request, tmp_path_factory):
    with contextlib.ExitStack() as stack:
        yield Change(request.param, tmp_path_factory.mktemp("change"), stack)


@pytest.fixture(scope="module")
def newcomers(change, tmp_path_factory):
    """Players that come after the change."""
    change.end_players()
    with contextlib.ExitStack() as stack:
        browser = stack.enter_context(Browser()) if INSTALLED["browser"] else None
        players = Players(change.server, CASES, tmp_path_factory.mktemp("newcomers"), browser)
        stack.callback(players.end)
        yield players


def check_player(players, case, seconds):
    if case not in players.running:
        pytest.skip(f"{player_of(case)} is not installed")
    players.check(case, seconds)


def test_current_sessions_continue(change):
    """With their numbers and dates. Time passes for DASH players while the server is suspended."""
    event = "machine_suspended" if change.suspend else "system_clock_set"
    wait_until(lambda: f" {event} " in change.server.log(), PATIENCE, "the change is noticed")
    wait_until(lambda: computed(change.dash) and newest(change.hls)[0] > change.number + 1, PATIENCE,
               "segments after the change")
    number, date = newest(change.hls)
    assert number < change.number + 3 * PATIENCE
    assert abs(date - (time.time() - change.behind)) < NEAR
    change_of_time = session_time(change.dash) - time.time() - change.old_time
    assert abs(change_of_time - (change.behind if change.suspend else 0)) < NEAR
    assert computed(change.dash)[1] == 200


def test_a_clock_set_along_with_the_servers_computes_segments_that_exist(change):
    number, _ = computed(change.dash)
    ahead = 0 if change.suspend else change.behind // SEGMENT
    assert change.dash.get_in_time(change.dash.segment("auto", number + ahead - 1)).status == 200


def test_a_manifest_loaded_again_keeps_the_time(change):
    """From its first address, on a connection that the player has used: GStreamer 1.22.0 and VLC 3.0.24 ignore
    Location."""
    computed(change.dash)
    again = ElementTree.fromstring(change.dash.media("/live/manifest.mpd"))
    assert again.get("availabilityStartTime") == change.dash.mpd.get("availabilityStartTime")


@pytest.mark.parametrize("case", CASES)
def test_plays_on(change, case):
    check_player(change.players, case, AHEAD + PLAYED_AFTER)


def test_the_endless_stream_goes_on(change):
    change.viewer.receive(change.received + RATE * PLAYED_AFTER, PATIENCE)
    assert_clean(change.viewer.finish())


def test_new_sessions_have_the_new_time(change):
    assert abs(api_time(change.server) - time.time()) < NEAR
    with HlsPlayer(change.server) as hls, DashPlayer(change.server) as dash:
        wait_until(lambda: abs(newest(hls)[1] - time.time()) < NEAR, PATIENCE, "the new date")
        assert abs(session_time(dash) - time.time()) < NEAR
        number, status = computed(dash)
        assert status == 200, number


@pytest.mark.parametrize("case", CASES)
def test_new_players_play(newcomers, case):
    check_player(newcomers, case, PLAYED_AFTER)
