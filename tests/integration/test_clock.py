"""After the server's clock was set, or its machine suspended, current players continue, and new ones play
with dates by the new clock."""

import contextlib
import datetime
import shutil
import subprocess
import threading
import time
import urllib.request

import pytest

from netlab.browser.chromium import BLANK, PLAYS, VIDEO, Browser, origin, why_unavailable
from netlab.clocks import Clocks
from netlab.daemon import Daemon, wait_until
from netlab.viewer import Viewer
from tests.integration.players import PLAYER
from tests.integration.segment_requests import MPD, DashPlayer, HlsPlayer

RATE = 10  # frames/s
SEGMENT = 1  # seconds
CONFIG = f"""
[encoder]
preset = "ultrafast"
keyframe_interval = "{SEGMENT}s"
[groups]
linger = "1h"
"""
FILES = {"hls": "index.m3u8", "dash": "manifest.mpd"}
HOURS = 7200  # seconds
PATIENCE = 60  # seconds
NEAR = 10  # seconds: a busy machine's delays are far below the steps


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


class Served:
    """A server whose clock is `behind` at first, with players of all kinds."""

    def __init__(self, directory, behind, stack):
        self.clocks = Clocks(directory)
        self.clocks.set(-behind)
        self.server = stack.enter_context(Daemon(
            "--source", f"live=test:?size=192x108&fps={RATE}", config=CONFIG, directory=directory,
            wrapper=self.clocks.wrapper))
        stack.enter_context(Viewer(self.server.url(), directory=directory))
        self.hls = stack.enter_context(HlsPlayer(self.server))
        # Complete before the step, so that the sessions have segments from before it.
        wait_until(lambda: len(self.hls.playlist("auto").segments) > 1, PATIENCE, "segments")
        self.dash = stack.enter_context(DashPlayer(self.server))

    def system_time(self):
        return time.time() + self.clocks.system_offset()

    def ffmpeg(self, kind, frames):
        """ffmpeg that ends when it has played that many frames; its clock is this machine's."""
        return subprocess.Popen([*PLAYER, "ffmpeg", "-v", "error", "-i",
                                 f"{origin(self.server)}/live/{FILES[kind]}", "-map", "0:v",
                                 "-frames:v", str(frames), "-f", "null", "-"],
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@contextlib.contextmanager
def asked_often(served):
    """A session that asks for nothing for 10 s ends, and on a busy machine one step of a test can take
    longer."""
    paths = served.hls.playlist_path("auto"), served.dash.path(served.dash.mpd.find(f"{MPD}UTCTiming").get("value"))
    over = threading.Event()

    def ask():
        while not over.wait(1):
            for path in paths:
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(origin(served.server) + path, timeout=PATIENCE).close()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def played(process):
    try:
        _, complaints = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    return process.returncode == 0, complaints


def shown(page):
    return page.evaluate(f"{VIDEO}.getVideoPlaybackQuality().totalVideoFrames")


def open_player(browser, server, kind):
    page = browser.open(origin(server), page=BLANK)
    page.do("play", player=kind, url=f"/live/{FILES[kind]}", settings={})
    page.until(PLAYS)
    return page


def check_new_players(served, browser):
    """Players that come after the change play, by dates that are those of the system clock."""
    assert abs(api_time(served.server) - served.system_time()) < NEAR
    with HlsPlayer(served.server) as hls, DashPlayer(served.server) as dash:
        wait_until(lambda: abs(newest(hls)[1] - served.system_time()) < NEAR, PATIENCE, "the new date")
        assert abs(session_time(dash) - served.system_time()) < NEAR
        number, status = computed(dash)
        assert status == 200, number
    for kind in FILES if browser else ():
        page = open_player(browser, served.server, kind)
        page.plays_on(2)
        page.close()
    for kind in FILES if shutil.which("ffmpeg") else ():
        good, complaints = played(served.ffmpeg(kind, 3 * RATE))
        assert good, complaints


@pytest.fixture(scope="module")
def browser():
    if why_unavailable():
        yield None
    else:
        with Browser() as browser:
            yield browser


@pytest.mark.parametrize("behind", [HOURS, -HOURS, 56 * 365 * 24 * 3600],
                         ids=["forwards", "backwards", "from 1970"])
def test_a_step_of_the_clock_disturbs_nobody(browser, tmp_path, behind):
    """The clock was wrong when the server was started, and is corrected."""
    with contextlib.ExitStack() as stack:
        served = Served(tmp_path, behind, stack)
        stack.enter_context(asked_often(served))
        pages = {kind: open_player(browser, served.server, kind) for kind in FILES if browser}
        before, number = shown_by(pages), newest(served.hls)[0]
        old_time = session_time(served.dash) - time.time()
        served.clocks.set(behind)
        # The sessions from before: their numbers and their dates go on.
        wait_until(lambda: "system_clock_set" in served.server.log(), PATIENCE, "the step is noticed")
        wait_until(lambda: computed(served.dash) and newest(served.hls)[0] > number + 1, PATIENCE,
                   "segments after the step")
        after, date = newest(served.hls)
        assert after < number + 3 * PATIENCE
        assert abs(date - (time.time() - behind)) < NEAR
        assert abs(session_time(served.dash) - time.time() - old_time) < NEAR
        assert computed(served.dash)[1] == 200
        for kind, page in pages.items():
            wait_until(lambda: shown(page) > before[kind] + 4 * RATE,  # noqa: B023
                       PATIENCE, f"{kind} plays on")
        check_new_players(served, browser)


def shown_by(pages):
    return {kind: shown(page) for kind, page in pages.items()}


def test_after_a_suspend_the_numbers_go_on_at_the_present_time(browser, tmp_path):
    with contextlib.ExitStack() as stack:
        served = Served(tmp_path, HOURS, stack)
        hls = open_player(browser, served.server, "hls") if browser else None
        number = newest(served.hls)[0]
        served.clocks.suspend(HOURS)
        wait_until(lambda: newest(served.hls)[0] >= number + HOURS / SEGMENT, PATIENCE,
                   "segments after the pause")
        assert abs(newest(served.hls)[1] - time.time()) < NEAR
        assert "system_clock_set" not in served.server.log()
        if hls:
            hls.plays_on(4)
        check_new_players(served, browser)
