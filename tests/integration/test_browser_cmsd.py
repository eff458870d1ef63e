"""dash.js takes no more than the server suggests (CMSD-Dynamic's `mb`), behind a link that falls and
returns. With the settings used here it would always take the highest rate without a suggestion.

    8 Mbit/s        1 Mbit/s        8 Mbit/s
    0 ........ fall ........ rise ........ end     seconds from the first picture"""

import re
import time

import pytest

from netlab.browser.chromium import BLANK, PLAYS, Visit, origin
from netlab.network import Netlab
from tests.integration.segment_requests import DashPlayer

NOISE = "live=test:?size=640x360&content=noise"  # with noise the encoder spends its whole rate
# The lowest suggestion has to match the lowest of the four rates offered: if none is that low,
# dash.js takes the highest.
CONFIG = """
[encoder]
preset = "ultrafast"
keyframe_interval = "1s"
[rate]
start = "4M"
max = "4M"
"""
FAST, SLOW = "8M", "1M"
FALL, RISE, END = 8, 20, 36
TOP, LEAST = 4_400_000, 550_000  # bit/s, as declared
RULES = ["abandonRequestsRule", "bolaRule", "droppedFramesRule", "insufficientBufferRule",
         "switchHistoryRule"]
pytestmark = pytest.mark.usefixtures("needs_chromium", "needs_lab")


def settings(follows):
    """Settings of dash.js' streaming. Only one of its own rules stays on, and assumes 100 times the
    rate that it measures."""
    return {"cmsd": {"enabled": True, "abr": {"applyMb": follows}},
            "abr": {"rules": {rule: {"active": False} for rule in RULES},
                    "throughput": {"bandwidthSafetyFactor": 100}}}


@pytest.fixture
def watch(serve):
    """watch(follows) -> ([(bit/s that dash.js took, bit/s suggested with the two segments before it)],
    errors that dash.js reported)."""

    def go(follows):
        with Netlab(rate=FAST, delay_ms=20, queue_bytes=64_000) as lab:
            daemon = serve("--source", NOISE, config=CONFIG, lab=lab)
            play = {"step": "play", "player": "dash", "url": "/live/manifest.mpd?abr=player",
                    "settings": settings(follows)}
            with Visit(origin(daemon), play, PLAYS, {"step": "tell", "line": "plays"},
                       {"step": "record", "seconds": END}, lab=lab, page=BLANK) as visiting:
                assert visiting.line() == "plays"
                time.sleep(FALL)
                lab.set(down_rate=SLOW)
                time.sleep(RISE - FALL)
                lab.set(down_rate=FAST)
                seen = visiting.end()
            player = seen["results"][-1]["player"]
            return steps(player["notes"], seen["told"], audio_rate_of(daemon)), player["errors"]

    return go


def audio_rate_of(daemon):
    """The declared audio rate in bit/s; `mb` covers audio and video together."""
    with DashPlayer(daemon, "?abr=player") as player:
        return int(player.representations()["audio"][1].get("bandwidth"))


def steps(asked, told, audio_rate):
    """At the live edge dash.js may choose its next segment while the last one is still arriving."""
    suggested = [1000 * int(re.search(r";mb=(\d+)", told[segment["url"]])[1]) - audio_rate
                 for segment in asked[:-1]]
    return [(segment["bandwidth"], max(two))
            for segment, two in zip(asked[2:], zip(suggested, suggested[1:]))]


def test_dash_js_takes_no_more_than_suggested(watch):
    taken, errors = watch(follows=True)
    assert errors == []
    assert [step for step in taken if step[0] > step[1]] == []
    rates = [rate for rate, _ in taken]
    lowest = rates.index(LEAST)
    assert max(rates[:lowest]) > LEAST < max(rates[lowest:]), "the rate follows the link"


def test_without_suggestions_dash_js_takes_the_highest_rate(watch):
    """Otherwise the other test would prove nothing."""
    taken, _ = watch(follows=False)
    assert {rate for rate, _ in taken} == {TOP}
    assert min(suggested for _, suggested in taken) < TOP / 4
