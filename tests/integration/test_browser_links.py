"""The page at / keeps playing behind a link that falls from 5 to 1 Mbit/s and returns."""

import statistics
import time

import pytest

from netlab.browser.chromium import PLAYS, Visit, origin
from netlab.browser.falling_link import FallingLink
from netlab.daemon import Daemon
from netlab.network import Netlab

PHASES = (10, 15, 10)  # seconds before the fall, on the slow link, after the return
LATE_SECONDS = 1  # promised: the picture on the screen is never older
BACK_SECONDS = 2  # promised: seconds from the return until that holds again
LATENCY_SECONDS = {"mp4": 1, "flv": 1, "hls": 3}  # on a good link
OUTAGE_SECONDS = 8
pytestmark = pytest.mark.usefixtures("needs_chromium", "needs_lab")


def test_progressive_stays_near_live(tmp_path):
    run = FallingLink(tmp_path, "progressive", PHASES)
    assert run.troubles == []
    before, slow, after = run.rates()[1:]
    assert before > 3e6 and after > 3e6, "without these rates the link would not limit the stream"
    assert 0.5e6 < slow < 1.1e6
    ages = run.ages(run.begin, run.end)
    stalls = run.stalls()
    print(f"{max(ages):.2f} s behind live at most; stalled {[f'{stall:.2f}' for stall in stalls]} s; "
          f"within {LATE_SECONDS} s {run.back():.1f} s after the return")
    assert stalls == []
    assert max(ages) <= LATE_SECONDS
    assert run.back() <= BACK_SECONDS


@pytest.mark.parametrize("delivery", LATENCY_SECONDS)
def test_the_delay_of_an_outage_is_caught_up(tmp_path, delivery):
    with Netlab(rate="20M", delay_ms=20) as lab, Daemon(directory=tmp_path, lab=lab) as daemon:
        with Visit(origin(daemon), PLAYS, {"step": "tell", "line": "plays"},
                   {"step": "wait", "seconds": OUTAGE_SECONDS + 12}, {"step": "ages", "count": 10},
                   lab=lab, delivery=delivery) as visiting:
            assert visiting.line() == "plays"
            time.sleep(2)
            lab.set(both_blackhole="on")
            time.sleep(OUTAGE_SECONDS)
            lab.set(both_blackhole="off")
            seen = visiting.end()["results"][-1]
    age = statistics.median(picture["age"] for picture in seen)
    print(f"{delivery}: {age:.2f} s behind live")
    assert age <= LATENCY_SECONDS[delivery]


@pytest.mark.parametrize("delivery", ["mp4", "flv", "hls"])
def test_playback_resumes_after_a_pause_on_a_long_path(tmp_path, delivery):
    """The old picture stays until the first byte of the new connection arrives."""
    plays = {"step": "until", "expression": "document.querySelector('video').currentTime > 0"
             " && document.getElementById('screen').dataset.phase === 'playing'"}
    with Netlab(rate="20M", delay_ms=100) as lab:
        with Daemon(directory=tmp_path, lab=lab) as daemon:
            with Visit(origin(daemon), plays, {"step": "press", "key": "Space"},
                       {"step": "wait", "seconds": 1}, {"step": "press", "key": "Space"}, plays,
                       {"step": "watch", "seconds": 4}, lab=lab, delivery=delivery) as visiting:
                watched = visiting.end()["results"][-1]
    assert watched[-1]["at"] - watched[0]["at"] > 0.8 * (watched[-1]["now"] - watched[0]["now"])
