"""The page at / in Chromium: the player, and the dashboard for admins."""

import os
import pathlib
import time

import pytest

from netlab.browser.chromium import PAGE_PLAYS, PHASE, VIDEO, Browser, origin
from netlab.daemon import Daemon, free_port, wait_until
from netlab.viewer import Viewer

SOURCE = "live=test:?size=192x108&fps=15"  # the smallest picture that can hold the code
# On loopback a player has the highest rate after one or two decisions, so start low.
FROM_BELOW = '[rate]\nstart = "300k"\n'
NOBODY_ADMIN = "[admin]\nallow = []\n"
OWN = "tr.own[aria-selected=true]"
SET_BACK = 0.6  # seconds: less than what a player skips instead of playing faster
LINE = 30  # pixels of a chart, a few seconds
pytestmark = pytest.mark.usefixtures("needs_chromium")


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with a viewer besides the pages."""
    directory = tmp_path_factory.mktemp("server")
    with Daemon("--source", SOURCE, directory=directory) as daemon:
        with Viewer(daemon.url(), directory=directory):
            yield daemon


@pytest.fixture
def visit(browser):
    """visit(daemon, option=...) -> Page, which plays. Fails if a page had any trouble, or loaded anything
    from another server."""
    pages = []

    def go(daemon, **options):
        page = browser.open(origin(daemon), **options)
        pages.append((page, f"{origin(daemon)}/"))
        page.until(PAGE_PLAYS)
        return page

    yield go
    for page, home in pages:
        seen = page.seen()
        page.close()
        assert seen["troubles"] == []
        elsewhere = [url for url in seen["requests"] if not url.startswith((home, "blob:" + home))]
        assert elsewhere == []


@pytest.fixture
def picture():
    """picture(page, name) saves a screenshot, next to the build."""
    folder = pathlib.Path(os.environ.get("SCREENSHOTS", "build/screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return lambda page, name: page.do("screenshot", path=str(folder / f"{name}.png"))


def test_plays_and_displays_the_age_of_the_picture(server, visit):
    """The code in the picture tells its age."""
    pages = [visit(server, delivery=delivery) for delivery in ("mp4", "flv", "hls")]
    for page in pages:
        page.record()
    for page in pages:
        page.until_pictures(lambda pictures: pictures.told_wrong(15) < 0.1, "the displayed age is right")
        page.plays_on()


def test_a_late_player_catches_up(server, visit):
    """At normal speed, pictures never become younger."""
    set_back = {}
    for page in [visit(server, delivery=delivery) for delivery in ("mp4", "flv")]:
        page.record()
        page.until(f"{VIDEO}.buffered.start(0) < {VIDEO}.currentTime - {SET_BACK}")
        set_back[page] = time.monotonic()
        page.evaluate(f"{VIDEO}.currentTime -= {SET_BACK}")

    def caught_up(pictures, begin):
        ages = [age for _, age in pictures.ages(begin, pictures.ended)]
        return ages and ages[-1] < max(ages) - SET_BACK / 2

    for page, begin in set_back.items():
        page.until_pictures(lambda pictures, begin=begin: caught_up(pictures, begin),
                            "the page has caught up")


def test_the_dashboard_shows_the_pages_own_viewer(serve, visit, picture):
    daemon = serve("--source", SOURCE, config=FROM_BELOW)
    pages = {delivery: visit(daemon, delivery=delivery) for delivery in ("mp4", "hls")}
    for delivery, page in pages.items():
        page.do("see", selector=OWN)
        wait_until(lambda: [pixels > LINE for pixels in page.do("drawn")] == [True] * 4, 30,
                   "four charts have lines")
        wait_until(lambda: any("bit/s" in text for text in page.do("text", selector=".decisions li")),
                   30, "a decision about the rate")
        picture(page, f"dashboard-{delivery}")


def test_nothing_is_wider_than_the_window(server, visit, picture):
    pages = [(colours, width, visit(server, viewport={"width": width, "height": height}, colours=colours))
             for colours, width, height in [("dark", 1280, 900), ("light", 360, 740), ("dark", 768, 1024)]]
    for colours, width, page in pages:
        page.do("see", selector="tr.own")
        wait_until(lambda: [pixels > 0 for pixels in page.do("drawn")] == [True] * 4, 30,
                   "four charts have lines")
        picture(page, f"page-{width}-{colours}")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_keyboard_selects_another_viewer(server, visit):
    page = visit(server)
    page.do("see", selector=OWN)
    page.do("press", selector="tbody tr[tabindex]:not(.own)", key="Enter")
    page.do("see", selector="tr:not(.own)[aria-selected=true]")
    assert page.do("text", selector=".viewer h2") == ["Viewer 1"]


def test_keys_work_like_the_buttons(server, visit):
    page = visit(server)
    muted, paused = (f"{VIDEO}.{name}" for name in ("muted", "paused"))
    assert page.evaluate(muted) is True
    page.do("press", key="m")
    assert page.evaluate(muted) is False
    page.do("press", key="m")
    page.do("press", key="Space")
    assert page.evaluate(paused) is True
    page.do("press", key="Space")
    page.until(PAGE_PLAYS)
    assert page.evaluate(paused) is False


def test_arrow_keys_change_the_volume(server, visit):
    page = visit(server)
    for key, volume in (("ArrowUp", 0.1), ("ArrowUp", 0.2), ("ArrowDown", 0.1), ("ArrowDown", 0), ("ArrowDown", 0)):
        page.do("press", selector="#video", key=key)
        assert page.evaluate(f"[{VIDEO}.muted, Math.round({VIDEO}.volume * 10) / 10]") == [volume == 0, volume]


def test_a_pause_from_outside_the_page_is_kept(server, visit):
    """A media key, or closing the picture-in-picture window, may pause the player."""
    page = visit(server)
    page.evaluate(f"{VIDEO}.pause()")
    page.until(f"{PHASE} === 'paused'")
    time.sleep(0.5)  # time to play again
    assert page.evaluate(PHASE) == "paused"
    page.do("click", selector="#start")
    page.until(PAGE_PLAYS)


def test_a_tap_turns_the_audio_on(server, visit):
    """Hidden controls do not take the tap."""
    page = visit(server, viewport={"width": 360, "height": 740}, touch=True)
    muted = f"{VIDEO}.muted"
    assert page.evaluate(muted) is True
    page.do("tap", selector="#sound")
    assert page.evaluate(muted) is False
    page.until(PAGE_PLAYS)


def test_without_admin_rights_only_the_player_shows(serve, visit, picture):
    daemon = serve("--source", SOURCE, config=NOBODY_ADMIN)
    page = visit(daemon)
    page.plays_on()
    picture(page, "player")
    assert page.evaluate("document.getElementById('dashboard').hidden") is True
    assert not any(url.endswith("/events") for url in page.seen()["requests"])
    assert daemon.get("/api/v1/events")[0] == 403


def test_plays_again_after_a_server_restart(browser, serve):
    port = free_port()
    daemon = serve("--source", SOURCE, port=port)
    page = browser.open(origin(daemon))
    page.until(PAGE_PLAYS)
    daemon.__exit__(None)
    page.until(f"{PHASE} === 'waiting'")
    serve("--source", SOURCE, port=port)
    page.until(PAGE_PLAYS)
    page.plays_on()
    page.close()
