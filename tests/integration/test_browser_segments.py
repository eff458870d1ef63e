"""hls.js and dash.js in Chromium play near live, and show every frame of a stream that changes its
encoder with every segment."""

import statistics
from urllib.parse import urljoin

import pytest

from netlab.browser.chromium import BLANK, PLAYS, Visit, origin
from netlab.browser.pictures import Pictures
from tests.integration.players import SECONDS
from tests.integration.test_segment_players import CHEAP, FILES, switching  # noqa: F401 (a fixture)

SOURCE = "live=test:?size=640x360&fps=25"
RATE = 25
LATENCY_SECONDS = {"hls": 2, "dash": 3}  # with whole segments it would be twice that
START_SECONDS = 3  # in which a player settles at its distance to live
pytestmark = pytest.mark.usefixtures("needs_chromium")


def play(home, player, seconds):
    """Plays and returns the recording; fails on any error."""
    steps = [{"step": "play", "player": player, "url": f"/live/{FILES[player]}"}, PLAYS,
             {"step": "wait", "seconds": START_SECONDS}, {"step": "record", "seconds": seconds}]
    with Visit(home, *steps, page=BLANK) as visiting:
        seen = visiting.end(60 + seconds)
    recorded = seen["results"][-1]
    assert recorded["player"]["errors"] == []
    assert len(recorded["ranges"]) == 1, "the buffer has a gap"
    return recorded


@pytest.mark.parametrize("player", FILES)
def test_low_latency(serve, player):
    recorded = play(origin(serve("--source", SOURCE, config=CHEAP)), player, 6)
    pictures = Pictures(recorded)
    ages = [age for _, age in pictures.ages(pictures.shown()[0], pictures.ended)]
    age = statistics.median(ages)
    print(f"{player}: {age:.3f} s behind live (median), {max(ages):.3f} at most")
    assert age <= LATENCY_SECONDS[player]


def late(proxy):
    """Frames that a busy machine did not encode, and that are missing for that reason."""
    return proxy.daemon.metrics().sum("symcast_group_frames_late_total")


@pytest.mark.parametrize("player", FILES)
def test_every_frame_is_shown_through_changes_of_group(switching, player):
    switching.served.clear()
    before = late(switching)
    recorded = play(urljoin(switching.url, "/")[:-1], player, SECONDS)
    pictures = Pictures(recorded)
    steps = pictures.steps(RATE)
    missing = sum(round(step) - 1 for step in steps)
    known = {"shown but not recorded": pictures.unseen(), "dropped by Chromium": recorded["dropped"],
             "not encoded": late(switching) - before}
    print(f"{player}: {switching.changes()} changes, {len(steps) + 1} frames, {missing} missing; "
          f"{known}")
    assert min(steps) > 0.5, "a frame was shown twice"
    assert max(abs(step - round(step)) for step in steps) < 0.05, "the timeline shifted"
    assert missing <= sum(known.values()), "frames are missing"
    assert switching.changes() >= SECONDS - 1
    assert len(switching.sizes()) == 4 and len(set(pictures.sizes())) >= 3
