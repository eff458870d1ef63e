"""The page at / in Chromium: the player, and the dashboard for admins."""

import os
import pathlib
import statistics

import pytest

from netlab.browser.chromium import Visit, origin
from netlab.daemon import free_port

SOURCE = "live=test:?size=640x360&fps=30"
# On loopback a segment player has the highest rate after one or two decisions, so start low.
FROM_BELOW = '[rate]\nstart = "300k"\n'
NOBODY_ADMIN = "[admin]\nallow = []\n"
LATENCY_SECONDS = 0.5  # promised: progressive, on loopback
HLS_LATENCY_SECONDS = 3  # two segments
PLAYS = {"step": "until", "expression": "document.querySelector('video').currentTime > 0"
         " && document.getElementById('screen').dataset.phase === 'playing'"}
pytestmark = pytest.mark.usefixtures("needs_chromium")


@pytest.fixture
def visit():
    """visit(daemon, step, ...) -> results of the steps; fails if the page reported any trouble."""

    def go(daemon, *steps, **options):
        with Visit(origin(daemon), *steps, **options) as visiting:
            seen = visiting.end()
        assert seen["troubles"] == []
        home = f"{origin(daemon)}/"
        elsewhere = [url for url in seen["requests"] if not url.startswith((home, "blob:" + home))]
        assert elsewhere == [], "the page loads from other servers"
        return seen["results"], seen["requests"]

    return go


