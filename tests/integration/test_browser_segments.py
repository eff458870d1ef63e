"""hls.js and dash.js in Chromium play near live, and show every frame of a stream that changes its
encoder with every segment."""

import time
from urllib.parse import urljoin

import pytest

from netlab.browser.chromium import BLANK, PLAYS, Browser, origin
from netlab.daemon import Daemon
from netlab.viewer import Viewer
from tests.integration.segment_requests import undisturbed
from tests.integration.switching.proxy import SwitchingProxy

FILES = {"hls": "index.m3u8", "dash": "manifest.mpd"}
SEGMENT = 6  # seconds; players that load parts of segments are less than 2 s behind live
LONG_SEGMENTS = f"""
[encoder]
preset = "ultrafast"
keyframe_interval = "{SEGMENT}s"
"""
# Four rates, each with its own frame size.
SWITCHING = """
[encoder]
preset = "ultrafast"
keyframe_interval = "500ms"
[rate]
min = "70k"
max = "560k"
[scaling]
min_bits_per_pixel = 0.5
[groups]
max = 4
cpu = 1
[segments]
window = "20s"
part = "200ms"
"""
RATE = 10
CHANGES = 6
# Far enough behind live for a busy machine: a player that has to wait may skip frames.
BEHIND = 5  # seconds
FAR_BEHIND = {"hls": {"liveSyncDuration": BEHIND, "liveMaxLatencyDuration": 60},
              "dash": {"applyServiceDescription": False, "delay": {"liveDelay": BEHIND}}}
pytestmark = pytest.mark.usefixtures("needs_chromium")


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        yield browser


def play(browser, home, settings):
    """{player: Page}: all play at the same time, and are recorded."""
    pages = {player: browser.open(home, page=BLANK) for player in FILES}
    for player, page in pages.items():
        page.do("play", player=player, url=f"/live/{FILES[player]}", settings=settings.get(player, {}))
    for page in pages.values():
        page.until(PLAYS)
        page.record()
    return pages


@pytest.fixture(scope="module")
def steady(tmp_path_factory):
    """A stream with a viewer all the time, and so with segments."""
    directory = tmp_path_factory.mktemp("steady")
    with Daemon("--source", "live=test:?size=192x108&fps=15", config=LONG_SEGMENTS,
                directory=directory) as daemon:
        with Viewer(daemon.url(), directory=directory):
            yield daemon


@pytest.fixture(scope="module")
def recordings(browser, steady, tmp_path_factory):
    """{player: (Pictures, steps between the frames that were sent)}. Meanwhile `steady` makes its
    first segments."""
    with Daemon("--source", f"live=test:?size=320x180&fps={RATE}", config=SWITCHING,
                directory=tmp_path_factory.mktemp("switching")) as daemon:
        with SwitchingProxy(daemon) as proxy:
            def record():
                proxy.sent.clear()
                begin = time.monotonic()
                pages = play(browser, urljoin(proxy.url, "/")[:-1], FAR_BEHIND)
                try:
                    seen = {player: page.until_pictures(changes, "each segment has a size of its own", begin)
                            for player, page in pages.items()}
                finally:
                    for page in pages.values():
                        page.close()
                return seen, proxy.steps(RATE)

            seen, sent = undisturbed(record, daemon)
    return {player: (pictures, sent) for player, pictures in seen.items()}


def fatal(errors):
    """Without those that a player reports when it has to wait or to ask again."""
    return [error for error in errors if error["fatal"]]


def changes(pictures):
    return pictures.size_changes() >= CHANGES and len(set(pictures.sizes())) == 4


@pytest.mark.parametrize("player", FILES)
def test_every_frame_is_shown_through_changes_of_group(recordings, player):
    """A busy machine does not encode all frames."""
    pictures, sent = recordings[player]
    not_sent = sum(round(step) - 1 for step in sent)
    assert fatal(pictures.recording["player"]["errors"]) == []
    ranges = pictures.recording["ranges"]
    gaps = sum(begin - end for (_, end), (begin, _) in zip(ranges, ranges[1:]))
    assert round(gaps * RATE) <= not_sent, "the buffer has a gap"
    # Chromium counts a frame that it drops some time later.
    counted = pictures.before(pictures.ended - 1)
    steps = counted.steps(RATE)
    missing = sum(round(step) - 1 for step in steps)
    known = {"shown but not recorded": counted.unseen(),
             "dropped by Chromium": pictures.recording["dropped"], "not sent": not_sent}
    print(f"{player}: {len(steps) + 1} frames, {missing} missing; {known}")
    assert min(steps) > 0.5 * min(sent), "a frame was shown twice"
    assert all(min(abs(step - other) for other in (round(step), *sent)) < 0.05 for step in steps), \
        "the timeline shifted"
    # A busy Chromium loses one or two without counting them. A change that loses its frame loses it each time.
    assert missing - sum(known.values()) < CHANGES / 2, "frames are missing"


def test_players_load_parts_of_segments(browser, steady):
    """A player that loads whole segments is at least one segment behind live."""
    settings = {"hls": {"maxLiveSyncPlaybackRate": 1.1, "liveSyncOnStallIncrease": 0}}
    for page in play(browser, origin(steady), settings).values():
        page.until_pictures(lambda pictures: pictures.age() < SEGMENT, "near live")
        page.plays_on()
        assert fatal(page.evaluate("noted.errors")) == []
        page.close()
