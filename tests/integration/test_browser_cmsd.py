"""dash.js takes no more than the server suggests (CMSD-Dynamic's `mb`), behind a link that falls and
returns. Of itself it would always take the most: where it takes less, that is the suggestion's doing.

    8 Mbit/s        1 Mbit/s        8 Mbit/s
    0 ........ fall ........ rise ........ end     seconds from the first picture"""

import re
import time

import pytest

from netlab.browser.chromium import BLANK, PLAYS, Visit, origin
from netlab.network import Netlab
from tests.integration.segment_requests import DashPlayer

NOISE = "live=test:?size=640x360&content=noise"  # what has to use its rate up
# The least that is suggested is the lowest of the four that are offered: where none is as low,
# dash.js takes the most.
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
    """Of dash.js' streaming. One rule of its own is left, which believes in 100 times the rate that it
    measures."""
    return {"cmsd": {"enabled": True, "abr": {"applyMb": follows}},
            "abr": {"rules": {rule: {"active": False} for rule in RULES},
                    "throughput": {"bandwidthSafetyFactor": 100}}}


@pytest.fixture
def watch(serve):
    """watch(follows) -> [(bit/s that dash.js took, bit/s suggested with the two segments before it)], and
    what it had to complain of."""

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
            return steps(player["notes"], seen["told"], sound(daemon)), player["errors"]

    return go


def sound(daemon):
    """bit/s, as declared: `mb` is of sound and pictures together."""
    with DashPlayer(daemon, "?abr=player") as player:
        return int(player.representations()["audio"][1].get("bandwidth"))


def steps(asked, told, sound_rate):
    """At the live edge it may choose its next segment while the last still comes."""
    suggested = [1000 * int(re.search(r";mb=(\d+)", told[segment["url"]])[1]) - sound_rate
                 for segment in asked[:-1]]
    return [(segment["bandwidth"], max(two))
            for segment, two in zip(asked[2:], zip(suggested, suggested[1:]))]


def test_what_is_suggested_is_taken(watch):
    taken, errors = watch(follows=True)
    assert errors == []
    assert [step for step in taken if step[0] > step[1]] == []
    rates = [rate for rate, _ in taken]
    lowest = rates.index(LEAST)
    assert max(rates[:lowest]) > LEAST < max(rates[lowest:]), "down with the link, and up"


def test_else_the_most_is_taken(watch):
    """Or the other test would say nothing."""
    taken, _ = watch(follows=False)
    assert {rate for rate, _ in taken} == {TOP}
    assert min(suggested for _, suggested in taken) < TOP / 4