@pytest.fixture
def picture():
    """picture(name) -> a step that saves a screenshot, next to the build."""
    folder = pathlib.Path(os.environ.get("SCREENSHOTS", "build/screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return lambda name: {"step": "screenshot", "path": str(folder / f"{name}.png")}


def speed(watched):
    """Seconds of video played per second."""
    first, last = watched[0], watched[-1]
    return (last["at"] - first["at"]) / (last["now"] - first["now"])


def latency(visit, daemon, delivery):
    """Seconds behind live by the code in the picture, which the page has to display correctly."""
    results, _ = visit(daemon, PLAYS, {"step": "wait", "seconds": 4}, {"step": "watch", "seconds": 6},
                       {"step": "ages", "count": 15}, delivery=delivery)
    watched, pictures = results[2:]
    assert 0.9 < speed(watched) < 1.15
    age = statistics.median(picture["age"] for picture in pictures)
    wrong = statistics.median(abs(picture["age"] - picture["told"]) for picture in pictures)
    print(f"{delivery}: {age:.3f} s behind live, displayed with an error of {wrong:.3f} s")
    assert wrong < 0.1
    return age


@pytest.mark.parametrize("delivery", ["mp4", "flv"])
def test_low_latency_plays_near_live(serve, visit, delivery):
    assert latency(visit, serve("--source", SOURCE), delivery) <= LATENCY_SECONDS


@pytest.mark.parametrize("delivery", ["mp4", "flv"])
def test_a_late_player_catches_up(serve, visit, delivery):
    back = {"step": "evaluate",
            "expression": "document.querySelector('video').currentTime -= 0.6"}
    ages = {"step": "ages", "count": 10}
    results, _ = visit(serve("--source", SOURCE), PLAYS, {"step": "wait", "seconds": 4}, ages, back,
                       {"step": "wait", "seconds": 1}, ages, {"step": "wait", "seconds": 8}, ages,
                       delivery=delivery)
    before, late, after = (statistics.median(picture["age"] for picture in results[i])
                           for i in (2, 5, 7))
    assert late > before + 0.2
    assert after < before + 0.2, f"{before:.3f}, {late:.3f}, {after:.3f}"


def test_hls_plays(serve, visit):
    assert latency(visit, serve("--source", SOURCE), "hls") <= HLS_LATENCY_SECONDS


@pytest.mark.parametrize("delivery", ["mp4", "hls"])
def test_the_dashboard_shows_the_pages_own_viewer(serve, visit, picture, delivery):
    daemon = serve("--source", SOURCE, config=FROM_BELOW)
    results, _ = visit(daemon, PLAYS, {"step": "see", "selector": "tr.own[aria-selected=true]"},
                       {"step": "wait", "seconds": 8}, {"step": "drawn"},
                       {"step": "text", "selector": ".decisions li"},
                       picture(f"dashboard-{delivery}"), delivery=delivery)
    drawn, decisions = results[3:5]
    assert len(drawn) == 4
    assert min(drawn) > 60, "too little of a line in eight seconds"
    assert any("bit/s" in decision for decision in decisions)


@pytest.mark.parametrize("colours, width, height", [("dark", 1280, 900), ("light", 360, 740),
                                                    ("dark", 768, 1024)])
def test_nothing_is_wider_than_the_window(serve, visit, picture, view, colours, width, height):
    daemon = serve("--source", SOURCE)
    view(daemon.url())
    results, _ = visit(daemon, PLAYS, {"step": "see", "selector": "tr.own"},
                       {"step": "wait", "seconds": 5}, picture(f"page-{width}-{colours}"),
                       {"step": "evaluate",
                        "expression": "document.documentElement.scrollWidth - innerWidth"},
                       viewport={"width": width, "height": height}, colours=colours)
    assert results[-1] <= 0


def test_the_keyboard_selects_another_viewer(serve, visit, view):
    daemon = serve("--source", SOURCE)
    view(daemon.url())
    results, _ = visit(daemon, PLAYS, {"step": "see", "selector": "tr.own[aria-selected=true]"},
                       {"step": "press", "selector": "tbody tr[tabindex]:not(.own)", "key": "Enter"},
                       {"step": "see", "selector": "tr:not(.own)[aria-selected=true]"},
                       {"step": "text", "selector": ".viewer h2"})
    assert results[-1] == ["Viewer 1"]


def test_keys_work_like_the_buttons(serve, visit):
    muted = {"step": "evaluate", "expression": "document.querySelector('video').muted"}
    paused = {"step": "evaluate", "expression": "document.querySelector('video').paused"}
    results, _ = visit(serve("--source", SOURCE), PLAYS, muted, {"step": "press", "key": "m"}, muted,
                       {"step": "press", "key": "m"}, {"step": "press", "key": "Space"}, paused,
                       {"step": "press", "key": "Space"}, PLAYS, paused)
    assert [results[i] for i in (1, 3, 6, 9)] == [True, False, True, False]


def test_a_pause_from_outside_the_page_is_kept(serve, visit):
    """A media key, or closing the picture-in-picture window, may pause the player."""
    phase = {"step": "evaluate", "expression": "document.getElementById('screen').dataset.phase"}
    results, _ = visit(serve("--source", SOURCE), PLAYS,
                       {"step": "evaluate", "expression": "document.querySelector('video').pause()"},
                       {"step": "wait", "seconds": 1}, phase, {"step": "click", "selector": "#start"},
                       PLAYS)
    assert results[3] == "paused"


def test_a_tap_turns_the_audio_on(serve, visit):
    """Hidden controls do not take the tap."""
    muted = {"step": "evaluate", "expression": "document.querySelector('video').muted"}
    results, _ = visit(serve("--source", SOURCE), PLAYS, muted,
                       {"step": "tap", "selector": "#sound"}, muted, PLAYS,
                       viewport={"width": 360, "height": 740}, touch=True)
    assert [results[1], results[3]] == [True, False]


def test_without_admin_rights_only_the_player_shows(serve, visit, picture):
    daemon = serve("--source", SOURCE, config=NOBODY_ADMIN)
    hidden = {"step": "evaluate", "expression": "document.getElementById('dashboard').hidden"}
    results, requests = visit(daemon, PLAYS, {"step": "watch", "seconds": 3}, picture("player"), hidden)
    assert 0.9 < speed(results[1])
    assert results[-1] is True
    assert not any(url.endswith("/events") for url in requests)
    assert daemon.get("/api/v1/events")[0] == 403


def test_plays_again_after_a_server_restart(serve):
    port = free_port()
    daemon = serve("--source", SOURCE, port=port)
    away = {"step": "until",
            "expression": "document.getElementById('screen').dataset.phase === 'waiting'"}
    with Visit(origin(daemon), PLAYS, {"step": "tell", "line": "plays"}, away, PLAYS,
               {"step": "watch", "seconds": 4}) as visiting:
        assert visiting.line() == "plays"
        daemon.__exit__(None)
        serve("--source", SOURCE, port=port)
        assert 0.9 < speed(visiting.end()["results"][-1])
