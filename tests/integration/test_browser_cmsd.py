"""dash.js takes no more than the server suggests (CMSD-Dynamic's `mb`), behind a link that falls and
returns. With the settings used here it would always take the highest rate without a suggestion."""

import re
import time

import pytest

from netlab.browser.chromium import BLANK, PATIENCE, PLAYS, Browser, origin
from netlab.network import Netlab
from tests.integration.segment_requests import DashPlayer

NOISE = "live=test:?size=320x180&fps=15&content=noise"  # the encoder spends its whole rate
# The lowest suggestion has to match the lowest of the four rates offered: if none is that low,
# dash.js takes the highest.
CONFIG = """
[encoder]
preset = "ultrafast"
keyframe_interval = "1s"
[rate]
min = "250k"
start = "2M"
max = "2M"
"""
FAST, SLOW = "4M", "500k"
# Segments. At the live edge dash.js chooses its next segment while the last one is still arriving, and on
# a busy machine even earlier.
LAG = 4
TOP, LEAST = 2_200_000, 275_000  # bit/s, as declared
RULES = ["abandonRequestsRule", "bolaRule", "droppedFramesRule", "insufficientBufferRule",
         "switchHistoryRule"]
pytestmark = pytest.mark.usefixtures("needs_chromium", "needs_lab")


def settings(follows):
    """Settings of dash.js' streaming. Only one of its own rules stays on, and assumes 100 times the
    rate that it measures."""
    return {"cmsd": {"enabled": True, "abr": {"applyMb": follows}},
            "abr": {"rules": {rule: {"active": False} for rule in RULES},
                    "throughput": {"bandwidthSafetyFactor": 100}}}


class Watch:
    """dash.js in Chromium, behind a link that can fall."""

    def __init__(self, lab, daemon, browser, follows):
        self._lab = lab
        with DashPlayer(daemon, "?abr=player") as player:  # `mb` covers audio and video together
            self._audio = int(player.representations()["audio"][1].get("bandwidth"))
        self._page = browser.open(origin(daemon), page=BLANK)
        self._page.do("play", player="dash", url="/live/manifest.mpd?abr=player",
                      settings=settings(follows))
        self._page.until(PLAYS)

    def link(self, rate):
        self._lab.set(down_rate=rate)

    def errors(self):
        """Without those of segments that a busy machine did not encode in time."""
        return [error for error in self._page.evaluate("noted.errors")
                if not error["details"].endswith(" is not available")]

    def taken(self):
        """[(bit/s that dash.js took, the most that was suggested with the LAG segments before)]."""
        asked = self._page.evaluate("noted.notes")
        told = self._page.seen()["told"]
        suggested = [self._suggested(told[segment["url"]]) if segment["url"] in told else 0
                     for segment in asked]
        steps = [(segment["bandwidth"], max(suggested[i:i + LAG]))
                 for i, segment in enumerate(asked[LAG:])]
        return [(rate, most) for rate, most in steps if most]

    def _suggested(self, words):
        return 1000 * int(re.search(r";mb=(\d+)", words)[1]) - self._audio

    def until(self, condition, what):
        """Waits until condition(rate, suggested) is true of a segment taken from now on."""
        before = len(self.taken())
        end = time.monotonic() + PATIENCE
        while not any(condition(*step) for step in self.taken()[before:]):
            assert time.monotonic() < end, f"{what}: not within {PATIENCE} s: {self.taken()}"
            time.sleep(0.5)


@pytest.fixture
def watch(serve):
    """watch(follows) -> Watch."""
    with Netlab(rate=FAST, delay_ms=20, queue_bytes=32_000) as lab:
        daemon = serve("--source", NOISE, config=CONFIG, lab=lab)
        with Browser(lab) as browser:
            yield lambda follows: Watch(lab, daemon, browser, follows)


def test_dash_js_takes_no_more_than_suggested(watch):
    player = watch(follows=True)
    player.until(lambda rate, _: rate > LEAST, "a high rate before the fall")
    player.link(SLOW)
    player.until(lambda rate, _: rate == LEAST, "the lowest rate after the fall")
    player.link(FAST)
    player.until(lambda rate, _: rate > LEAST, "a high rate after the return")
    above = [step for step in player.taken() if step[0] > step[1]]
    assert len(above) <= len(player.taken()) / 5, "a busy machine delays some suggestions"
    assert player.errors() == []


def test_without_suggestions_dash_js_takes_the_highest_rate(watch):
    """Otherwise the other test would prove nothing."""
    player = watch(follows=False)
    player.link("1M")
    player.until(lambda _, suggested: suggested < TOP / 2, "a low suggestion")
    assert {rate for rate, _ in player.taken()} == {TOP}
